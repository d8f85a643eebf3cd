package hardware

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/BurntSushi/toml"
)

// Every preset is read without a TOML decoder, to the machine that the decoder reads.
func TestFlatPresets(t *testing.T) {
	for _, name := range Presets() {
		data := uncommented(PresetSource(name))
		got := readFlat(data, 0)
		if got == nil {
			t.Errorf("%s needs the decoder", name)
			continue
		}
		if got.Name == "" {
			got.Name = name
		}
		if want, err := ReadConfig(name, PresetSource(name)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, the decoder reads %+v, %v", name, got, want, err)
		}
	}
}

// Anything but a section or a key with its value on a line is left to the decoder, and so is a wrong value.
func TestOddPresetsGoToTheDecoder(t *testing.T) {
	for _, text := range []string{
		"[sm\ncount = 1", "[[sm]]\ncount = 1", "sm = { count = 1 }", "[sm]\ncount = 1.5", "[sm]\ncount = \"1\"",
		"[sm]\nno = 1",
		"name = \"a\\\"b\"", "name = 'a'", "[l1]\ncarveouts = [1,\n2]",
		"[sm]\natomics_hold_warp = yes", "base = \"no\"", "base = \"a100\"\ncount = 2",
	} {
		if c := readFlat([]byte(text), 0); c != nil {
			t.Errorf("%q is read", text)
		}
	}
}

// A machine's text is the encoder's, byte for byte, also of odd values; those that need escapes or exponents are left
// to it.
func TestFlatTextIsTheEncoders(t *testing.T) {
	r, left := rand.New(rand.NewPCG(1, 2)), 0
	for _, name := range Presets() {
		for range 20 {
			c, err := Preset(name)
			if err != nil {
				t.Fatal(err)
			}
			switch r.IntN(8) {
			case 0:
				c.Clock.CoreMHz = math.Ldexp(r.Float64(), r.IntN(120)-60)
			case 1:
				c.Name = string(rune(1 + r.IntN(400)))
			case 2:
				c.L1.Carveouts = nil
			case 3:
				c.Clock.L2MHz, c.SM.Count = float64(r.IntN(1000)), -r.IntN(1000)
			case 4:
				c.Clock.L2MHz = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}[r.IntN(4)]
			}
			var b bytes.Buffer
			e := toml.NewEncoder(&b)
			e.Indent = ""
			if err := e.Encode(c); err != nil {
				t.Fatal(err)
			}
			if got := c.flat(); got == nil {
				left++
			} else if !bytes.Equal(got, b.Bytes()) {
				t.Fatalf("%s: %d bytes\nthe encoder writes %s", name, len(got), b.Bytes())
			}
		}
	}
	if left == 0 || left > 20*len(Presets())/2 {
		t.Errorf("%d are left to the encoder", left)
	}
}
