// Package measured predicts launches whose cycles somebody has measured: it reads
// tables of measurements and folders of captures as they were published, makes or
// takes the trace of each launch, replays it on the preset that stands for the
// measured GPU, and says which launches that preset was set from.
package measured

import (
	"fmt"
	"slices"
	"strings"
)

// Case is one measured launch.
type Case struct {
	Where      string  // file and line, or folder
	Suite      string  // of the table
	Kernel     string  // as the table names it
	Tool       string  // that measured: ncu, nsys; "": not said
	CTAs       int     // 0: a capture, which says so itself
	Threads    int     // of a CTA
	Iterations int     // of the kernel's loop; 0: it has none
	Cycles     float64 // measured, the launch included
	Capture    string  // path of its trace or capture; "": generated
}

// Role is the use of a case.
type Role string

// The roles. A case of a preset that was set from no measurement, or that the
// caller chose for it, tests.
const (
	Sets  Role = "sets"
	Tests Role = "tests"
)

// A kernel is one that the sample generators make.
type kernel struct {
	name     string // benchmark of the table; longer names that begin with it and a dash are the same kernel
	sample   string
	loops    bool // has iterations
	sets     func(c *Case) bool
	setsWhat string // which cases of the suite simtune set the presets of toolPresets
}

// simtune is the suite whose measurements were published (mgpusim,
// nvidia/eval/config).
const simtune = "simtune"

var kernels = []kernel{
	{name: "emptykernel", sample: "empty", sets: setsLaunch, setsWhat: "CTAs of a multiple of 64 threads"},
	{name: "ffmakernel", sample: "ffma", loops: true, sets: func(*Case) bool { return false }},
}

// setsLaunch: the table has 1,024 to 65,536 CTAs of 256 to 1,024 threads.
func setsLaunch(c *Case) bool {
	return c.Suite == simtune && c.Threads%64 == 0 && c.Threads >= 256 && c.CTAs >= 1024
}

// toolPresets are the presets whose launch costs come from a tool's measurements.
var toolPresets = map[string]string{"ncu": "h100-pcie", "nsys": "h100-pcie-boost"}

// captureTools are captures whose folder names the GPU and not the tool. The figures of the first four stand in
// mgpusim's table of the same suite, under ncu. The table lacks the last. For the same kernel with 256 threads a
// CTA, of the same day, 6739 cycles were published: 2 % more than the empty kernel takes under nsys, 19 % less than
// under ncu, which no launch of 4,096 CTAs undercuts.
var captureTools = map[string]string{
	"simtune-ffmakernel-1-32-10": "ncu", "simtune-ffmakernel-1-32-20": "ncu", "simtune-ffmakernel-1-32-30": "ncu",
	"simtune-ffmakernel-1-32-40": "ncu", "simtune-ffmakernel-4096-16": "nsys",
}

func kernelOf(name string) *kernel {
	for i := range kernels {
		if k := &kernels[i]; name == k.name || strings.HasPrefix(name, k.name+"-") {
			return k
		}
	}
	return nil
}

// Preset returns the preset that was set under the case's tool.
func (c *Case) Preset() (string, error) {
	if p := toolPresets[c.Tool]; p != "" {
		return p, nil
	}
	if c.Tool == "" {
		return "", fmt.Errorf("%s: it is not said which tool measured: choose a machine with --gpu", c.Where)
	}
	return "", fmt.Errorf("%s: no preset was set under profile_type=%s (under ncu and nsys some were): choose a "+
		"machine with --gpu", c.Where, c.Tool)
}

// RoleOn says whether a case was used to set a preset or tests it.
func (c *Case) RoleOn(preset string) Role {
	if k := kernelOf(c.Kernel); c.Capture == "" && preset == toolPresets[c.Tool] && k != nil && k.sets(c) {
		return Sets
	}
	return Tests
}

// Setting says in words which cases set some presets; "" if none did.
func Setting(presets []string) string {
	var set []string
	for _, p := range toolPresets {
		if slices.Contains(presets, p) {
			set = append(set, p)
		}
	}
	if len(set) == 0 {
		return ""
	}
	slices.Sort(set)
	for _, k := range kernels {
		if k.setsWhat != "" {
			return fmt.Sprintf("%s: launch costs set from the cases of %s with %s, of the tool of each preset; no number "+
				"from a case that tests",
				strings.Join(set, ", "), k.name, k.setsWhat)
		}
	}
	return ""
}

// key is equal for cases of one trace.
func (c *Case) key() string {
	if c.Capture != "" {
		return c.Capture
	}
	return strings.Join(append(c.settings(), kernelOf(c.Kernel).sample), " ")
}

// settings are the parameters of the case's sample.
func (c *Case) settings() []string {
	list := []string{fmt.Sprintf("ctas=%d", c.CTAs), fmt.Sprintf("threads=%d", c.Threads)}
	if kernelOf(c.Kernel).loops {
		list = append(list, fmt.Sprintf("iterations=%d", c.Iterations))
	}
	return list
}
