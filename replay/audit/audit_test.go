package audit

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/trace/tracetest"
)

// note is one thing that a run has told.
type note struct {
	what   string // kernel, cta, stage, launch, dispatched, released, placed, suspended, resumed
	kernel model.KernelRecord
	cta    model.CTARecord
	stage  model.StageRecord
	launch model.LaunchRecord
	inst   exec.InstRecord
	at     model.Time
}

// tape keeps the records of a run, to play them back with a fault.
type tape struct{ notes []note }

func (x *tape) Kernel(r *model.KernelRecord) {
	x.notes = append(x.notes, note{what: "kernel", kernel: *r})
}
func (x *tape) CTA(r *model.CTARecord)     { x.notes = append(x.notes, note{what: "cta", cta: *r}) }
func (x *tape) Stage(r *model.StageRecord) { x.notes = append(x.notes, note{what: "stage", stage: *r}) }
func (x *tape) Launch(r *model.LaunchRecord) {
	x.notes = append(x.notes, note{what: "launch", launch: *r})
}
func (x *tape) Dispatched(r *model.KernelRecord) {
	x.notes = append(x.notes, note{what: "dispatched", kernel: *r})
}
func (x *tape) Released(r *model.KernelRecord) {
	x.notes = append(x.notes, note{what: "released", kernel: *r})
}
func (x *tape) Placed(r *model.CTARecord) { x.notes = append(x.notes, note{what: "placed", cta: *r}) }
func (x *tape) Suspended(r *model.CTARecord, t model.Time) {
	x.notes = append(x.notes, note{what: "suspended", cta: *r, at: t})
}
func (x *tape) Resumed(r *model.CTARecord, t model.Time) {
	x.notes = append(x.notes, note{what: "resumed", cta: *r, at: t})
}
func (x *tape) Inst(r *exec.InstRecord)  { x.notes = append(x.notes, note{what: "inst", inst: *r}) }
func (*tape) Page(*model.PageRecord)     {}
func (*tape) Task(*model.TaskRecord)     {}
func (*tape) Sample(*model.SampleRecord) {}

// tell gives a tape to an auditor.
func (x *tape) tell(a *Auditor) {
	for i := range x.notes {
		switch n := &x.notes[i]; n.what {
		case "kernel":
			a.Kernel(&n.kernel)
		case "cta":
			a.CTA(&n.cta)
		case "stage":
			a.Stage(&n.stage)
		case "launch":
			a.Launch(&n.launch)
		case "dispatched":
			a.Dispatched(&n.kernel)
		case "released":
			a.Released(&n.kernel)
		case "placed":
			a.Placed(&n.cta)
		case "suspended":
			a.Suspended(&n.cta, n.at)
		case "resumed":
			a.Resumed(&n.cta, n.at)
		case "inst":
			a.issues.issued(&n.inst)
		}
	}
}

// find returns the index of the n-th note of a kind about a kernel; any: -1.
func (x *tape) find(t *testing.T, what string, kernel int, n int) int {
	t.Helper()
	for i := range x.notes {
		e := &x.notes[i]
		id := e.kernel.ID
		switch what {
		case "placed", "cta", "suspended", "resumed":
			id = owner(&e.cta)
		case "launch":
			id = e.launch.Child
		case "inst":
			id = e.inst.Kernel
		case "stage":
			id = uint32(kernel)
		}
		if e.what == what && (kernel < 0 || id == uint32(kernel)) {
			if n == 0 {
				return i
			}
			n--
		}
	}
	t.Fatalf("the run tells no %s of kernel %d", what, kernel)
	return 0
}

// move puts note i before note j.
func (x *tape) move(i, j int) {
	e := x.notes[i]
	x.notes = slices.Insert(slices.Delete(x.notes, i, i+1), min(j, len(x.notes)-1), e)
}

func (x *tape) drop(i int) { x.notes = slices.Delete(x.notes, i, i+1) }

// streamsTrace has copies, and kernels in two streams with an event between them.
const streamsTrace = `
array a bytes=64K
h2d a async
h2d a async stream=1
launch first grid=6 block=64 stream=0
cta 0..5
 warp 0..1
  load R1 @a+4 cta=256 warp=128
  int R2 <- R1
  store <- R2 @a+4 cta=256 warp=128
  exit
record 1 stream=0
wait 1 stream=1
launch second grid=2 block=64 stream=1
cta 0..1
 warp 0..1
  int x4000
  exit
launch third grid=2 block=64 stream=0
cta 0..1
 warp 0..1
  int x4000
  exit
d2h a
`

// childrenTrace has a parent that waits for its children, and goes on.
const childrenTrace = `
launch parent grid=2 block=32
cta 0..1
 warp 0
  int R1
  exit
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 2 lane=0..1 work=1 params=64 marked
  devsync
  int R1
  exit
kernel parent grid=1 block=32 child
cta 0
 warp 0
  int x9
  exit
kernel parent grid=1 block=32 child
cta 0
 warp 0
  int x9
  exit
`

// fault is a run told with something wrong in it.
type fault struct {
	rule string // that the auditor must name
	do   func(t *testing.T, x *tape, cfg *hardware.Config, sum *model.Summary)
}

// found records a run of a text under a policy, tells it with a fault, and returns
// the rules that the auditor names.
func found(t *testing.T, text, policy string, f func(t *testing.T, x *tape, cfg *hardware.Config,
	sum *model.Summary)) map[string]int {
	t.Helper()
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	cfg.SM.Count = 2
	choices, err := policies.Parse(policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, cfg, err := choices[0].Build(cfg)
	if err != nil {
		t.Fatal(err)
	}
	tr := tracetest.FromText(t, text)
	x := &tape{}
	m, err := model.New(tr, model.Options{Config: cfg, Policy: p, Observer: x})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := m.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	machine := *cfg
	f(t, x, &machine, sum)
	a, err := newAuditor(tr, &machine, &model.Policy{}, host.NotTasks)
	if err != nil {
		t.Fatal(err)
	}
	a.entries = tableEntries(p)
	a.issues.picks = newPicks(a, choices[0].WarpScheduler(&machine), p)
	x.tell(a)
	rules := map[string]int{}
	for _, v := range a.Finish(sum) {
		rules[v.Rule]++
	}
	return rules
}

func check(t *testing.T, text, policy string, faults map[string]fault) {
	t.Helper()
	if rules := found(t, text, policy, func(*testing.T, *tape, *hardware.Config, *model.Summary) {}); len(rules) > 0 {
		t.Fatalf("%s: a sound run breaks %v", policy, rules)
	}
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			if rules := found(t, text, policy, f.do); rules[f.rule] == 0 {
				t.Errorf("found %v, want %s", rules, f.rule)
			}
		})
	}
}

// Faults in a run of kernels in streams are found, one at a time.
func TestAuditorFindsWrongRuns(t *testing.T) {
	type T = testing.T
	type C = hardware.Config
	type S = model.Summary
	check(t, streamsTrace, "hyperq", map[string]fault{
		"a CTA placed twice": {"cta-once", func(t *T, x *tape, _ *C, _ *S) {
			i := x.find(t, "placed", 0, 0)
			x.notes = slices.Insert(x.notes, i, x.notes[i])
		}},
		"a CTA that ends twice": {"cta-once", func(t *T, x *tape, _ *C, _ *S) {
			i := x.find(t, "cta", 0, 0)
			x.notes = slices.Insert(x.notes, i, x.notes[i])
		}},
		"a CTA outside its grid": {"cta-once", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[x.find(t, "placed", 0, 0)].cta.CTA = 64
		}},
		"a CTA that never ends": {"kernel-complete", func(t *T, x *tape, _ *C, _ *S) { x.drop(x.find(t, "cta", 1, 0)) }},
		"a kernel without end":  {"kernel-complete", func(t *T, x *tape, _ *C, _ *S) { x.drop(x.find(t, "kernel", 2, 0)) }},
		"a kernel of no trace": {"kernel-known", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[x.find(t, "placed", 2, 0)].cta.Kernel = 9
		}},
		"more CTAs than fit":    {"sm-limits", func(_ *T, _ *tape, c *C, _ *S) { c.SM.MaxCTAs = 2 }},
		"more warps than fit":   {"sm-limits", func(_ *T, _ *tape, c *C, _ *S) { c.SM.MaxWarps = 5 }},
		"more threads than fit": {"sm-limits", func(_ *T, _ *tape, c *C, _ *S) { c.SM.MaxThreads = 191 }},
		"an SM that is not given back": {"sm-limits", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[x.find(t, "cta", 0, 0)].cta.SM ^= 1
		}},
		"a CTA's cycles": {"cycles-add-up", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[x.find(t, "cta", 0, 1)].cta.Active++
		}},
		"an SM's cycles": {"cycles-add-up", func(_ *T, _ *tape, _ *C, s *S) {
			s.ActiveSMCycles = uint64(2*s.Cycles) - 1
		}},
		"the warps' cycles":     {"cycles-add-up", func(_ *T, _ *tape, _ *C, s *S) { s.ActiveWarpCycles *= 3 }},
		"a run that is shorter": {"cycles-add-up", func(_ *T, _ *tape, _ *C, s *S) { s.Cycles = 100 }},
		"a scheduler issues twice": {"issue-slots", func(t *T, x *tape, _ *C, _ *S) {
			r := &x.notes[x.find(t, "cta", 1, 0)].cta
			r.StallTimes[exec.StallIssue] += r.Active - 1
			r.Active = 1
		}},
		"more issued than slots": {"issue-slots", func(_ *T, _ *tape, _ *C, s *S) { s.IssuedInsts = s.IssueSlots + 1 }},
		"a warp too many":        {"warps-once", func(_ *T, _ *tape, _ *C, s *S) { s.Warps++ }},
		"an instruction lost": {"instructions", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[x.find(t, "cta", 0, 0)].cta.WarpInsts--
		}},
		"a lane lost": {"instructions", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[x.find(t, "kernel", 0, 0)].kernel.ThreadInsts--
		}},
		"an instruction twice": {"instructions", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[x.find(t, "cta", 0, 0)].cta.WarpInsts++
		}},
		"a start before the CTA is placed": {"order", func(t *T, x *tape, _ *C, _ *S) {
			r := &x.notes[x.find(t, "cta", 0, 0)].cta
			r.Start = r.Dispatch - 1
		}},
		"a kernel dispatched before it arrives": {"order", func(t *T, x *tape, _ *C, _ *S) {
			r := &x.notes[x.find(t, "kernel", 0, 0)].kernel
			r.Arrive = r.Dispatch + 1
		}},
		"more kernels than entries": {"kde-limit", func(_ *T, _ *tape, c *C, _ *S) { c.KMU.Entries = 1 }},
		"more kernels than queues":  {"hwq-limit", func(_ *T, _ *tape, c *C, _ *S) { c.KMU.HWQs = 1 }},
		"a kernel before its stream": {"depends", func(t *T, x *tape, _ *C, _ *S) {
			x.move(x.find(t, "placed", 2, 0), x.find(t, "kernel", 0, 0))
		}},
		"a kernel before its event": {"depends", func(t *T, x *tape, _ *C, _ *S) {
			x.move(x.find(t, "placed", 1, 0), x.find(t, "kernel", 0, 0))
		}},
		"a fast copy": {"link-bandwidth", func(t *T, x *tape, _ *C, _ *S) {
			r := &x.notes[x.find(t, "stage", 0, 0)].stage
			r.End = r.Start + 4000 // 64 KiB at 706 MHz: 11.6 GB/s
		}},
		"two copies at once": {"copy-order", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[x.find(t, "stage", 0, 1)].stage.Start--
		}},
		"a busy channel": {"link-bandwidth", func(_ *T, _ *tape, _ *C, s *S) { carry(s, "dram") }},
		"a busy slice":   {"link-bandwidth", func(_ *T, _ *tape, _ *C, s *S) { carry(s, "l2") }},
		"a busy port":    {"link-bandwidth", func(_ *T, _ *tape, _ *C, s *S) { carry(s, "l1") }},
		"time that goes back": {"time", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[x.find(t, "kernel", 2, 0)].kernel.End = 5
		}},
		"a CTA not counted": {"totals", func(_ *T, _ *tape, _ *C, s *S) { s.CTAs-- }},
	})
}

// carry makes the first part of a level carry more than the run has cycles.
func carry(s *model.Summary, level string) {
	for i := range s.Memory {
		if m := &s.Memory[i]; m.Level == level && m.Index == 0 {
			m.Accesses += uint64(12 * s.Cycles) // sectors; a request may have four
			m.Misses += uint64(12 * s.Cycles)
		}
	}
}

// Faults in a run of device-side launches are found.
func TestAuditorFindsWrongLaunches(t *testing.T) {
	type T = testing.T
	type C = hardware.Config
	type S = model.Summary
	check(t, childrenTrace, "cdp", map[string]fault{
		"a parent that ends first": {"children", func(t *T, x *tape, _ *C, _ *S) {
			x.move(x.find(t, "kernel", 1, 0), x.find(t, "kernel", 3, 0))
		}},
		"a CTA back before its children": {"children", func(t *T, x *tape, _ *C, _ *S) {
			i := x.find(t, "resumed", 1, 0)
			x.notes[i].at = x.notes[x.find(t, "launch", 3, 0)].launch.FirstCTA
			x.move(i, x.find(t, "launch", 3, 0)+1)
		}},
		"a child of a parent that has ended": {"children", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[x.find(t, "launch", 2, 0)].launch.Parent = 0
		}},
		"a child that arrives before the call": {"launch-order", func(t *T, x *tape, _ *C, _ *S) {
			r := &x.notes[x.find(t, "launch", 2, 0)].launch
			r.Arrive = r.Time - 1
		}},
		"a refused child that runs": {"launch-order", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[x.find(t, "launch", 2, 0)].launch.Decision = model.Inline
		}},
		"a device kernel with a group's entry": {"agt", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[x.find(t, "launch", 2, 0)].launch.AGT = 3
		}},
		"a match that is no group": {"agt",
			func(t *T, x *tape, _ *C, _ *S) { x.notes[x.find(t, "launch", 2, 0)].launch.Eligible = true }},
		"a launch not counted": {"totals", func(_ *T, _ *tape, _ *C, s *S) { s.LaunchesMade-- }},
		"an SM held by a CTA that is away": {"sm-limits", func(t *T, x *tape, _ *C, _ *S) {
			x.drop(x.find(t, "suspended", 1, 0))
		}},
	})
	check(t, childrenTrace, "dtbl,match=launched", map[string]fault{
		"an entry for two groups": {"agt", func(t *T, x *tape, _ *C, _ *S) {
			for _, child := range []int{2, 3} {
				r := &x.notes[x.find(t, "launch", child, 0)].launch
				r.Decision, r.Spilled, r.AGT = model.Group, false, 7
			}
		}},
		"an entry that is not there": {"agt", func(t *T, x *tape, _ *C, _ *S) {
			r := &x.notes[x.find(t, "launch", 3, 0)].launch
			r.Decision, r.Spilled, r.AGT = model.Group, false, 1<<20
		}},
	})
}

// The dependences of each kernel of a program, found without running it.
func TestAuditorReadsDependences(t *testing.T) {
	launch := func(stream string) string { return "launch k grid=1 block=32 stream=" + stream + "\n" }
	text := "array a bytes=4K\n" + launch("0") + launch("1") + launch("0") + "record 4 stream=0\n" + launch("2") +
		"wait 4 stream=2\n" + launch("2") +
		"syncstream 1\n" + launch("3") + "h2d a stream=3\n" + launch("4") + "sync\n" + launch("5") + "syncevent 4\n" +
		launch("5")
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	a, err := newAuditor(tracetest.FromText(t, text), cfg, &model.Policy{}, host.NotTasks)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range [][]uint32{{}, {}, {0}, {}, {2, 3}, {1}, {1, 5}, {1, 2, 4, 5, 6}, {1, 2, 4, 5, 6, 7}} {
		a.order.read(uint32(k))
		if got := a.order.deps[uint32(k)]; !slices.Equal(got, want) {
			t.Errorf("kernel %d waits for %v, want %v", k, got, want)
		}
	}
	if _, ok := a.order.deps[8]; !ok || len(a.order.deps) != 9 {
		t.Errorf("%d kernels read", len(a.order.deps))
	}
}

// Every rule of the auditor is in docs/model/auditor.md's table, and is expected by a test that
// breaks it; the table has no other.
func TestAuditorRulesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/model/auditor.md")
	if err != nil {
		t.Fatal(err)
	}
	section := string(doc)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	own, err := filepath.Glob("../../policies/*/audit*.go") // the rules of mechanisms, and tests that break them
	if err != nil {
		t.Fatal(err)
	}
	runs, err := filepath.Glob("../*_test.go") // tests that break a whole run
	if err != nil {
		t.Fatal(err)
	}
	files = append(append(files, own...), runs...)
	rules, tests := map[string]bool{"raw": true, "war": true, "waw": true}, ""
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			tests += string(text)
			continue
		}
		for _, m := range regexp.MustCompile(`\bfail\("([a-z-]+)"`).FindAllStringSubmatch(string(text), -1) {
			rules[m[1]] = true
		}
	}
	for rule := range rules {
		if !strings.Contains(section, "`"+rule+"`") {
			t.Errorf("docs/model/auditor.md does not say what %s means", rule)
		}
		if !regexp.MustCompile(`"[^"\n]*\b` + rule + `\b[^"\n]*"`).MatchString(tests) {
			t.Errorf("no test expects %s", rule)
		}
	}
	for line := range strings.Lines(section) {
		head, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		for _, m := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(head, -1) {
			if strings.HasPrefix(line, "| ") && !rules[m[1]] {
				t.Errorf("docs/model/auditor.md has a rule %s that the auditor has not", m[1])
			}
		}
	}
}
