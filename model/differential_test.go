package model_test

import (
	"flag"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/internal/reference"
	"gpureplay/trace/tracetest"
)

// randomTrace returns a small trace as text: copies, events and a few kernels in a
// few streams, warps of mixed instructions, barriers, accesses close to each other
// and, in some traces, child launches.
func randomTrace(r *rand.Rand) string {
	g := &randomText{r: r, launches: 1 + r.IntN(4), streams: 1 + r.IntN(3)}
	g.child = g.launches
	g.nested = r.IntN(3) == 0
	g.WriteString("array a bytes=1200 base=0x800\n")
	for k := range g.launches {
		g.hostOp()
		fmt.Fprintf(g, "launch k%d ", k)
		g.kernel(1+r.IntN(4), fmt.Sprintf(" stream=%d", r.IntN(g.streams)), 0)
	}
	for n := 0; n < len(g.depths); n++ { // those that have been requested
		fmt.Fprintf(g, "kernel d%d ", n%3)
		g.kernel(1+r.IntN(2), " child", g.depths[n])
	}
	g.hostOp()
	return g.String()
}

// randomText is a random trace on its way.
type randomText struct {
	strings.Builder
	r                 *rand.Rand
	launches, streams int
	nested            bool
	requests          bool  // unlike each other: marked or not, more or less work
	flat              bool  // the kernel's function has a flat form: [flatFunction]
	child             int   // id of the next child kernel
	depths            []int // of the children requested
}

func (g *randomText) kernel(ctas int, where string, depth int) {
	r := g.r
	warps, shared := 1+r.IntN(4), r.IntN(3)*3000
	if g.requests && where == " child" { // of a shape, to join each other
		warps, shared = 1+r.IntN(6)/5, 0
	}
	fmt.Fprintf(g, "grid=%d block=%d shared=%d%s\n", ctas, warps*32, shared, where)
	for c := range ctas {
		fmt.Fprintf(g, "cta %d\n", c)
		for w := range warps {
			fmt.Fprintf(g, "warp %d\n", w)
			for range 1 + r.IntN(14) {
				randomInst(r, g)
				if g.flat && r.IntN(2) == 0 {
					at := 0x1000 + 4*r.IntN(300)
					g.WriteString([]string{"a", "d", fmt.Sprintf("b @0x%x+4", at), fmt.Sprintf("c @0x%x+8", at)}[r.IntN(4)] + "\n")
				}
				if g.requests && r.IntN(8) == 0 {
					fmt.Fprintf(g, "int R1 <- R1 x%d\n", r.IntN(150))
				}
				if g.nested && r.IntN(10) == 0 {
					g.ask(depth)
				}
			}
			if r.IntN(5) > 0 {
				g.WriteString("exit\n")
			}
		}
	}
}

// ask lets a warp launch children, or wait for its CTA's.
func (g *randomText) ask(depth int) {
	r := g.r
	n, most := 1+r.IntN(2), 8
	if g.requests {
		n, most = 1+r.IntN(5), 16
	}
	if r.IntN(2) == 0 || depth == 2 || len(g.depths)+n > most {
		g.WriteString("devsync\n")
		return
	}
	if g.requests {
		g.WriteString("devlaunch mask=ffffffff\n")
		for lane := range n {
			fmt.Fprintf(g, "child %d lane=%d work=%d params=64%s%s\n", g.child, 5*lane+r.IntN(5),
				r.IntN([]int{3, 6, 40}[r.IntN(3)]),
				[]string{" marked", " marked", ""}[r.IntN(3)], []string{"", " shared"}[r.IntN(2)])
			g.child++
			g.depths = append(g.depths, depth+1)
		}
		return
	}
	shared := []string{"", " shared"}[r.IntN(2)]
	fmt.Fprintf(g, "devlaunch mask=ffffffff\nchild %d lane=0..%d work=1 params=64 marked%s\n", g.child, n-1, shared)
	g.child += n
	for range n {
		g.depths = append(g.depths, depth+1)
	}
}

func (g *randomText) hostOp() {
	r := g.r
	for range r.IntN(3) {
		st := r.IntN(g.streams)
		async := []string{"", " async"}[r.IntN(2)]
		switch r.IntN(9) {
		case 0:
			fmt.Fprintf(g, "h2d a bytes=%d stream=%d%s\n", r.IntN(900), st, async)
		case 1:
			fmt.Fprintf(g, "d2h a bytes=%d stream=%d%s\n", r.IntN(900), st, async)
		case 2:
			fmt.Fprintf(g, "memset a stream=%d%s\n", st, async)
		case 3:
			fmt.Fprintf(g, "record %d stream=%d\n", r.IntN(2), st)
		case 4:
			fmt.Fprintf(g, "wait %d stream=%d\n", r.IntN(2), st)
		case 5:
			fmt.Fprintf(g, "syncevent %d\n", r.IntN(2))
		case 6:
			fmt.Fprintf(g, "syncstream %d\n", st)
		case 7:
			g.WriteString("sync\n")
		case 8:
			fmt.Fprintf(g, "work ns=%d\n", 10*r.IntN(40))
		}
	}
}

func randomInst(r *rand.Rand, b io.Writer) {
	reg := func() string { return fmt.Sprintf("R%d", 1+r.IntN(6)) }
	if r.IntN(8) == 0 {
		fmt.Fprintf(b, "int mask=%08x\n", r.Uint32()&r.Uint32())
	} else if r.IntN(4) == 0 {
		io.WriteString(b, "int mask=ffffffff\n")
	}
	width := []int{1, 2, 4, 8, 16}[r.IntN(5)]
	at := fmt.Sprintf("@0x%x%+d", 0x1000+r.IntN(300)*4, []int{0, 0, 1, 4, 4, 4, 8, 16, 32, 128, 512, -4}[r.IntN(12)])
	switch r.IntN(18) {
	case 0, 1:
		fmt.Fprintf(b, "int %s <- %s %s\n", reg(), reg(), reg())
	case 2:
		fmt.Fprintf(b, "%s %s <- %s\n", []string{"fp16", "fp32", "fp64", "sfu", "tensor", "uniform"}[r.IntN(6)], reg(), reg())
	case 3:
		fmt.Fprintf(b, "control <- %s\n", reg())
	case 4:
		fmt.Fprintf(b, "barrier imm=%d\n", r.IntN(8)/6)
	case 5:
		io.WriteString(b, "fence\n")
	case 6:
		fmt.Fprintf(b, "load shared w%d %s <- %s %s\n", width, reg(), reg(), at)
	case 7:
		fmt.Fprintf(b, "store shared w%d <- %s %s\n", width, reg(), at)
	case 8:
		fmt.Fprintf(b, "load constant %s\n", reg())
	case 9, 10:
		fmt.Fprintf(b, "load w%d %s <- %s %s\n", width, reg(), reg(), at)
	case 11:
		fmt.Fprintf(b, "load bypass %s <- %s %s\n", reg(), reg(), at)
	case 12:
		fmt.Fprintf(b, "store w%d <- %s %s\n", width, reg(), at)
	case 13:
		if r.IntN(3) == 0 { // bins of a histogram
			bins, values := make([]string, 2+r.IntN(31)), 1+r.IntN(9)
			for i := range bins {
				bins[i] = fmt.Sprintf("0x%x", 0x1000+r.IntN(values)*4)
			}
			at = fmt.Sprintf("mask=%08x @%s", uint64(1)<<len(bins)-1, strings.Join(bins, ","))
		}
		fmt.Fprintf(b, "atomic w%d %s <- %s %s\n", width, reg(), reg(), at)
	case 14:
		fmt.Fprintf(b, "load local w%d %s <- %s @0x%x+0\n", max(4, width), reg(), reg(), 4*r.IntN(40))
	case 15:
		fmt.Fprintf(b, "store local w%d <- %s @0x%x+0\n", max(4, width), reg(), 4*r.IntN(40))
	case 16:
		if r.IntN(2) == 0 {
			fmt.Fprintf(b, "load texture w0 %s <- %s\n", reg(), reg())
			break
		}
		fmt.Fprintf(b, "load texture w%d %s <- %s %s\n", width, reg(), reg(), at)
	case 17: // real ones have up to 12 operands: a matrix product of 64 bits, a bulk copy
		kind := []string{"int", "tensor", "fp64", "load w16", "store", "load shared"}[r.IntN(6)]
		io.WriteString(b, kind)
		for range r.IntN(5) {
			io.WriteString(b, " "+reg())
		}
		io.WriteString(b, " <-")
		for range 1 + r.IntN(8) {
			io.WriteString(b, " "+strings.Replace(reg(), "6", "255", 1))
		}
		if strings.Contains(kind, "o") && kind != "tensor" {
			io.WriteString(b, " "+at)
		}
		io.WriteString(b, "\n")
	}
}

// randomMachine returns changes of the tiny machine.
func randomMachine(r *rand.Rand) []string {
	var all []string
	set := func(key string, values ...any) {
		all = append(all, fmt.Sprintf("%s=%v", key, values[r.IntN(len(values))]))
	}
	set("sm.count", 1, 2, 3)
	set("sm.schedulers", 1, 2, 4, 8)
	set("sm.issue_width", 1, 2)
	set("sm.warp_scheduler", "gto", "gty", "lrr")
	set("sm.max_ctas", 1, 2, 4)
	set("sm.operand_collectors", 0, 1, 4)
	set("sm.pipeline_depth", 0, 5)
	set("sm.cta_launch_latency", 0, 90)
	set("sm.atomics_hold_warp", true, false)
	set("sm.max_warps", 16, 16, 32, 64)
	for _, unit := range []string{"int", "fp16", "fp32", "fp64", "sfu", "tensor", "control", "uniform", "texture"} {
		set("exec."+unit+".initiation", 1, 2, 5)
		set("exec."+unit+".latency", 1, 4, 70)
	}
	set("sm.atomic_conflicts", "merged", "split", "serial")
	set("l1.bypass_latency", 0, 20)
	set("sm.warp_launch_gap", 0, 1, 7)
	set("sm.exit_latency", 1, 2, 6)
	set("l1.mshrs", 0, 1, 4)
	set("l1.merge", 0, 1, 4)
	set("l1.miss_queue", 1, 4, 64)
	set("l1.ways", 1, 2, 4, 32)
	set("l1.latency", 1, 20, 90)
	set("l1.banks", 1, 2, 4)
	set("shared.latency", 1, 10, 70)
	shared := r.IntN(8)
	all = append(all, fmt.Sprintf("shared.banks=%d", 16<<(shared&1)), fmt.Sprintf("shared.writeback=%d", 4+shared>>2))
	all = append(all, "shared.wide="+[]string{"passes", "first"}[shared>>1&1])
	set("l1.write_allocate", true, false)
	set("l1.global_loads", true, true, false)
	if r.IntN(3) == 0 { // one store with shared memory
		all = append(all, "l1.ways=4", "l1.carveouts=0,6016,16384", "l1.unified=18432")
	}
	set("icnt.flit_bytes", 16, 40)
	set("icnt.latency", 0, 5, 100)
	set("icnt.queue", 0, 0, 3, 512)
	set("icnt.head_of_line", true, false)
	set("memory.engine", "cycle", "reserve")
	line := []int{32, 64, 128, 128}[r.IntN(4)]
	all = append(all, fmt.Sprintf("l1.line_bytes=%d", line), fmt.Sprintf("l2.line_bytes=%d", line))
	channels, slices := 1+r.IntN(2), 1+r.IntN(2)
	all = append(all, fmt.Sprintf("l2.slices=%d", channels*slices), fmt.Sprintf("dram.channels=%d", channels))
	set("l2.copies_warm", true, false)
	set("l2.bytes", 2048, 8192)
	set("l2.ways", 1, 2, 4)
	set("l2.latency", 1, 30, 200)
	set("l2.mshrs", 0, 1, 8)
	set("l2.merge", 0, 1, 4)
	set("l2.miss_queue", 1, 4, 64)
	set("l2.queue", 1, 4, 64)
	set("l2.hash", "linear", "xor")
	set("dram.window", 1, 4, 64)
	set("dram.banks", 1, 4, 16)
	set("dram.row_bytes", 256, 1024)
	set("dram.latency", 0, 40)
	set("dram.data_rate", 1, 2)
	set("dram.trrd", 0, 7)
	set("dram.tccd", 1, 5)
	set("dram.bus_bytes", 4, 16, 32)
	set("dram.trefi", 0, 0, 100, 333)
	set("dram.trfc", 0, 13, 40)
	set("clock.dram_mhz", 1000, 850, 1750)
	set("clock.icnt_mhz", 1000, 700, 1300)
	set("clock.l2_mhz", 1000, 900)
	set("tlb.entries", 0, 0, 2)
	set("tlb.miss_latency", 50)
	set("tlb.page_bytes", 512)
	set("kmu.hwqs", 1, 2, 32)
	set("kmu.entries", 1, 2, 32)
	set("kmu.ctas_per_cycle", 1, 2, 0.37, 1.6)
	set("kmu.dispatch_latency", 0, 7)
	set("kmu.serial_dispatch", false, false, true)
	set("host.launch_latency", 0, 30)
	set("host.launch_overhead_ns", 0, 26)
	set("host.copy_call_ns", 0, 40)
	set("host.copy_latency_ns", 0, 100)
	set("host.pcie_gb_s", 1, 7)
	set("launch.stream_create", 0, 40)
	set("launch.param_base", 0, 60)
	set("launch.param_per_lane", 5)
	set("launch.device_base", 0, 300)
	set("launch.device_per_lane", 7)
	set("launch.blocks_warp", true, false)
	set("launch.stream_per_child", true, false)
	set("launch.device_sync", 1, 9)
	l2Block := 32 << r.IntN(1+bits.Len(uint(line/64))) // up to the line
	l1Block := 32 << r.IntN(1+bits.Len(uint(l2Block/64)))
	all = append(all, fmt.Sprintf("l1.sector_bytes=%d", l1Block), fmt.Sprintf("l2.sector_bytes=%d", l2Block))
	set("l2.write_back", true, true, false)
	all = append(all, randomLayout(r)...)
	set("dram.return", 0, 0, 3, 60)
	randomDRAM(set)
	all = append(all, randomCollectors(r, all)...)
	set("sm.result_buses", 0, 0, 1, 2, 3, 8)
	return append(all, storesHold(all))
}

// differ collects the machine's records, in the reference model's form.
type differ struct {
	work [5]uint64 // accesses and hits of L1 and L2, reads of DRAM, of all kernels
	eventLog
	n     map[[3]uint32]uint32
	insts map[reference.InstKey][2]model.Time
	ctas  map[[3]uint32][3]model.Time
	asked map[uint32]string // the outcome of each request, by child
	tasks map[uint32]string // their times
	ended []reference.KernelEnd
	steps []string // stages of the host's program, where kernels overlap
}

func newDiffer() *differ {
	return &differ{
		n: map[[3]uint32]uint32{}, insts: map[reference.InstKey][2]model.Time{}, ctas: map[[3]uint32][3]model.Time{},
		asked: map[uint32]string{}, tasks: map[uint32]string{},
	}
}

func (d *differ) Stage(r *model.StageRecord) {
	of := r.Array
	if r.Stage == model.StageProfiler {
		of = r.Kernel
	}
	if r.Stage != model.StageKernel {
		d.steps = append(d.steps, fmt.Sprintf("%v of %d: %d to %d, %d bytes", r.Stage, int32(of), r.Start, r.End, r.Bytes))
	}
}

func (d *differ) Inst(r *exec.InstRecord) {
	w := [3]uint32{r.Kernel, r.CTA, r.Warp}
	d.insts[reference.InstKey{Kernel: r.Kernel, CTA: r.CTA, Warp: r.Warp, N: d.n[w]}] = [2]model.Time{r.Issue, r.Done}
	d.n[w]++
}

func (d *differ) Launch(r *model.LaunchRecord) {
	d.asked[r.Child] = reference.Request(r)
}

func (d *differ) Task(r *model.TaskRecord) {
	d.tasks[r.Kernel] = reference.Task(r)
}

func (d *differ) CTA(r *model.CTARecord) {
	d.ctas[[3]uint32{r.Kernel, r.Child, r.CTA}] = [3]model.Time{model.Time(r.SM), r.Dispatch, r.End}
}

func (d *differ) Kernel(r *model.KernelRecord) {
	d.ended = append(d.ended, reference.KernelEnd{Kernel: r.ID, Dispatch: r.Dispatch, First: r.FirstCTA, At: r.End})
	w := &r.Work
	for i, n := range []uint64{w.L1Accesses, w.L1Hits, w.L2Accesses, w.L2Hits, w.DRAMReads} {
		d.work[i] += n
	}
}

var onlySeed = flag.Int64("seed", 0, "the only seed that is compared with the reference model; 0: all")

var allAudited = flag.Bool("audited", false, "the auditor reads every random trace's run, not one in eight")

var someTraces = flag.Int("traces", 0, "random traces of each kind that are compared with the reference model; "+
	"0: 2000, or as many as a few seconds of a processor allow")

// The machine agrees with the reference model in every instruction's issue and result, every CTA's place and times,
// every kernel's times and the counts of caches and channels.
func TestAgainstReference(t *testing.T) {
	compareMany(t, 8*time.Second, 300, anyTrace)
}

func anyTrace(r *rand.Rand) (text string, machine []string) { return randomTrace(r), randomMachine(r) }

// compareMany compares the two machines on random traces, from one seed each, for at most some time of processors.
func compareMany(t *testing.T, most time.Duration, short int, random func(*rand.Rand) (text string, machine []string)) {
	traces, until := *someTraces, spent()+24*time.Hour
	if traces == 0 {
		traces, until = 2000, spent()+most
		if testing.Short() {
			traces = short
		}
	}
	var next atomic.Int64
	if *onlySeed > 0 {
		next.Store(*onlySeed - 1)
		traces = int(*onlySeed)
	}
	for shard := range runtime.GOMAXPROCS(0) {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			for seed := next.Add(1); seed <= int64(traces); seed = next.Add(1) {
				compareSeed(t, seed, random)
				if spent() > until {
					t.Logf("%d traces of %d", seed, traces)
					return
				}
			}
		})
	}
}

func compareSeed(t *testing.T, seed int64, random func(*rand.Rand) (text string, machine []string)) {
	text, machine := random(rand.New(rand.NewPCG(uint64(seed), 7)))
	defer logSeed(t, seed) // also of a run that ends with an error
	if !agree(t, text, machine) {
		t.Fatalf("seed %d: %s\n%s", seed, strings.Join(machine, " "), text)
	}
}

func agree(t *testing.T, text string, machine []string) bool {
	c, policy := tiny(t, machine...)
	tr := tracetest.FromText(t, text)
	d := newDiffer()
	sum := replay(t, tr, c, policy, d)
	// Kernels of a trace that begins so access bytes in no page too.
	if (*allAudited || len(text)%8 == 0) && !strings.HasPrefix(text, "array a bytes=3000") {
		audited(t, tr, c, policy)
	}
	n := reference.New(t, tr, c)
	n.Under(t, policy)
	n.Run(t)
	cycles, warpInsts, threadInsts := n.Cycles()
	ok := !t.Failed() && len(n.Insts()) == len(d.insts) && len(n.CTAs()) == len(d.ctas) && len(n.Ended()) == len(d.ended)
	first, at := "", model.Time(1<<62)
	if c.Memory.Engine == "cycle" {
		forgetAhead(d.insts, n.Insts())
	}
	insts := reference.InOrder(d.insts)
	for k, want := range reference.InOrder(n.Insts()) {
		if got := insts[k]; got != want && want[0] < at {
			first, at = fmt.Sprintf("instruction %+v: issued and done %v, reference model %v", k, got, want), want[0]
		}
	}
	for k, want := range n.CTAs() {
		if got := d.ctas[k]; got != want && want[2] < at {
			first, at = fmt.Sprintf("CTA %v: SM, placed, ended %v, reference model %v", k, got, want), want[1]
		}
	}
	for i, want := range n.Ended() {
		if ok && d.ended[i] != want && want.At < at {
			first, at = fmt.Sprintf("kernel %+v, reference model %+v", d.ended[i], want), want.At
		}
	}
	if first != "" {
		t.Error(first)
	}
	if stages, overlap := n.Stages(); overlap {
		slices.Sort(d.steps)
		slices.Sort(stages)
		if !slices.Equal(d.steps, stages) {
			t.Errorf("stages:\n%s\nreference model:\n%s", strings.Join(d.steps, "\n"), strings.Join(stages, "\n"))
			ok = false
		}
	}
	for k, want := range n.Tasks() {
		if d.tasks[k] != want {
			t.Errorf("task %d:\n%s, reference model:\n%s", k, d.tasks[k], want)
			ok = false
		}
	}
	for child, want := range n.Requests() {
		if d.asked[child] != want {
			t.Errorf("request for kernel %d:\n%s, reference model:\n%s", child, d.asked[child], want)
			ok = false
		}
	}
	if sum.Cycles != cycles {
		t.Errorf("%d cycles, reference model %d", sum.Cycles, cycles)
		ok = false
	}
	got := fmt.Sprintf("%sbusy %d\n%d %d", memoryLog(sum), sum.Memory[2].BusyCycles, sum.WarpInsts, sum.ThreadInsts)
	l1, l2, dram, busy := n.MemoryCounts()
	counted := fmt.Sprintf("l1 %v\nl2 %v\ndram %v\nbusy %d\n%d %d", l1, l2, dram, busy, warpInsts, threadInsts)
	if counted = strings.NewReplacer("{", "", "}", "").Replace(counted); got != counted {
		t.Errorf("accesses, hits, misses, reads and writes; cycles with requests; "+
			"instructions of warps and threads:\n%s\nreference model:\n%s", got, counted)
		ok = false
	}
	if m := sum.Memory; len(n.Requests()) == 0 && len(d.tasks) == 0 { // of others' accesses there are none
		if all := [5]uint64{m[0].Accesses, m[0].Hits, m[1].Accesses, m[1].Hits, m[2].ReadSectors}; d.work != all {
			t.Errorf("kernels have accesses and hits of L1 and L2, and reads of DRAM, of %v, all have %v", d.work, all)
			ok = false
		}
	}
	return ok && first == ""
}
