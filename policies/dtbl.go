package policies

import (
	"fmt"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies/dtbl"
)

// aggParams are the parameters of aggregated groups. The reasons of the defaults are in docs/policies, "Child
// launches", choices 1, 2, 5 and 6.
var aggParams = groupParams("8")

// groupParams are the parameters by a default of dtbl-ahead.
func groupParams(ahead string) []Param {
	return []Param{
		{"dtbl-agt", "1024", "entries of the aggregated group table, a power of two (256 to 4096 in the paper); 0: all " +
			"records in memory"},
		{"dtbl-alloc", "free", "free: a group takes any free entry of the table; hash: the one that its hardware thread " +
			"names, if that is free"},
		{"dtbl-match", "launched", "kde: a group joins a kernel of the distributor; launched: also one that an earlier " +
			"group became and that is on its way to it"},
		{"dtbl-fallback", "hardware", "how a group that may join no kernel becomes one: hardware: the SMX scheduler " +
			"hands it to the KMU; api: its warp makes the remaining calls"},
		{"dtbl-ahead", ahead, "records of spilled groups that are read at a time, the next ones of the kernel whose " +
			"CTAs are placed; 1: the next one alone; 0: reading them takes no time"},
		{"dtbl-kde", "0", "N: no AGT; each group takes one of N entries of the distributor (the paper's " +
			"alternative); 0: off"},
	}
}

func init() {
	LaunchControls.Register(Option[model.LaunchControl]{
		Name: "aggregated-group", Title: "a launch that the program's rule marks joins a kernel in the distributor",
		Source: "DTBL paper, section 4",
		New:    func(Args) (model.LaunchControl, error) { return &aggregate{}, nil },
	})
	const doc = "Every child launch that the program's own rule would make is an aggregated group: after the " +
		"parameter buffer has been allocated " +
		"it joins a kernel of the distributor, or on its way there, with the same function and CTA configuration, whose " +
		"CTAs it then adds to. " +
		"Where no kernel matches, the hardware makes it a device kernel, which later groups join."
	Register(Policy{
		Name: "dtbl", Title: "dynamic thread block launch: children join kernels in the distributor",
		Source:    "DTBL paper, section 4",
		Baselines: []string{"flat", "cdp"}, Doc: doc, Launch: "aggregated-group",
		Needs:  needsChildren,
		Params: aggParams, Adjust: withEntries, Compose: withAGT, Cost: costOfDTBL,
	})
	Register(Policy{
		Name: "dtbl-ideal", Bound: true,
		Title: "dtbl with a launch latency of zero", Source: "DTBL paper, section 5.2 (DTBLI)",
		Baselines: []string{"flat", "cdp"}, Doc: doc + " No latency of the device API, of the dispatch and of reading a " +
			"group's record.", Launch: "aggregated-group",
		Needs: needsChildren, Params: groupParams("0"), Compose: withAGT,
		Cost: costOfDTBL,
		Adjust: func(c *hardware.Config, a Args) error {
			if err := withEntries(c, a); err != nil {
				return err
			}
			return noLaunchLatency(c, a)
		},
	})
}

// withAGT sets the aggregated group table of a launch control, or its substitute.
func withAGT(p *model.Policy, a Args) error {
	s, err := groupSettings(a)
	if g, ok := p.Launch.(interface{ groups() *dtbl.Settings }); ok {
		*g.groups() = s
	}
	return err
}

// groupSettings reads the parameters of aggregated groups.
func groupSettings(a Args) (s dtbl.Settings, err error) {
	n, err := a.Integer("dtbl-agt", 0, 1<<20)
	if err != nil {
		return s, err
	}
	if n&(n-1) != 0 {
		return s, fmt.Errorf("dtbl-agt=%d: want a power of two, or 0", n)
	}
	entries, err := a.Integer("dtbl-kde", 0, 1<<16)
	if err != nil {
		return s, err
	}
	if entries > 0 {
		return dtbl.Settings{Match: dtbl.None}, nil
	}
	s.Entries = int(n)
	ahead, err := a.Integer("dtbl-ahead", 0, 1<<16)
	if err != nil {
		return s, err
	}
	s.ReadAhead = int(ahead)
	if s.Hashed, err = a.Either("dtbl-alloc", "free", "hash"); err != nil {
		return s, err
	}
	launched, err := a.Either("dtbl-match", "kde", "launched")
	if err != nil {
		return s, err
	}
	if launched {
		s.Match = dtbl.Launched
	}
	s.API, err = a.Either("dtbl-fallback", "hardware", "api")
	return s, err
}

// withEntries widens the kernel distributor, for the paper's alternative to the
// AGT.
func withEntries(c *hardware.Config, a Args) error {
	n, err := a.Integer("dtbl-kde", 0, 1<<16)
	if n > 0 {
		c.KMU.Entries = int(n)
	}
	return err
}

// The storage that DTBL adds on chip (paper, section 4.3). NAGEI and LAGEI of 32 entries, the bit of the FCFS
// controller, and the AGEI of the SMX scheduler and of each SMX are given as one sum.
const (
	agtEntryBytes  = 20
	dtblOtherBytes = 1096
	pointerBytes   = 8 // of a record in global memory
)

// costOfDTBL is the on-chip memory that DTBL adds.
func costOfDTBL(cfg *hardware.Config, a Args) []CostLine {
	s, err := groupSettings(a)
	if err != nil {
		return nil
	}
	const source = "DTBL paper, section 4.3"
	if s.Match == dtbl.None {
		return []CostLine{{"entries of the kernel distributor beyond the machine's, at a cost that the paper " +
			"does not give", float64(max(0, entriesOf(a)-int64(cfg.KMU.Entries))), "entries", source}}
	}
	table := float64(s.Entries * agtEntryBytes)
	ahead := float64(max(0, s.ReadAhead-1) * (pointerBytes + agtEntryBytes))
	lines := []CostLine{
		{fmt.Sprintf("aggregated group table, %d entries of %d bytes", s.Entries, agtEntryBytes), table, "bytes", source},
		{"NAGEI and LAGEI, FCFS bit, AGEI of the SMX scheduler and of each SMX", dtblOtherBytes, "bytes", source},
	}
	if ahead > 0 {
		lines = append(lines, CostLine{fmt.Sprintf("pointers to the %d groups behind the next one, and "+
			"their records", s.ReadAhead-1), ahead, "bytes",
			fmt.Sprintf("estimated: %d bytes a pointer, %d a record; not in the paper", pointerBytes, agtEntryBytes)})
	}
	lines = append(lines, CostLine{"sum", table + dtblOtherBytes + ahead, "bytes", ""})
	storage := cfg.SM.Count * (cfg.SM.Registers*4 + cfg.L1.Bytes + cfg.SM.SharedBytes)
	return append(lines, CostLine{"the table, of registers, L1 and shared memory of all SMs",
		table / float64(storage) * 100, "%", "bytes over bytes; the paper's 0.5 % is of their area"})
}

func entriesOf(a Args) int64 {
	n, err := a.Integer("dtbl-kde", 0, 1<<16)
	if err != nil {
		return 0
	}
	return n
}

// aggregate launches the requests that the program's rule marks as aggregated groups.
type aggregate struct{ dtbl.Groups }

func (u *aggregate) groups() *dtbl.Settings { return &u.Settings }

// Decide is of [model.LaunchControl].
func (*aggregate) Decide(r *model.LaunchRequest) (model.Decision, string) {
	if r.Marked {
		return model.Group, "marked"
	}
	return model.Inline, "unmarked"
}
