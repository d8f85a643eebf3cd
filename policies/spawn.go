package policies

import (
	"fmt"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies/dtbl"
)

// spawnParams are the parameters of SPAWN's controller.
var spawnParams = []Param{
	{"spawn-queue", "65536", "child CTAs that the queue holds (max_queue_size of algorithm 1)"},
	{"spawn-count", "arrival", "when a child's CTAs count in n: arrival at the grid management unit, behind the " +
		"launch latency; or at the decision to launch it"},
	{"spawn-idle", "one", "n_con of a window in which no child CTA ran, once some have finished: one counts it as 1; " +
		"last keeps the value of the last window in which some ran"},
	{"spawn-saturate", "on", "on: execution times saturate at 16 bits, as the paper's counters; off: they do not"},
}

func init() {
	LaunchControls.Register(Option[model.LaunchControl]{
		Name: "spawn", Title: "a device kernel where it is estimated to end before the parent's own work would",
		Source: "SPAWN paper, algorithm 1",
		Params: spawnParams, New: func(a Args) (model.LaunchControl, error) { return newSpawn(a, model.DeviceKernel) },
	})
	LaunchControls.Register(Option[model.LaunchControl]{
		Name: "spawn-group", Title: "spawn's decision, launched as an aggregated group",
		Source: "SPAWN paper, algorithm 1, over DTBL's launch; in no paper",
		Params: spawnParams, New: func(a Args) (model.LaunchControl, error) {
			s, err := newSpawn(a, model.Group)
			return &spawnGroup{spawn: s}, err
		},
	})
	Register(Policy{
		Name: "spawn", Title: "launch a child only where it is estimated to pay", Source: "SPAWN paper, section IV",
		Doc: "For every request the controller compares t_child = t_overhead + (x + n) t_cta / n_con with t_parent = " +
			"workload t_warp, from metrics " +
			"that the grid management unit keeps, and launches a device kernel if t_child is not greater and the " +
			"queue has room.",
		Baselines: []string{"flat", "cdp"}, Launch: "spawn",
		Needs: needsBodies, Cost: costOfSpawn, CostOn: "k20m-spawn",
	})
	Register(Policy{
		Name: "spawn+dtbl", Title: "spawn's decision with dtbl's launch", Source: "in no paper",
		Doc: "SPAWN decides whether a child is launched; a launched child joins a kernel of the distributor as an " +
			"aggregated group.",
		Baselines: []string{"flat", "cdp"}, Launch: "spawn-group",
		Needs: needsBodies, Params: aggParams,
		Adjust: withEntries, Compose: withAGT,
		Cost: func(cfg *hardware.Config, a Args) []CostLine {
			return append(costOfSpawn(cfg, a), costOfDTBL(cfg, a)...)
		},
	})
}

// spawn is the SPAWN controller.
type spawn struct {
	launch   model.Decision
	queue    int64
	children ccqs
	notes    model.Notes
	early    bool // n counts a child from the decision on
	last     bool // n_con = 0 leaves the register as it is
}

// spawnGroup is the controller that launches groups.
type spawnGroup struct {
	*spawn
	dtbl.Groups
}

func (s *spawnGroup) groups() *dtbl.Settings { return &s.Settings }

func newSpawn(a Args, launch model.Decision) (*spawn, error) {
	queue, err := a.Integer("spawn-queue", 1, 1<<40)
	if err != nil {
		return nil, err
	}
	s := &spawn{launch: launch, queue: queue}
	saturate, err := a.Flag("spawn-saturate")
	if err != nil {
		return nil, err
	}
	if saturate {
		s.children.most = 1<<counterBits - 1
	}
	if s.early, err = a.Either("spawn-count", "arrival", "decision"); err != nil {
		return nil, err
	}
	s.last, err = a.Either("spawn-idle", "one", "last")
	return s, err
}

// Queued counts a child's CTAs in n where they enter the queue. Section IV.A tracks them "only after they are
// pushed into GMU", and IV.B increments n whenever one "enters" the CCQS.
func (s *spawn) Queued(ctas int64, _ model.Time) {
	if !s.early {
		s.children.enter(ctas)
	}
}

// Started is of [model.ChildWatcher].
func (s *spawn) Started(t model.Time) { s.children.started(t) }

// Ended is of [model.ChildWatcher].
func (s *spawn) Ended(t, took model.Time) { s.children.ended(t, took) }

// WarpEnded is of [model.ChildWatcher].
func (s *spawn) WarpEnded(t, took model.Time) { s.children.warpEnded(t, took) }

// counterBits is the width of SPAWN's registers.
const counterBits = 16

// costOfSpawn is the hardware that SPAWN adds (paper, section IV.B): a 16-bit execution time for each child CTA
// that can run, a 16-bit register for n, two 16-bit adders and a shift register. The times are 416 bytes on 13 SMXs
// of 16 CTAs.
func costOfSpawn(cfg *hardware.Config, _ Args) []CostLine {
	const source = "SPAWN paper, section IV.B"
	ctas := cfg.SM.Count * cfg.SM.MaxCTAs
	table := float64(ctas * counterBits / 8)
	return []CostLine{
		{fmt.Sprintf("execution times of %d running child CTAs, %d bits each", ctas, counterBits), table, "bytes", source},
		{"register of n", counterBits / 8, "bytes", source},
		{"adders of 16 bits", 2, "adders", source},
		{"shift register", 1, "registers", source},
		{"sum of the memory", table + counterBits/8, "bytes", ""},
	}
}

// Decide is algorithm 1 of the paper. Choices (docs/policies, "Child launches"):
// 8. where no child CTA ran in the last window although some have finished
// (n_con = 0), n_con counts as 1, or with idle=last as it was; 9. the division is by whole cycles, as an
// integer divider's; 10. t_warp is 0 until the first window with a finished child
// warp closes, so that requests between the first finished CTA and that window's
// end stay with the parent.
func (s *spawn) Decide(r *model.LaunchRequest) (model.Decision, string) {
	d, reason := s.judge(r, s.children.metrics(r.Time))
	if s.early && d != model.Inline { // algorithm 1, line 8
		s.children.enter(int64(r.CTAs))
	}
	return d, reason
}

// SPAWN's notes of a request: the numbers of the paper by their place in the notes.
const (
	spawnN = iota
	spawnX
	spawnNCon
	spawnTCTA
	spawnTWarp
	spawnTChild
	spawnTParent
)

// judge decides on a request by the registers.
func (s *spawn) judge(r *model.LaunchRequest, q queueMetrics) (model.Decision, string) {
	x := int64(r.CTAs)
	if s.last {
		q.NCon = q.Held
	}
	r.Noted = &s.notes
	s.notes = model.Notes{spawnN: q.N, spawnX: x, spawnNCon: q.NCon, spawnTCTA: q.TCTA, spawnTWarp: q.TWarp}
	if q.TCTA == 0 {
		return s.launch, "first window"
	}
	child, parent := r.Overhead+(x+q.N)*q.TCTA/max(1, q.NCon), int64(r.Workload)*q.TWarp
	s.notes[spawnTChild], s.notes[spawnTParent] = child, parent
	switch {
	case child > parent:
		return model.Inline, "parent is faster"
	case q.N+x > s.queue:
		return model.Inline, "queue is full"
	}
	return s.launch, "child is faster"
}
