package nearest

import (
	"slices"
	"testing"
)

// Names differ in no more than a third of the typed letters, swaps of neighbours are one, and a part of a name, or
// the end of a key, is near.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		known []string
		want  map[string]string
	}{
		{[]string{"accelsim", "kineto", "nsys", "nvprof", "rocprof"},
			map[string]string{"acelsim": "accelsim", "nsyss": "nsys", "kinetoo": "kineto", "rocprofv3": "rocprof",
				"chakra-et": "", "": ""}},
		{[]string{"kmu.hwqs", "l1.latency", "l2.latency", "dram.tcl"},
			map[string]string{"latancy": "", "l1.latncy": "l1.latency", "hwqs": "kmu.hwqs", "dram.tcl2": "dram.tcl"}},
		{[]string{"hsp", "stn", "n"}, map[string]string{"hps": "hsp", "spt": "", "x": ""}},
	} {
		for typed, want := range c.want {
			if got := Names(typed, c.known, 1); want == "" != (len(got) == 0) || want != "" && got[0] != want {
				t.Errorf("%q: %v, want %q", typed, got, want)
			}
		}
	}
	if got, want := Names("ctas", []string{"cta", "sctas", "ctass", "nothing"}, 2),
		[]string{"cta", "sctas"}; !slices.Equal(got, want) {
		t.Errorf("two of three: %v, want %v", got, want)
	}
}

func TestUnknown(t *testing.T) {
	known := []string{"serial", "hyperq"}
	for name, want := range map[string]string{
		"serail": `no policy "serail": did you mean serial? There are serial, hyperq`,
		"fcfs":   `no policy "fcfs": there are serial, hyperq`,
	} {
		if got := Unknown("policy", name, known).Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"same", "same", 0},
		{"hps", "hsp", 1}, {"abcd", "badc", 2}} {
		if d := Distance(c.a, c.b); d != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, d, c.want)
		}
		if d := Distance(c.b, c.a); d != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.b, c.a, d, c.want)
		}
	}
}
