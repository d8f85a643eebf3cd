package policies_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// narrow is a Maxwell TITAN X with a few SMs on which a byte takes a cycle on
// the link, a copy 100 more, a launch 1000 and its dispatch 10; calls of copies
// take none.
func narrow(t testing.TB, sms int) *hardware.Config {
	t.Helper()
	c, err := hardware.Preset("titanx-maxwell")
	if err != nil {
		t.Fatal(err)
	}
	c.SM.Count = sms
	c.Host.PCIeGBs, c.Host.CopyLatencyNs, c.Host.CopyCallNs = 1, 100, 0
	c.Host.LaunchLatency, c.Host.LaunchOverheadNs, c.KMU.DispatchLatency = 1000, 50, 10
	return c
}

// work is the body of a task of one CTA: warps that compute for steps dependent
// instructions.
func work(warps, steps int) string {
	return fmt.Sprintf("cta 0\n warp 0..%d\n  int x%d R2 <- R2\n  exit\n", warps-1, steps)
}

// tasks returns the tasks of a run by kernel.
func tasks(t testing.TB, l *log, n int) []model.TaskRecord {
	t.Helper()
	byKernel := make([]model.TaskRecord, n)
	if len(l.tasks) != n {
		t.Fatalf("%d tasks ended, want %d", len(l.tasks), n)
	}
	for _, r := range l.tasks {
		byKernel[r.Kernel] = r
	}
	return byKernel
}

// One task in a stream: its input is there after 100 + 200 cycles, its launch at
// 1000, its CTA is placed 10 cycles later; its output takes 100 + 100.
func TestTaskInStream(t *testing.T) {
	l, sum := run(t, "spawn work grid=1 block=32 in=200 out=100\n"+work(1, 1)+"sync\n", narrow(t, 1), "hyperq")
	r := tasks(t, l, 1)[0]
	if r.Spawn != 0 || r.Copied != 300 || r.Schedulable != 1000 || r.FirstWarp != 1010 || r.Back != r.End+200 ||
		sum.Cycles != r.Back {
		t.Errorf("the task is %+v, the run ends at %d", r, sum.Cycles)
	}
	// Both instructions issue by 1012; the exit waits for none, and the end of the kernel is told a cycle after its
	// CTA's.
	if r.End < 1012 || r.End > 1012+20 {
		t.Errorf("a task of two instructions placed at 1010 ends at %d", r.End)
	}
}

// Calls keep the one host thread: two copies of 100 bytes, called at 0 and 30, a
// launch called at 60 and an output behind it. The second task's first call is at
// 60 + 50 + 30. The link takes a copy when its stream comes to it: at 0, at 140 (the
// second task's first), at 200 and at 400, each for 200 cycles.
func TestCallsOfTasksInStreams(t *testing.T) {
	cfg := narrow(t, 1)
	cfg.Host.CopyCallNs = 30
	l, _ := run(t, strings.Repeat("spawn work grid=1 block=32 in=200 copies=2 out=100\n"+work(1, 1), 2)+"sync\n", cfg,
		"hyperq")
	r := tasks(t, l, 2)
	if r[0].Copied != 600 || r[0].Schedulable != 1060 || r[1].Spawn != 140 || r[1].Copied != 800 ||
		r[1].Schedulable != 140+1060 {
		t.Errorf("tasks %+v", r)
	}
}

// Phased: both inputs (called at 0 and 30, there at 400), both launches (called at
// 400 and 450), and when both tasks have ended both outputs.
func TestPhasesOfTasksInStreams(t *testing.T) {
	cfg := narrow(t, 1)
	cfg.Host.CopyCallNs = 30
	text := strings.Repeat("spawn work grid=1 block=32 in=100 out=100\n"+work(1, 1), 2) + "sync\n"
	l, _ := run(t, text, cfg, "hyperq,task-copies=phased")
	r := tasks(t, l, 2)
	if r[0].Copied != 200 || r[1].Copied != 400 || r[0].Schedulable != 1400 || r[1].Schedulable != 1450 {
		t.Errorf("tasks %+v", r)
	}
	if end := max(r[0].End, r[1].End); r[0].Back != end+200 || r[1].Back != end+400 {
		t.Errorf("outputs are back at %d and %d, the last task ends at %d", r[0].Back, r[1].Back, end)
	}
	// Pagoda: the entries are sent at 400 and 430; the link has the second at 564.
	l, _ = run(t, text, cfg, "pagoda,rows=2,task-copies=phased,entry-bytes=64")
	r = tasks(t, l, 2)
	if r[0].Spawn != 0 || r[1].Spawn != 30 || r[0].Copied != 564 || r[1].Copied != 728 || r[1].Back != r[0].Back+200 {
		t.Errorf("tasks %+v", r)
	}
}

// Interleaved, a task's input is copied and waited for (0 to 200), its entry sent (to 364). The call of the second
// input is behind the entry's, and the link takes it behind the entry: 364 to 564.
func TestPagodaInterleavedCalls(t *testing.T) {
	cfg := narrow(t, 1)
	cfg.Host.CopyCallNs = 30
	l, _ := run(t, strings.Repeat("spawn work grid=1 block=32 in=100\n"+work(1, 1), 2)+"sync\n", cfg,
		"pagoda,rows=2,entry-bytes=64")
	r := tasks(t, l, 2)
	if r[0].Copied != 364 || r[1].Spawn != 230 || r[1].Copied != 564+164 {
		t.Errorf("tasks %+v", r)
	}
}

// The artifact's release: the scheduler warp of the second task's column runs the
// first on its own MTB; the last is released by the CPU and runs on its column's.
func TestPagodaSuccessorSchedules(t *testing.T) {
	text := strings.Repeat("spawn work grid=1 block=32\n"+work(1, 10), 2) + "sync\n"
	for release, want := range map[string]int32{"chain": 0, "successor": 1} {
		l, _ := run(t, text, narrow(t, 1), "pagoda,rows=2,release="+release)
		if r := tasks(t, l, 2); r[0].Worker != want || r[1].Worker != 1 || r[0].FirstWarp <= r[0].Schedulable {
			t.Errorf("%s: tasks %+v", release, r)
		}
	}
}

// A task is spawned when it has arrived and its dependences have ended; later ones pass it.
func TestTaskWaitsForArrivalAndDependences(t *testing.T) {
	text := "spawn work grid=1 block=32\n" + work(1, 500) +
		"spawn work grid=1 block=32 deps=0\n" + work(1, 1) +
		"spawn work grid=1 block=32 arrival=2000\n" + work(1, 1) + "sync\n"
	for _, policy := range []string{"hyperq", "pagoda", "gemtc", "pthreads"} {
		l, _ := run(t, text, narrow(t, 1), policy)
		r := tasks(t, l, 3)
		if r[1].Spawn < r[0].End || r[2].Spawn < 2000 {
			t.Errorf("%s: task 0 ends at %d, task 1 behind it is spawned at %d; task 2, which arrives at 2000, at %d", policy,
				r[0].End, r[1].Spawn, r[2].Spawn)
		}
		if policy == "hyperq" && r[2].Spawn > r[1].Spawn && r[0].End > 2000 {
			t.Errorf("task 2 did not pass task 1: spawned at %d and %d", r[2].Spawn, r[1].Spawn)
		}
	}
}

// Section 2: one task of 256 threads on 24 x 64 warps is 0.52 %, the 32 that
// Hyper-Q runs together 16.67 %, however many more there are.
func TestOccupancyExamples(t *testing.T) {
	for _, c := range []struct {
		n    int
		want float64
	}{{1, 0.52}, {32, 16.67}, {100, 16.67}} {
		cfg := narrow(t, 24)
		cfg.Host.LaunchOverheadNs = 0
		text := strings.Repeat("spawn work grid=1 block=256\n"+work(8, 3000), c.n) + "sync\n"
		_, sum := run(t, text, cfg, "hyperq")
		if got := metric(sum, "gpu_occupancy_peak_pct"); math.Abs(got-c.want) > 0.005 {
			t.Errorf("%d tasks: occupancy %.3f %%, want %.2f %%", c.n, got, c.want)
		}
	}
}

// Pagoda, one task on a table of two columns of two rows. The entry arrives at 100 + 64. Nothing more comes: the
// CPU sends the entry again released, to 328. From then on it reads the entry every 164 cycles; the first read that
// begins when the task has ended finds it.
func TestPagodaOneTask(t *testing.T) {
	l, sum := run(t, "spawn work grid=1 block=64\n"+work(2, 10)+"sync\n", narrow(t, 1), "pagoda,rows=2,entry-bytes=64")
	r := tasks(t, l, 1)[0]
	read := 328 + (r.End-328+163)/164*164
	if r.Spawn != 0 || r.Copied != 164 || r.Schedulable != 328 || r.Back != read+164 || r.Worker != 0 {
		t.Errorf("the task is %+v, want it back at %d", r, read+164)
	}
	if r.FirstWarp <= 328 || r.End <= r.FirstWarp || r.End > 20000 {
		t.Errorf("released at 328, the task runs from %d to %d", r.FirstWarp, r.End)
	}
	if n, want := metric(sum, "pagoda_copies_back"), float64((read-328)/164+1); n != want {
		t.Errorf("%g copies back, want %g", n, want)
	}
	if sum.WarpInsts <= 22 {
		t.Errorf("%d instructions issued: those of the scheduler and executor warps are missing", sum.WarpInsts)
	}
}

// The arrival of the next entry (328) releases the task before it, by the
// scheduler warp of the next column and without a copy back; the last task is
// released by the CPU.
func TestPagodaChainReleases(t *testing.T) {
	l, _ := run(t, "spawn work grid=1 block=32\n"+work(1, 10)+"spawn work grid=1 block=32\n"+work(1, 10)+"sync\n",
		narrow(t, 1), "pagoda,rows=2,entry-bytes=64")
	r := tasks(t, l, 2)
	if r[0].Copied != 164 || r[1].Copied != 328 {
		t.Errorf("entries arrive at %d and %d, want 164 and 328", r[0].Copied, r[1].Copied)
	}
	// Two loads of entries through the L2 and a few instructions: some 500 cycles.
	if d := r[0].Schedulable - 328; d < 100 || d > 1500 {
		t.Errorf("the first task is released %d cycles after its successor came", d)
	}
	if r[1].Schedulable < r[0].Schedulable || r[0].Worker == r[1].Worker {
		t.Errorf("tasks %+v", r)
	}
}

// Two entries and five tasks: the third waits until a copy back has shown a free
// entry, so until the first task has ended.
func TestPagodaFullTable(t *testing.T) {
	l, sum := run(t, strings.Repeat("spawn work grid=1 block=32\n"+work(1, 100), 5)+"sync\n", narrow(t, 1),
		"pagoda,rows=2,mtbs=1")
	r := tasks(t, l, 5)
	if first := min(r[0].End, r[1].End); r[2].Copied < first {
		t.Errorf("the third entry arrives at %d, the first to be free is at %d", r[2].Copied, first)
	}
	if metric(sum, "pagoda_copies_back") < 2 {
		t.Error("the table was never copied back for room")
	}
}

// A barrier holds the warps of its own threadblock alone: of two tasks on one
// MTB the short one ends while the long one's second warp waits for its first.
func TestPagodaBarrierOfTheTask(t *testing.T) {
	long := "spawn long grid=1 block=64 syncs\ncta 0\n warp 0\n  int x4000 R2 <- R2\n  barrier\n  int R3 <- R2\n  " +
		"exit\n warp 1\n  barrier\n  int x200 R3 <- R2\n  exit\n"
	short := "spawn short grid=1 block=64 syncs\ncta 0\n warp 0..1\n  int x5 R2 <- R2\n  barrier\n  int R3 <- R2\n  exit\n"
	l, _ := run(t, long+short+"sync\n", narrow(t, 1), "pagoda,rows=2,mtbs=1")
	r := tasks(t, l, 2)
	if r[1].FirstWarp > r[0].End || r[1].End > r[0].End {
		t.Errorf("the short task runs from %d to %d, the long one from %d to %d", r[1].FirstWarp, r[1].End, r[0].FirstWarp,
			r[0].End)
	}
	// 4000 dependent instructions of 9 cycles, then warp 1 has 200 left.
	if d := r[0].End - r[0].FirstWarp; d < 4200*9 {
		t.Errorf("the long task takes %d cycles: its second warp did not wait", d)
	}
}

// Two tasks that each need the whole shared memory of the one MTB: the scheduler
// warp frees the first one's block, which its last warp has marked, before the
// second starts.
func TestPagodaSharedMemoryRunsOut(t *testing.T) {
	task := "spawn work grid=1 block=32 shared=1500\n" + work(1, 300)
	l, _ := run(t, task+task+"sync\n", narrow(t, 1), "pagoda,rows=2,mtbs=1,shared=2048")
	r := tasks(t, l, 2)
	if r[1].Schedulable > r[0].End {
		t.Fatalf("the second task, released at %d, was not waiting for the first, which ends at %d", r[1].Schedulable,
			r[0].End)
	}
	if r[1].FirstWarp < r[0].End {
		t.Errorf("the second task starts at %d, the first holds the shared memory until %d", r[1].FirstWarp, r[0].End)
	}
}

// More warps than executors: they take turns on the one MTB.
func TestPagodaWarpsInTurns(t *testing.T) {
	l, sum := run(t, "spawn work grid=3 block=1024\ncta 0..2\n warp 0..31\n  int x50 R2 <- R2\n  exit\nsync\n",
		narrow(t, 1), "pagoda,rows=2")
	r := tasks(t, l, 1)[0]
	if r.Warps != 96 || len(l.ctas) != 3 || metric(sum, "gpu_occupancy_peak_pct") > 100*31.0/64 {
		t.Errorf("task %+v, %d threadblocks ended, peak %g %%", r, len(l.ctas), metric(sum, "gpu_occupancy_peak_pct"))
	}
}

// A batch ends before the next one's first spawn.
func TestPagodaBatch(t *testing.T) {
	l, _ := run(t, strings.Repeat("spawn work grid=1 block=32\n"+work(1, 100), 4)+"sync\n", narrow(t, 1),
		"pagoda-batch,size=2")
	r := tasks(t, l, 4)
	if ended := max(r[0].End, r[1].End); r[2].Copied < ended {
		t.Errorf("the second batch's first entry arrives at %d, the first batch ends at %d", r[2].Copied, ended)
	}
}

// GeMTC, a batch of two: the inputs are there at 400. Then the queue's record (124 cycles), pointers (116),
// descriptions (148) and new end (104) are copied, and the SuperKernel starts 1010 behind that. It ends with its
// longest task; its results take four such copies, its outputs 150 each, and the next batch is behind them.
func TestGeMTCBatch(t *testing.T) {
	text := "spawn work grid=1 block=32 in=100 out=50\n" + work(1, 1000) +
		strings.Repeat("spawn work grid=1 block=32 in=100 out=50\n"+work(1, 10), 2) + "sync\n"
	l, _ := run(t, text, narrow(t, 1), "gemtc,batch=2")
	r := tasks(t, l, 3)
	if r[0].Copied != 400+124+116+148+104 || r[1].Copied != r[0].Copied || r[0].Schedulable != r[0].Copied+1010 {
		t.Errorf("batch copied at %d, its kernel starts at %d", r[0].Copied, r[0].Schedulable)
	}
	if over := r[0].Back - 150; over < r[0].End+492+5*200 || over > r[0].End+492+5*300 || r[1].Back != over+300 ||
		r[2].Spawn != over {
		t.Errorf("the batch is back at %d and %d, its longest task ends at %d, the next is spawned at %d", r[0].Back,
			r[1].Back, r[0].End, r[2].Spawn)
	}
	// Five accesses of the L2 under the lock, some 220 cycles each.
	if d := r[1].FirstWarp - r[0].FirstWarp; d < 5*200 || d > 5*300 {
		t.Errorf("the second task is taken %d cycles after the first", d)
	}
}

// A batch is a fill of the GPU unless its size is given: on one SM 32 workers of a warp, bounded by its 32 CTAs.
func TestGeMTCBatchIsAFill(t *testing.T) {
	l, _ := run(t, strings.Repeat("spawn work grid=1 block=32\n"+work(1, 10), 40)+"sync\n", narrow(t, 1), "gemtc")
	r := tasks(t, l, 40)
	for k, x := range r {
		if (x.Copied == r[0].Copied) != (k < 32) {
			t.Errorf("task %d is copied at %d, the first at %d", k, x.Copied, r[0].Copied)
		}
	}
}

// Pagoda: the scheduler warp reads 32 entries of its column at once, or one after another:
// then the last of many rows is found later.
func TestPagodaScans(t *testing.T) {
	text := strings.Repeat("spawn work grid=1 block=32\n"+work(1, 1), 40) + "sync\n"
	last := map[string]model.Time{}
	for _, scan := range []string{"warp", "entry"} {
		l, _ := run(t, text, narrow(t, 1), "pagoda,rows=64,scan="+scan)
		for _, r := range tasks(t, l, 40) {
			last[scan] = max(last[scan], r.FirstWarp)
		}
	}
	if last["warp"] >= last["entry"] {
		t.Errorf("the last task begins at %d and at %d where entries are read one by one", last["warp"], last["entry"])
	}
}

// Fusion: kernels of a fill run one after another, each to its longest task's end;
// one kernel lets the hardware fill in. On one SM 8 CTAs of 256 threads are a fill.
func TestFusionFills(t *testing.T) {
	one := func(steps int) string { return "spawn work grid=1 block=256\n" + work(8, steps) }
	text := one(500) + strings.Repeat(one(10), 8) + "sync\n"
	for batch, waits := range map[string]bool{"fill": true, "0": false, "9": false, "8": true} {
		l, _ := run(t, text, narrow(t, 1), "fusion,batch="+batch)
		if r := tasks(t, l, 9); (r[8].FirstWarp > r[0].End) != waits {
			t.Errorf("batch=%s: the ninth task starts at %d, the first ends at %d", batch, r[8].FirstWarp, r[0].End)
		}
	}
}

// Fusion: one kernel, CTAs sized by the most demanding task. With 48 KB each, two
// of them fit an SM, although three of the four tasks need none.
func TestFusionSizesEveryCTA(t *testing.T) {
	text := "spawn big grid=1 block=64 shared=49152\n" + work(2, 500) +
		strings.Repeat("spawn work grid=1 block=32 out=10\n"+work(1, 500), 3) + "sync\n"
	l, _ := run(t, text, narrow(t, 1), "fusion,batch=0")
	r := tasks(t, l, 4)
	late := 0
	for _, x := range r {
		if x.FirstWarp >= min(r[0].End, r[1].End) {
			late++
		}
		if x.Back != r[0].Back {
			t.Errorf("task %d is back at %d, task 0 at %d: they end together", x.Kernel, x.Back, r[0].Back)
		}
	}
	if latency := model.Time(narrow(t, 1).Host.LaunchLatency); r[3].Copied != r[0].Copied ||
		r[3].Schedulable != r[3].Copied+latency ||
		r[3].Copied < r[3].Spawn {
		t.Errorf("task 3 is asked for at %d, launched at %d and on the GPU at %d; task 0 launched at %d, and a "+
			"launch takes %d", r[3].Spawn, r[3].Copied, r[3].Schedulable, r[0].Copied, latency)
	}
	if late != 2 || len(l.kernels) != 4 {
		t.Errorf("%d of 4 tasks start after the first has ended, want 2; %d kernels told", late, len(l.kernels))
	}
}

// A task of 64 threads and 11 instructions a thread has 704 instructions: at 2
// a cycle of 500 MHz that is 704 ns. Two cores run three of them in two rounds.
func TestPThreads(t *testing.T) {
	l, sum := run(t, strings.Repeat("spawn work grid=1 block=64\n"+work(2, 10), 3)+"sync\n", narrow(t, 1),
		"pthreads,cpu-cores=2,cpu-clock-mhz=500,cpu-ipc=2")
	r := tasks(t, l, 3)
	for i, want := range []model.Time{704, 704, 1408} {
		if r[i].End != want || r[i].Back != want {
			t.Errorf("task %d ends at %d, want %d", i, r[i].End, want)
		}
	}
	if sum.CTAs != 0 || sum.Cycles != 1408 {
		t.Errorf("%d CTAs, %d cycles", sum.CTAs, sum.Cycles)
	}
}

// Policies refuse traces that they cannot run, with a sentence.
func TestTaskPoliciesRefuse(t *testing.T) {
	for _, c := range []struct{ policy, text, want string }{
		{"gemtc", "spawn work grid=1 block=32 shared=64\n" + work(1, 1), "shared memory"},
		{"gemtc", "spawn work grid=1 block=32 syncs\n" + work(1, 1), "barrier"},
		{"fusion", "spawn work grid=1 block=32\n" + work(1, 1) + "spawn work grid=1 block=32 deps=0\n" + work(1, 1),
			"order among its CTAs"},
		{"pagoda", "spawn work grid=1 block=32 shared=65536\n" + work(1, 1), "65536 bytes"},
		{"pagoda", "spawn work grid=1 block=1024 syncs\n" + work(32, 1), "32 warps"},
		{"pagoda", "launch work grid=1 block=32\n" + work(1, 1), "no narrow tasks"},
		{"nocopy", "spawn work grid=1 block=32\n" + work(1, 1), "no rule"},
	} {
		if got := lacks(t, tracetest.FromText(t, c.text), c.policy); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.policy, got, c.want)
		}
	}
}

// lacks is the policy's sentence about a trace.
func lacks(t testing.TB, r *container.Reader, policy string) string {
	t.Helper()
	f, err := policies.ProfileTrace(r, host.NotTasks)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := policies.Parse(policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cs[0].MissingInput(f)
}

// A wait copies the involved entries back (section 4.2): of twelve tasks in twelve columns as many entries, on
// however many SMs.
func TestPagodaWaitsAsLongOnMoreSMs(t *testing.T) {
	text := strings.Repeat("spawn work grid=1 block=32 out=100\n"+work(1, 10), 12) + "sync\n"
	for _, copies := range []string{"phased", "interleaved"} {
		back := map[int]model.Time{}
		for _, sms := range []int{6, 24, 48} {
			l, _ := run(t, text, narrow(t, sms), "pagoda,task-copies="+copies)
			for _, r := range tasks(t, l, 12) {
				back[sms] = max(back[sms], r.Back)
			}
		}
		if back[24] != back[6] || back[48] != back[6] {
			t.Errorf("%s: outputs are back at %v", copies, back)
		}
	}
}
