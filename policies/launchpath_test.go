package policies_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/trace/tracetest"
)

// The latencies of DTBL's table 3, and the latency of one call of x lanes.
const (
	dispatch = 283
	stream   = 7165
	device1  = stream + 8023 + 129 + 12187 + 1592   // 29096: one device kernel
	device2  = stream + 8023 + 258 + 12187 + 3184   // 30817: two
	device3  = stream + 8023 + 387 + 12187 + 3*1592 // 32538: three
	group1   = 8023 + 129 + 1                       // 8153: one group: the parameter buffer, then the AGT
	group2   = 8023 + 258 + 1                       // 8282: two
	fallback = stream + 12187 + 1592                // 20944: added by a group that finds no kernel
)

// kepler is a K20c of some SMs on which the host's launches take no time and a
// warp issues one instruction a cycle: warps of four CTAs on an SM do not share
// a scheduler.
func kepler(t testing.TB, sms int, blocks bool) *hardware.Config {
	t.Helper()
	c, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	c.SM.Count, c.SM.IssueWidth = sms, 1
	c.Host.LaunchLatency, c.Host.LaunchOverheadNs = 0, 0
	c.Launch.BlocksWarp = blocks
	return c
}

// launchRun replays a text under a policy and keeps the log of its launches.
func launchRun(t testing.TB, text string, cfg *hardware.Config, policy string) (*launchLog, *model.Summary) {
	t.Helper()
	cs, err := policies.Parse(policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, machine, err := cs[0].Build(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l := &launchLog{}
	m, err := model.New(tracetest.FromText(t, text), model.Options{Config: machine, Policy: p, Observer: l})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := m.Run(context.Background())
	if err != nil {
		t.Fatalf("%s: %v", policy, err)
	}
	audited(t, tracetest.FromText(t, text), cfg, cs)
	return l, sum
}

// expect compares times with those worked out by hand.
func expect(t *testing.T, times ...any) {
	t.Helper()
	for i := 0; i < len(times); i += 3 {
		if got, want := times[i+1].(model.Time), times[i+2]; got != int64(want.(int)) {
			t.Errorf("%s: cycle %d, want %d", times[i], got, want)
		}
	}
}

const twoLanes = `
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 1 lane=0..1 work=1 params=64 marked
  exit
kernel work grid=1 block=32 child
cta 0
 warp 0
  exit
kernel work grid=1 block=32 child
cta 0
 warp 0
  exit
`

// 1. Two lanes of a warp launch. The parent's CTA is placed and issues its call
// at 283. The call takes 30,817 cycles: both children reach the KMU at 31,100 and
// the distributor 283 later; one CTA is placed a cycle. A child of one instruction
// placed at p ends its CTA at p+1, its kernel at p+2. The parent's kernel ends one
// cycle after its last child.
func TestTwoLanesLaunch(t *testing.T) {
	const arrive = dispatch + device2
	for _, blocks := range []bool{true, false} {
		l, sum := launchRun(t, twoLanes, kepler(t, 2, blocks), "cdp")
		parentEnds := dispatch + 2 // call, exit
		if blocks {
			parentEnds = arrive + 1 // the exit goes when the call is over
		}
		expect(t,
			"arrival of child 1", l.launch(t, 1).Arrive, arrive,
			"arrival of child 2", l.launch(t, 2).Arrive, arrive,
			"first CTA of child 1", l.launch(t, 1).FirstCTA, arrive+dispatch,
			"first CTA of child 2", l.launch(t, 2).FirstCTA, arrive+dispatch+1,
			"end of child 1", l.kernel(t, 1).End, arrive+dispatch+2,
			"end of child 2", l.kernel(t, 2).End, arrive+dispatch+3,
			"end of the parent's CTA", l.cta(t, 0, 0).End, parentEnds,
			"end of the parent", l.kernel(t, 0).End, arrive+dispatch+4,
		)
		// 64 + 1024 bytes each, from the call to the first CTA.
		const held = 2*(device2+dispatch) + 1
		if sum.PendingLaunchPeakBytes != 2176 {
			t.Errorf("peak of %d bytes, want 2176", sum.PendingLaunchPeakBytes)
		}
		if got, want := metric(sum, "pending_launch_mean_bytes"), 1088.0*held/float64(arrive+dispatch+4); got != want {
			t.Errorf("mean of %v bytes, want %v", got, want)
		}
		if got, want := metric(sum, "child_waiting_mean_cycles"), device2+dispatch+0.5; got != want {
			t.Errorf("children wait %v cycles, want %v", got, want)
		}
		if got := metric(sum, "child_queueing_mean_cycles"); got != dispatch+0.5 {
			t.Errorf("children queue %v cycles, want %v", got, dispatch+0.5)
		}
	}
}

// 2. The distributor has two entries. Three children arrive at 32,821; two are
// dispatched and run 101 instructions. The third is dispatched when the first has
// ended, at 33,104 + 101 + 1.
func TestKDEFull(t *testing.T) {
	text := `
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 1 lane=0..2 work=1 params=64 marked
  exit
` + children(3, "int x100")
	cfg := kepler(t, 2, false)
	cfg.KMU.Entries = 2
	l, _ := launchRun(t, text, cfg, "cdp")
	const first = dispatch + device3 + dispatch
	expect(t,
		"first CTA of child 1", l.launch(t, 1).FirstCTA, first,
		"first CTA of child 2", l.launch(t, 2).FirstCTA, first+1,
		"end of child 1", l.kernel(t, 1).End, first+102,
		"arrival of child 3", l.launch(t, 3).Arrive, dispatch+device3,
		"first CTA of child 3", l.launch(t, 3).FirstCTA, first+102+dispatch,
	)
}

// children is the text of n child kernels of one CTA of a warp.
func children(n int, body string) string {
	text := ""
	for range n {
		text += "kernel work grid=1 block=32 child\ncta 0\n warp 0\n  " + body + "\n  exit\n"
	}
	return text
}

// lateGroup has a CTA that launches at 283 and one on another SM that launches
// after n instructions.
func lateGroup(n string) string {
	return `
launch parent grid=2 block=32
cta 0
 warp 0
  devlaunch
  child 1 lane=0 work=1 params=64 marked
  exit
cta 1
 warp 0
  int x` + n + `
  devlaunch
  child 2 lane=0 work=1 params=64 marked
  exit
` + children(2, "int x10000")
}

// 3. No kernel is eligible at 8,436, so the first group becomes a device kernel. The SMX scheduler hands it to the
// KMU in the next cycle, dispatch takes 283. It is in the distributor from 8,720 to 18,722, and its warp goes on at
// 8,436. With the rest of the calls, 20,944 cycles, it is there from 29,663 to 39,665. The second CTA, placed at
// 284, launches late; its group joins the kernel, whose CTAs have all been placed, and starts a cycle later. The
// kernel ends when the group does.
func TestGroupBecomesAKernelThatALaterOneJoins(t *testing.T) {
	for _, c := range []struct{ policy, late string }{{"dtbl,match=kde", "5000"},
		{"dtbl,match=kde,fallback=api", "25000"}} {
		l, sum := launchRun(t, lateGroup(c.late), kepler(t, 2, true), c.policy)
		first, second := l.launch(t, 1), l.launch(t, 2)
		arrives, goesOn := dispatch+group1+1, dispatch+group1 // 8437, 8436
		if c.late == "25000" {
			arrives = dispatch + group1 + fallback // 29380
			goesOn = arrives
		}
		late, _ := strconv.Atoi(c.late)
		native, joins := arrives+dispatch, 284+late+group1
		expect(t,
			"arrival of the first at the KMU", first.Arrive, arrives,
			"its CTA", first.FirstCTA, native,
			"end of its parent's CTA", l.cta(t, 0, 0).End, goesOn+1,
			"arrival of the second", second.Arrive, joins,
			"its CTA", second.FirstCTA, joins+1,
			"end of the native CTA", l.cta(t, 1, 0).End, native+10001,
			"end of the aggregated CTA", l.group(t, 2).End, joins+1+10001,
			"end of the kernel", l.kernel(t, 1).End, joins+1+10001+1,
		)
		if first.Eligible || first.Decision != model.DeviceKernel || first.Reason != "no eligible kernel" {
			t.Errorf("%s: the first group: %+v", c.policy, first)
		}
		if !second.Eligible || second.Decision != model.Group || second.AGT != 0 || second.Spilled {
			t.Errorf("%s: the second group: %+v", c.policy, second)
		}
		if k := l.kernel(t, 1); k.CTAs != 2 || sum.LaunchesCoalesced != 1 || sum.Kernels != 2 {
			t.Errorf("%s: the kernel ran %d CTAs, %d groups joined, %d kernels", c.policy, k.CTAs, sum.LaunchesCoalesced,
				sum.Kernels)
		}
	}
}

// 4. As 3, but the second group arrives at 8,537, before the first has reached the distributor. By the paper's text
// alone it finds none either. Where groups may join kernels on their way, it waits for the first and starts a cycle
// after it.
func TestGroupJoinsWhatIsOnItsWay(t *testing.T) {
	const late, native = 284 + 100 + group1, dispatch + group1 + 1 + dispatch // 8537, 8720
	l, _ := launchRun(t, lateGroup("100"), kepler(t, 2, true), "dtbl,match=kde")
	if r := l.launch(t, 2); r.Eligible {
		t.Errorf("the second group joins a kernel that is not in the distributor: %+v", r)
	}
	expect(t, "CTA of the second, a kernel of its own", l.launch(t, 2).FirstCTA, late+1+dispatch)
	l, _ = launchRun(t, lateGroup("100"), kepler(t, 2, true), "dtbl")
	expect(t,
		"CTA of the first", l.launch(t, 1).FirstCTA, native,
		"arrival of the second", l.launch(t, 2).Arrive, late,
		"its CTA", l.launch(t, 2).FirstCTA, native+1,
	)
}

// nativeAndLate is a kernel of the children's function that the host launches, with so many CTAs of 20,001
// instructions. Behind it come a kernel of another function, and a parent whose group arrives at 283 + 8153 =
// 8,436.
func nativeAndLate(natives int) string {
	last := strconv.Itoa(natives - 1)
	return `
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 3 lane=0 work=1 params=64 marked
  int x60000
  exit
launch work grid=` + strconv.Itoa(natives) + ` block=32 stream=1
cta 0..` + last + `
 warp 0
  int x20000
  exit
launch other grid=1 block=32 stream=2
cta 0
 warp 0
  int x20000
  exit
` + children(1, "int x20000")
}

// 5. An SM of three CTAs holds the parent (placed at 283) and two native CTAs (284, 285), which end at 20,285 and
// 20,286; their places are given out a cycle later. With two native CTAs their kernel was unmarked at 285: the
// group marks it again, behind the other kernel, which is served first. With three the kernel is still marked: its
// third CTA goes first, then its group, then the other kernel, whose turn comes when that third CTA has run 20,001
// cycles.
func TestGroupBeforeAndAfterUnmarking(t *testing.T) {
	cfg := kepler(t, 1, false)
	cfg.SM.MaxCTAs = 3
	l, _ := launchRun(t, nativeAndLate(2), cfg, "dtbl")
	expect(t,
		"arrival of the group", l.launch(t, 3).Arrive, dispatch+group1,
		"unmarked: the other kernel", l.cta(t, 2, 0).Dispatch, 20286,
		"unmarked: the group", l.launch(t, 3).FirstCTA, 20287,
	)
	l, _ = launchRun(t, nativeAndLate(3), cfg, "dtbl")
	expect(t,
		"marked: the third native CTA", l.cta(t, 1, 2).Dispatch, 20286,
		"marked: the group", l.launch(t, 3).FirstCTA, 20287,
		"marked: the other kernel", l.cta(t, 2, 0).Dispatch, 20286+20001+1,
	)
}

// 6. Two lanes launch into an AGT of one entry. The first group has the entry. The second stays in global memory,
// where its SM has just written it: a read of the L2 of 6 + 120 + 1 + 6 cycles, when it is its turn.
func TestAGTCollision(t *testing.T) {
	text := `
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 2 lane=0..1 work=1 params=64 marked
  exit
launch work grid=1 block=32 stream=1
cta 0
 warp 0
  int x20000
  exit
` + children(2, "int x5")
	l, sum := launchRun(t, text, kepler(t, 2, true), "dtbl,agt=1,ahead=1")
	first, second := l.launch(t, 2), l.launch(t, 3)
	if first.AGT != 0 || first.Spilled || second.AGT != -1 || !second.Spilled {
		t.Errorf("the groups have entries %d (spilled: %v) and %d (%v)", first.AGT, first.Spilled, second.AGT, second.Spilled)
	}
	const found = dispatch + group2
	expect(t,
		"CTA of the first", first.FirstCTA, found+1,
		"CTA of the second", second.FirstCTA, found+2+133,
	)
	if got := metric(sum, "agt_spilled_groups"); got != 1 {
		t.Errorf("%v groups spilled, want 1", got)
	}
	// With three of them, two spilled, the third is read behind the second. Read ahead,
	// the second is requested with the first at the head, a cycle late since the third's
	// record is still being written through the same port.
	three := strings.Replace(text, "lane=0..1", "lane=0..2", 1) + children(1, "int x5")
	const found3 = dispatch + 8023 + 3*129 + 1
	l, _ = launchRun(t, three, kepler(t, 2, true), "dtbl,agt=1,ahead=1")
	expect(t, "CTA of the third", l.launch(t, 4).FirstCTA, found3+2+133+1+133)
	l, _ = launchRun(t, three, kepler(t, 2, true), "dtbl,agt=1")
	expect(t, "read ahead, CTA of the second", l.launch(t, 3).FirstCTA, found3+1+1+133)
	l, _ = launchRun(t, text, kepler(t, 2, true), "dtbl,agt=2,alloc=hash")
	expect(t, "with two entries, CTA of the second", l.launch(t, 3).FirstCTA, found+2)

	// A first group of 200 CTAs takes 200 cycles, in which the second record comes.
	text = strings.Replace(text, "kernel work grid=1 block=32 child\ncta 0\n",
		"kernel work grid=200 block=32 child\ncta 0..199\n", 1)
	l, _ = launchRun(t, text, kepler(t, 13, true), "dtbl,agt=1")
	expect(t, "behind 200 CTAs, CTA of the second", l.launch(t, 3).FirstCTA, found+1+200)
}

// 7. Two CTAs on two SMs, each in slot 0 of its SM, launch a group from lane 0 at 283 and 284; a kernel of the host
// is there for both to join. The hash names entry 0 for both, so that the second is spilled although 1,023 entries
// are free. It is read from the L2, 133 cycles from when NAGEI points at it. A free list gives it entry 1.
func TestFreeEntriesOfTheAGT(t *testing.T) {
	text := `
launch parent grid=2 block=32
cta 0
 warp 0
  devlaunch
  child 2 lane=0 work=1 params=64 marked
  exit
cta 1
 warp 0
  devlaunch
  child 3 lane=0 work=1 params=64 marked
  exit
launch work grid=1 block=32 stream=1
cta 0
 warp 0
  int x20000
  exit
` + children(2, "int x5")
	const joins = dispatch + group1 // 8436, and a cycle later
	for policy, want := range map[string][2]int{"dtbl": {1, joins + 2}, "dtbl,alloc=hash": {-1, joins + 2 + 133}} {
		l, _ := launchRun(t, text, kepler(t, 2, true), policy)
		first, second := l.launch(t, 2), l.launch(t, 3)
		if first.AGT != 0 || int(second.AGT) != want[0] || second.Spilled != (want[0] < 0) {
			t.Errorf("%s: entries %d and %d, want 0 and %d", policy, first.AGT, second.AGT, want[0])
		}
		expect(t, policy+": CTA of the first", first.FirstCTA, joins+1, policy+": CTA of the second", second.FirstCTA,
			want[1])
	}
}

// 8. As 1, on a machine whose KMU dispatches one kernel at a time: the second reaches
// the distributor 283 cycles after the first.
func TestSerialDispatch(t *testing.T) {
	cfg := kepler(t, 2, true)
	cfg.KMU.SerialDispatch = true
	l, _ := launchRun(t, twoLanes, cfg, "cdp")
	const arrive = dispatch + device2
	expect(t,
		"first CTA of child 1", l.launch(t, 1).FirstCTA, arrive+dispatch,
		"first CTA of child 2", l.launch(t, 2).FirstCTA, arrive+2*dispatch,
		"end of the parent", l.kernel(t, 0).End, arrive+2*dispatch+3,
	)
}

// 9. Lane 0 requests a child of three threads and is refused. Its function has a flat form: a and c are left out, b
// stays, d runs once behind the last thread. So the lane issues b, b, b, d from 284 on and the exit at 288. Without
// a flat form it issues nine instructions, and the exit at 293.
func TestFlatBody(t *testing.T) {
	text := func(a, b, c string) string {
		return "function work\n a: int" + a + "\n b: int" + b + "\n c: control" + c + "\n d: fp32\n" + `
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 1 lane=0 work=3 params=64 marked
  exit
kernel work grid=1 block=32 child
cta 0
 warp 0
  a
  b
  c
`
	}
	for _, c := range []struct {
		text       string
		end, insts int
	}{{text("", "", ""), 294, 11}, {text(" each=none", " last=3", " each=none"), 289, 6},
		{text(" each=3", "", " each=none last=3"), 292, 9}} {
		l, sum := launchRun(t, c.text, kepler(t, 1, false), "flat")
		expect(t, "end of the parent's CTA", l.cta(t, 0, 0).End, c.end)
		if sum.WarpInsts != uint64(c.insts) {
			t.Errorf("%d instructions, want %d", sum.WarpInsts, c.insts)
		}
	}
}
