package exec_test

import (
	"fmt"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/engine"
	"gpureplay/model/program"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// device is one SM without the rest of a machine. It logs each instruction as
// "warp.number issue>done" and each CTA's end.
type device struct {
	t    testing.TB
	cfg  *hardware.Config
	tr   *container.Reader
	sm   *exec.SM
	mem  memory.System
	now  exec.Time
	due  exec.Time // the SM acts next
	log  []string
	ends []exec.Time // of CTAs, in the order of their ends
}

// newDevice makes the SM of the small machine of the promise files, with settings.
func newDevice(t testing.TB, text string, settings ...string) *device {
	t.Helper()
	c, err := hardware.LoadConfig(filepath.Join("..", "testdata", "machine.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		if err := c.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	d := &device{t: t, cfg: c, tr: tracetest.FromText(t, text), mem: engine.New(c), due: never}
	timing := program.NewTiming(&c.Exec, &c.SM)
	d.sm = exec.New(d, 0, exec.Setup{
		Config: c, Timing: &timing, Library: program.NewLibrary(d.tr, c), Memory: d.mem, Warps: lowest{}, Insts: d,
	})
	return d
}

const never exec.Time = 1 << 62

// lowest issues from the ready warp with the lowest number.
type lowest struct{}

func (lowest) Pick(ready uint64, _ int, _ *[64]uint64) int { return bits.TrailingZeros64(ready) }

func (d *device) Now() exec.Time                                                 { return d.now }
func (d *device) Wake(_ int, t exec.Time)                                        { d.due = min(d.due, t) }
func (d *device) Fail(err error)                                                 { d.t.Fatal(err) }
func (d *device) Horizon(_ *exec.SM, t, _ exec.Time) exec.Time                   { return t }
func (d *device) Blocked(*exec.SM, *exec.Warp, []uint64) bool                    { return false }
func (d *device) Waits(*exec.SM, *exec.Warp) bool                                { return false }
func (d *device) Passed(*exec.CTA, exec.Time)                                    {}
func (d *device) Launch(*exec.SM, *exec.Warp, int, exec.Time) (exec.Time, error) { return 0, nil }
func (d *device) Placed(*exec.CTA)                                               {}
func (d *device) Exited(*exec.CTA, exec.Time, exec.Time)                         {}
func (d *device) Drained(*exec.CTA, exec.Time) exec.Time                         { return 0 }
func (d *device) Ended(_ *exec.CTA, t exec.Time)                                 { d.ends = append(d.ends, t) }
func (d *device) Suspended(*exec.CTA, exec.Time)                                 {}
func (d *device) Resumed(*exec.CTA, exec.Time)                                   {}

func (d *device) Inst(r *exec.InstRecord) {
	d.log = append(d.log, fmt.Sprintf("%d.%d %d>%d", r.Warp, r.Inst, r.Issue, r.Done))
}

// start places the CTAs of kernel 0 in cycle 0.
func (d *device) start() {
	h := new(trace.Kernel)
	if err := d.tr.Kernel(0, h); err != nil {
		d.t.Fatal(err)
	}
	lib := program.NewLibrary(d.tr, d.cfg)
	k := &exec.Kernel{Order: 1, Header: h, Resources: d.cfg.CTAResources(h), Traffic: new(memory.Traffic)}
	cursor, err := d.tr.CTAs(0, 0)
	if err != nil {
		d.t.Fatal(err)
	}
	for range h.CTAs {
		c := new(exec.CTA)
		if err := cursor.Next(&c.Trace); err != nil {
			d.t.Fatal(err)
		}
		c.Reset(k, lib.Code(h.Function), exec.Record{CTA: c.Trace.ID})
		d.sm.Start(c, 0)
	}
}

// run lets the SM act until nothing is left to do.
func (d *device) run() {
	for t := min(d.due, d.mem.Next()); t < never; t = min(d.due, d.mem.Next()) {
		if d.now = t; t > 1e6 {
			d.t.Fatal("the SM goes on for ever")
		}
		if d.due == t {
			d.due = never
			d.due = min(d.due, d.sm.Step(t))
		}
		if d.mem.Next() <= t {
			woken, told := d.mem.Advance(t)
			for range woken {
				d.due = min(d.due, d.sm.Again(t+1))
			}
			for range told {
				d.sm.Known(t)
			}
		}
	}
}

func (d *device) want(log string, ends ...exec.Time) {
	d.t.Helper()
	if got := strings.Join(d.log, ", "); got != log {
		d.t.Errorf("instructions\n%s, want\n%s", got, log)
	}
	if !slices.Equal(d.ends, ends) {
		d.t.Errorf("CTAs end at %d, want %d", d.ends, ends)
	}
}

// A result of latency 4 in a pipeline 2 deep is there 6 cycles after its issue, and a
// dependent instruction waits for it. The warp issues one instruction a cycle, and its CTA
// ends when its last result is there.
func TestResultsAreThereAfterLatencyAndDepth(t *testing.T) {
	d := newDevice(t, "launch k grid=1 block=32\ncta 0\nwarp 0\nint R1 <- R5\nint R2 <- R1\nint R3 <- R5\nexit\n")
	d.start()
	d.run()
	d.want("0.0 0>6, 0.1 6>12, 0.2 7>13, 0.3 8>12", 13)
}

// A unit takes an instruction each initiation interval: FP32's is 2 cycles. Each scheduler
// has its own units, so warps of two schedulers do not wait for each other.
func TestUnitsTakeOneEachInterval(t *testing.T) {
	const text = "launch k grid=1 block=64\ncta 0\nwarp 0..1\nfp32 R1 <- R5\nexit\n"
	one := newDevice(t, text)
	one.start()
	one.run()
	one.want("0.0 0>6, 0.1 1>5, 1.0 2>8, 1.1 3>7", 8)
	two := newDevice(t, text, "sm.schedulers=2")
	two.start()
	two.run()
	two.want("0.0 0>6, 1.0 0>6, 0.1 1>5, 1.1 1>5", 6)
}

// A scheduler of width 2 issues two instructions of a warp in a cycle if they need
// different units and the second needs nothing of the first.
func TestTwoInstructionsIssueTogether(t *testing.T) {
	const text = "launch k grid=1 block=32\ncta 0\nwarp 0\n" +
		"int R1 <- R5\nfp32 R2 <- R5\nint R3 <- R5\nint R4 <- R5\nfp32 R6 <- R4\nexit\n"
	d := newDevice(t, text, "sm.issue_width=2")
	d.start()
	d.run()
	d.want("0.0 0>6, 0.1 0>6, 0.2 1>7, 0.3 2>8, 0.4 8>14, 0.5 8>12", 14)
}

// A warp that arrives first at a barrier issues nothing until the last warp arrives. Both
// go on in the next cycle.
func TestBarrierWaitsForTheLastWarp(t *testing.T) {
	const text = "launch k grid=1 block=64\ncta 0\nwarp 0\nbarrier\nint R1 <- R5\nexit\n" +
		"warp 1\nint R1 <- R5\nint R2 <- R1\nbarrier\nint R3 <- R5\nexit\n"
	d := newDevice(t, text)
	d.start()
	d.run()
	d.want("0.0 0>3, 1.1 1>7, 1.3 7>13, 1.0 8>11, 0.1 9>15, 0.2 10>14, 1.4 11>17, 1.2 12>16", 17)
}

// A CTA books each cycle without an issue of its warps on a reason: 5 on the operand that comes from an ALU, and 4
// on the result that its last warp still waits for.
func TestStallsAddUpToTheTimeOnTheSM(t *testing.T) {
	d := newDevice(t, "launch k grid=1 block=32\ncta 0\nwarp 0\nint R1 <- R5\nint R2 <- R1\nexit\n")
	d.start()
	c := d.sm.CTAs[0]
	d.run()
	d.want("0.0 0>6, 0.1 6>12, 0.2 7>11", 12)
	var want [exec.NumStalls]exec.Time
	want[exec.StallIssue], want[exec.StallMemory] = 5, 4
	if c.Rec.Active != 3 || c.Rec.StallTimes != want {
		t.Errorf("%d cycles active, stalls %d; want 3 and %d", c.Rec.Active, c.Rec.StallTimes, want)
	}
}

// An operand collector reads a register of each bank in the first read of its cycle and in
// each of two later ones, but dispatches before the last. So two registers of one bank cost
// nothing, and three or four cost a cycle. An instruction without registers is a cycle
// sooner.
func TestCollectorReadsARegisterOfABankAtATime(t *testing.T) {
	for _, c := range []struct {
		reads string
		later exec.Time // issue of a dependent instruction
	}{{"", 6}, {" <- R4", 7}, {" <- R4 R8", 7}, {" <- R4 R8 R12", 8}, {" <- R4 R8 R12 R16", 8}, {" <- R4 R5 R6 R7", 7}} {
		d := newDevice(t, "launch k grid=1 block=32\ncta 0\nwarp 0\nfp32 R9 <- R5\nint R1"+c.reads+"\nint R2 <- R1\nexit\n",
			"sm.pipeline=collector", "sm.register_banks=4", "sm.operand_collectors=2")
		d.start()
		d.run()
		if want := fmt.Sprintf("0.2 %d>%d", c.later, c.later); len(d.log) != 4 || d.log[2] != want {
			t.Errorf("int R1%s: %v, want %s third", c.reads, d.log, want)
		}
	}
}

// With a fetch width of 1 a warp gets two instructions a cycle after it has none left, and
// issues them from the cycle after that. With 2 it gets them while it issues.
func TestFetchGivesTwoInstructions(t *testing.T) {
	const text = "launch k grid=1 block=32\ncta 0\nwarp 0\nint R1 <- R5\nint R2 <- R5\nint R3 <- R5\nint R4 <- R5\nexit\n"
	for width, want := range map[string]string{
		"0": "0.0 0>0, 0.1 1>1, 0.2 2>2, 0.3 3>3, 0.4 4>4",
		"1": "0.0 2>2, 0.1 3>3, 0.2 5>5, 0.3 6>6, 0.4 8>8",
		"2": "0.0 1>1, 0.1 2>2, 0.2 3>3, 0.3 4>4, 0.4 5>5",
	} {
		d := newDevice(t, text, "sm.fetch_width="+width, "sm.pipeline=collector", "sm.register_banks=4",
			"sm.operand_collectors=2")
		d.start()
		d.run()
		if got := strings.Join(d.log, ", "); got != want {
			t.Errorf("width %s: %s, want %s", width, got, want)
		}
	}
}

// ended logs the programs that end on a persistent CTA.
type ended struct{ log []string }

func (e *ended) ProgramEnded(warp int, t exec.Time) {
	e.log = append(e.log, fmt.Sprintf("program of %d at %d", warp, t))
}

func (e *ended) WarpEnded(warp int, t exec.Time) {
	e.log = append(e.log, fmt.Sprintf("warp of %d at %d", warp, t))
}

// A resident warp runs a program of its own and tells when the last instruction issues. It
// keeps its resources until its threadblock leaves.
func TestResidentWarpRunsItsProgram(t *testing.T) {
	d := newDevice(t, "launch k grid=1 block=64\ncta 0\nwarp 0\nint R1 <- R5\nint R2 <- R1\nexit\n")
	h := new(trace.Kernel)
	if err := d.tr.Kernel(0, h); err != nil {
		t.Fatal(err)
	}
	e := &ended{}
	r := d.sm.Reserve(&exec.Kernel{Header: h, Resources: d.cfg.CTAResources(h)}, e)
	p := exec.NewPrograms(&d.tr.Program().Functions[0], &d.cfg.SM, [][2]uint32{{0, 2}, {1, 2}})
	r.Run(0, p[0], 0, 5)
	r.Run(1, p[1], 0, 5)
	d.run()
	if got := strings.Join(e.log, ", "); got != "program of 1 at 6, program of 0 at 11" {
		t.Error(got)
	}
	if d.sm.Used.Warps != 2 {
		t.Errorf("%d warps in use, want 2", d.sm.Used.Warps)
	}
	if r.Leave(); d.sm.Used.Warps != 0 {
		t.Errorf("%d warps in use after it has left", d.sm.Used.Warps)
	}
}

// A warp that an atomic holds issues its next instruction, which needs nothing of it, a cycle before one that
// needs its result. So it is whether the time of that is known at once, with the answer, or behind a collector.
func TestAtomicHoldsItsWarp(t *testing.T) {
	collectors := []string{"memory.engine=cycle", "sm.pipeline=collector", "sm.register_banks=4",
		"sm.operand_collectors=2"}
	for name, settings := range map[string][]string{
		"reserve": nil, "cycle": {"memory.engine=cycle"}, "collectors": collectors,
		"fetch": append([]string{"sm.fetch_width=1"}, collectors...),
	} {
		issue := func(next, hold string) (at exec.Time) {
			d := newDevice(t, "launch k grid=1 block=32\ncta 0\nwarp 0\natomic w4 R1 <- R5 @0x10000+4\n"+next+"\nexit\n",
				append([]string{"sm.atomics_hold_warp=" + hold}, settings...)...)
			d.start()
			d.run()
			for _, line := range d.log {
				fmt.Sscanf(line, "0.1 %d>", &at)
			}
			return at
		}
		needs := issue("int R2 <- R1", "false")
		if got := issue("int R2 <- R5", "true"); got != needs-1 || got < 20 {
			t.Errorf("%s: it issues in %d, and one that needs the result in %d", name, got, needs)
		}
		if got := issue("int R2 <- R5", "false"); got > 10 {
			t.Errorf("%s: it issues in %d where nothing holds its warp", name, got)
		}
	}
}
