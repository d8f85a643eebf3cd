package children

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gpureplay/samples"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
)

// The README's step counts equal the recorded warps', and it has a row for each workload.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range generators(t) {
		if !strings.Contains(string(text), fmt.Sprintf("\n| `%s` |", name)) {
			t.Errorf("no row for %s", name)
		}
	}
	steps := map[string]int{}
	for _, name := range []string{"dp-bfs", "dp-join", "dp-mandel", "dp-bht"} {
		r := samplestest.Generate(t, name, small[name]...)
		for id := range r.Kernels {
			for _, c := range r.CTAs[id] {
				for _, w := range c.Warps {
					// full but for the exit of the bound check and the first thread's own work
					if !slices.ContainsFunc(w.Masks, func(m trace.MaskRun) bool { return m.Mask != samples.Full && m.Mask > 1 }) {
						f := r.Functions[r.Kernels[id].Function].Name
						steps[f] = max(steps[f], len(w.Path))
					}
				}
			}
		}
	}
	rows := regexp.MustCompile("\n\\| `([a-z_]+)` \\| ([0-9]+) \\|").FindAllStringSubmatch(string(text), -1)
	if len(rows) != 4 {
		t.Fatalf("%d rows of steps, want 4", len(rows))
	}
	for _, row := range rows {
		if got := fmt.Sprint(steps[row[1]]); got != row[2] {
			t.Errorf("%s: %s steps, README says %s", row[1], got, row[2])
		}
	}
	// Settings that the README names are accepted.
	for _, m := range regexp.MustCompile("`((?:[a-z-]+=[a-z0-9]+ ?)+)`").FindAllStringSubmatch(string(text), -1) {
		accepted := false
		for name := range small {
			g, _ := samples.Get(name)
			_, err := g.Parse(strings.Fields(m[1])...)
			accepted = accepted || err == nil
		}
		if !accepted {
			t.Errorf("no workload takes %q", m[1])
		}
	}
}
