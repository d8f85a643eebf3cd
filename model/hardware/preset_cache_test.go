package hardware

import (
	"reflect"
	"testing"
)

// Changes of a preset do not reach the next copy, nor presets that build on it: presets are read once.
func TestPresetsAreFreshCopies(t *testing.T) {
	for _, name := range Presets() {
		first, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		want := first.TOML()
		for _, f := range []*Config{first, first.clone()} {
			f.SM.Count++
			f.Name = "other"
			for i := range f.L1.Carveouts {
				f.L1.Carveouts[i]++
			}
		}
		if again, err := Preset(name); err != nil || again.TOML() != want || !again.Equal(again.clone()) ||
			again.Equal(first) {
			t.Errorf("%s: another copy has changed, %v", name, err)
		}
	}
	based, err := ReadConfig("x", []byte("base = \"a100\"\nl1.carveouts = [0, 167936]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := Preset("a100"); err != nil || reflect.DeepEqual(based.L1.Carveouts, c.L1.Carveouts) {
		t.Errorf("a file that builds on a100 has changed it: %v, %v", c.L1.Carveouts, err)
	}
	// A field that a copy would share must be copied by clone.
	var lists func(reflect.Type) int
	lists = func(r reflect.Type) (n int) {
		switch r.Kind() {
		case reflect.Struct:
			for i := range r.NumField() {
				n += lists(r.Field(i).Type)
			}
		case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface:
			n++
		}
		return n
	}
	if n := lists(reflect.TypeFor[Config]()); n != 1 {
		t.Errorf("a Config has %d fields that copies share; clone knows of l1.carveouts", n)
	}
}
