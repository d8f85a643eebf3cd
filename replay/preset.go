package replay

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"gpureplay/model/hardware"
	"gpureplay/replay/table"
	"gpureplay/trace"
	"gpureplay/trace/container"

	"github.com/dustin/go-humanize"
)

// presetOf maps compute capability × 10 to the preset that stands nearest to a GPU
// without one of its own.
var presetOf = map[uint32]string{
	30: "kepler-titan", 35: "k20c", 37: "k20c", 52: "titanx-maxwell", 53: "titanx-maxwell", 60: "v100",
	61: "titanx-maxwell",
	70: "v100", 72: "v100", 75: "t4", 80: "a100", 86: "rtx3090", 87: "rtx3090", 89: "rtx4090", 90: "h100", 100: "b200",
	103: "b200", 120: "rtx4090",
}

// simulatedOf goes before presetOf for traces of instructions, which know no more
// of the GPU than its compute capability: the machines that Accel-Sim has for them.
var simulatedOf = map[uint32]string{70: "qv100", 86: "rtx3070"}

// defaultPreset replays traces without a known GPU.
const defaultPreset = "a100"

// Captured is the machine that a trace is replayed on where the user names none:
// the one that it was captured on, or made for.
type Captured struct {
	Config  *hardware.Config
	Says    string // the machine and its origin, in a line
	StandIn string // why its latencies are another GPU's; "": they are its own
}

// MachineFor returns the captured machine as far as the trace describes it: SMs, clock and limits from the capture,
// the rest from the preset of the GPU, or the nearest.
func MachineFor(m *trace.Meta) *Captured {
	captured := m.Machine()
	gpu := fromName(captured)
	if gpu == (trace.Machine{}) && m.Source == "rocprof" {
		gpu.Architecture = "AMD"
	}
	name, standIn := presetFor(&gpu)
	cfg, err := hardware.Preset(name)
	if err != nil {
		panic("replay: " + err.Error()) // it is one of ours
	}
	c := &Captured{Config: cfg, StandIn: standIn}
	switch {
	case gpu.Name == name:
		c.Says = name + ": the machine that the trace was made for"
	case gpu.Name == "" && gpu.SMs == 0 && gpu.SMVersion > 0:
		c.Says = fmt.Sprintf("%s: the trace was captured on compute capability %d.%d", name, gpu.SMVersion/10,
			gpu.SMVersion%10)
	case gpu.Architecture == "AMD":
		c.Says = name + ": the trace says no more than that its GPU is one of AMD"
	case gpu.Name == "" && gpu.SMs == 0:
		c.Says = name + ": the trace does not name its GPU"
	default:
		c.take(&gpu, &captured)
	}
	return c
}

// take gives the machine the facts of the capture and of its GPU's name, and names the source of each.
func (c *Captured) take(gpu, captured *trace.Machine) {
	preset := c.Config
	c.Config = preset.AsGPU(gpu)
	sms, clock := saidBy(captured.SMs > 0, gpu.SMs > 0), saidBy(captured.ClockHz > 0, gpu.ClockHz > 0)
	between, before := " at ", ", latencies"
	switch {
	case clock == "":
		between, before = sms+", ", " and latencies"
	case sms != clock:
		between = sms + ", "
	}
	c.Says = fmt.Sprintf("%s: %d SMs%s%s MHz%s%s as %s", cmp.Or(shortName(gpu.Name), "the captured GPU"),
		c.Config.SM.Count,
		between, humanize.CommafWithDigits(c.Config.Clock.CoreMHz, 0), clock, before, preset.Name)
	if !c.Config.Equal(preset) {
		c.Config.Name = cmp.Or(slug(shortName(gpu.Name)), preset.Name+"-captured")
		c.Config.Description = c.Says
	}
}

// saidBy is the source of a fact of a GPU; "": its preset.
func saidBy(captured, named bool) string {
	switch {
	case captured:
		return " from the capture"
	case named:
		return " by its name"
	}
	return ""
}

// Diagnostics are the row of a stand-in.
func (c *Captured) Diagnostics() []table.Diagnostic {
	if c.StandIn == "" {
		return nil
	}
	return []table.Diagnostic{{Name: "machine_stand_in", Severity: trace.Info, Count: 1, Help: c.StandIn}}
}

// presetFor chooses the preset of a GPU: its own, the one of its architecture, or
// the default; standIn says why it is another's, of a GPU that the trace names.
func presetFor(gpu *trace.Machine) (name, standIn string) {
	if name := presetNamed(gpu.Name); name != "" {
		return name, ""
	}
	named := gpu.Name != "" || gpu.SMs > 0 || gpu.Architecture != ""
	name = cmp.Or(known(gpu.Name).preset, presetOf[gpu.SMVersion], presetOfArchitecture[strings.ToLower(gpu.Architecture)],
		presetOfWaves(gpu), defaultPreset)
	if !named {
		return cmp.Or(simulatedOf[gpu.SMVersion], name), ""
	}
	return name, fmt.Sprintf("there is no preset of %s: latencies, and facts absent from the capture, come from "+
		"%s; --gpu takes a file with others",
		cmp.Or(shortName(gpu.Name), "the captured GPU"), name)
}

// presetNamed finds the preset that a GPU's name has in it, the longest: its words
// side by side ("NVIDIA GeForce RTX 3090" has rtx3090). Of one that is there for
// two tools it is the one of the boost clock, at which timelines are captured.
func presetNamed(gpu string) string {
	in, best := joinedWords(gpu), ""
	for _, p := range hardware.Presets() {
		if gpu == p {
			return p
		}
		name := strings.TrimSuffix(p, "-boost")
		if in[strings.ReplaceAll(name, "-", "")] && len(p) > len(best) {
			best = p
		}
	}
	return best
}

// joinedWords returns every run of words of a name, joined, in small letters.
func joinedWords(name string) map[string]bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	in := map[string]bool{}
	for i := range words[:min(len(words), 16)] {
		for j := i; j < min(len(words), 16); j++ {
			in[strings.Join(words[i:j+1], "")] = true
		}
	}
	return in
}

// slug is a name as it may stand in a path.
func slug(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "-")
}

// shortName is a GPU's name without its maker's.
func shortName(gpu string) string {
	for _, maker := range []string{"NVIDIA ", "GeForce ", "AMD Instinct "} {
		gpu = strings.TrimPrefix(gpu, maker)
	}
	return gpu
}

// CapturedOn returns a function that gives the machine that a trace was captured on, as far as it says, or nil. The
// work of kernels without CTAs is inferred from it.
func CapturedOn(tr *container.Reader) func() *hardware.Config {
	m := &tr.Program().Meta
	if m.SMVersion == 0 && m.SMs == 0 && m.GPU == "" {
		return nil
	}
	return sync.OnceValue(func() *hardware.Config { return MachineFor(m).Config })
}

// endings are the endings of names of traces and captures, outer ones first.
var endings = []string{".gz", ".zst", ".xz", ".txt", ".trace", ".json", ".csv",
	".sqlite", ".db", ".rpd", ".et", ".pt.trace"}

// TraceName is the name of a trace or a capture in the tables: the name of its file without the endings of its
// format. For Accel-Sim's list of kernels it is the folder's name.
func TraceName(path string) string {
	if filepath.Base(path) == "kernelslist.g" {
		if whole, err := filepath.Abs(path); err == nil {
			path = filepath.Dir(whole)
		}
	}
	name := filepath.Base(path)
	for _, ending := range endings {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}
