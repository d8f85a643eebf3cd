package gpgpusim

import (
	"slices"
	"strings"
)

// checkNeeds refuses values that the engine does not model.
func (f *file) checkNeeds() error {
	for i := range Options {
		o := &Options[i]
		if len(o.Needs) == 0 {
			continue
		}
		if v := f.get(o.Name); !slices.Contains(o.Needs, v.text) {
			if v.line == 0 {
				return f.wrong(o.Name, "GPGPU-Sim's default; the cycle-level engine needs %s: %s",
					strings.Join(o.Needs, " or "), o.Text)
			}
			return f.wrong(o.Name, "the cycle-level engine needs %s: %s", strings.Join(o.Needs, " or "), o.Text)
		}
	}
	return nil
}
