package replay

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"gpureplay/model"
	"gpureplay/trace"
)

// presetOf maps compute capability × 10 to the preset that stands nearest.
var presetOf = map[uint32]string{
	30: "kepler-titan", 35: "k20c", 37: "k20c", 52: "titanx-maxwell", 53: "titanx-maxwell", 60: "qv100", 61: "titanx-maxwell",
	70: "qv100", 72: "qv100", 75: "qv100", 80: "a100", 86: "rtx3070", 87: "rtx3070", 89: "rtx3070", 90: "h100", 100: "h200", 120: "h200",
}

// defaultPreset replays what no GPU is known for.
const defaultPreset = "a100"

// PresetFor returns the preset that a trace is replayed on where the user names
// none, and why.
func PresetFor(m *trace.Meta) (name, why string) {
	for _, p := range model.Presets() {
		if p == m.GPU {
			return p, "the machine that the trace was made for"
		}
	}
	if p, ok := presetOf[m.SMVersion]; ok {
		return p, fmt.Sprintf("the trace was captured on compute capability %d.%d", m.SMVersion/10, m.SMVersion%10)
	}
	return defaultPreset, "the trace does not say what it was captured on"
}

// capturedOn returns what gives the machine that a trace was captured on, as far
// as it says, or nil: the work of kernels without CTAs is inferred from it.
func capturedOn(tr *trace.Reader) func() *model.Config {
	m := &tr.Program().Meta
	if m.SMVersion == 0 && m.SMs == 0 {
		return nil
	}
	return sync.OnceValue(func() *model.Config {
		name, _ := PresetFor(m)
		cfg, err := model.Preset(name)
		if err != nil {
			panic("replay: " + err.Error()) // it is one of ours
		}
		if m.SMs > 0 {
			cfg.SM.Count = int(m.SMs)
		}
		return cfg
	})
}

// TraceName is the name of a trace in the tables: its file's, without what the
// format adds.
func TraceName(path string) string {
	name := filepath.Base(path)
	for _, suffix := range []string{".zst", ".txt", ".trace"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}
