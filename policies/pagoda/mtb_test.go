package pagoda

import (
	"fmt"
	"slices"
	"testing"

	"gpureplay/trace"

	"pgregory.net/rapid"
)

var blockNames = [NumBlocks]string{"scan", "check", "wait", "release", "begin", "barrier", "nofree", "free", "climb",
	"search", "mark", "block", "look", "take", "poll", "enter", "leave", "leaveblock", "leavetask"}

func newMTB(t testing.TB, table *Table, column int, cfg MTBConfig) *MTB {
	t.Helper()
	m, err := NewMTB(table, column, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// released puts tasks into the table and releases all of them.
func released(t testing.TB, table *Table, tasks ...Task) {
	t.Helper()
	for _, task := range tasks {
		if _, ok := table.Spawn(task); !ok {
			t.Fatal("no room")
		}
		table.Arrive()
		if _, ok := table.ReleaseLast(); !ok {
			t.Fatal("not released")
		}
		table.Arrive()
	}
}

// steps performs n steps and returns the executed code and the started warps.
func steps(m *MTB, n int) (log []string) {
	for range n {
		b := m.Next()
		line := blockNames[b]
		for _, s := range m.Apply() {
			line += fmt.Sprintf(" %d:%d.%d", s.Slot, s.Block, s.Warp)
		}
		log = append(log, line)
	}
	return log
}

// Without shared memory and barriers all warps of both threadblocks are taken
// from one counter, from its top, as executors fall free.
func TestSchedulerWarpWholeTask(t *testing.T) {
	table := newTable(t, 1, 2)
	cfg := PaperMTB()
	cfg.Executors = 3
	m := newMTB(t, table, 0, cfg)
	released(t, table, Task{Kernel: 9, Blocks: 2, Threads: 40})
	got := steps(m, 4)
	want := []string{"scan", "begin", "take 0:1.1 1:1.0 2:0.1", "look"}
	if !slices.Equal(got, want) {
		t.Fatalf("steps %q\nwant %q", got, want)
	}
	if end := m.WarpDone(1); end != (End{Kernel: 9, Block: 1}) {
		t.Errorf("first warp ends: %+v", end)
	}
	// The executor is free at once: it takes the last warp while its threadblock
	// still runs.
	if got := steps(m, 3); !slices.Equal(got, []string{"take 1:0.0", "scan", "scan"}) {
		t.Errorf("then %q", got)
	}
	if end := m.WarpDone(0); !end.Last || end.Task || end.Block != 1 {
		t.Errorf("second warp of block 1 ends: %+v", end)
	}
	m.WarpDone(2)
	if end := m.WarpDone(1); !end.Last || !end.Task {
		t.Errorf("last warp ends: %+v", end)
	}
	if s := table.GPU(table.ID(0, 0)).State; s != (State{}) {
		t.Errorf("the entry is %v at the end", s)
	}
}

// With shared memory and barriers threadblocks go one by one. The second does not fit beside the first. The
// scheduler spins through lines 21 to 24 until the first one's memory is marked, frees it (its sibling is free: two
// ancestors), and only then starts the second.
func TestSchedulerWarpPerThreadblock(t *testing.T) {
	table := newTable(t, 1, 2)
	m := newMTB(t, table, 0, MTBConfig{Executors: 31, Barriers: 2, SharedBytes: 2048, SmallestBlock: 512})
	released(t, table, Task{Kernel: 1, Blocks: 2, Threads: 32, SharedBytes: 1500, Sync: true})
	got := steps(m, 12)
	want := []string{"scan", "begin", "barrier", "nofree", "search", "mark", "block", "take 0:0.0",
		"barrier", "nofree", "search", "nofree"}
	if !slices.Equal(got, want) {
		t.Fatalf("steps %q\nwant %q", got, want)
	}
	if s := m.Slot(0); s.SMIndex != 1 || s.Barrier != 0 || m.Slot(1).Exec || !m.Idling() {
		t.Errorf("slot 0 is %+v, Idling %v", s, m.Idling())
	}
	if end := m.WarpDone(0); !end.Last || end.Task {
		t.Errorf("first threadblock ends: %+v", end)
	}
	if !m.Shared().Marked(1) || m.Idling() {
		t.Error("an executor warp must mark, not free, and its mark is work for the scheduler")
	}
	got = steps(m, 7)
	want = []string{"search", "free", "nofree", "search", "mark", "block", "take 0:1.0"}
	if !slices.Equal(got, want) {
		t.Fatalf("then %q\nwant %q", got, want)
	}
	if s := m.Slot(0); s.Barrier != 1 {
		t.Errorf("the second threadblock has barrier %d, want 1", s.Barrier)
	}
}

// Two MTBs: the scheduler warp of the successor's column releases the task.
func TestSchedulerWarpReleasesPredecessor(t *testing.T) {
	table := newTable(t, 2, 1)
	s1, s2 := newMTB(t, table, 0, PaperMTB()), newMTB(t, table, 1, PaperMTB())
	for k := range uint32(2) {
		table.Spawn(Task{Kernel: k, Blocks: 1, Threads: 256})
	}
	table.Arrive()
	if !s1.Idling() {
		t.Error("a copied task is scheduled before its successor came")
	}
	table.Arrive()
	if got := steps(s2, 4); !slices.Equal(got, []string{"scan", "check", "release", "scan"}) {
		t.Errorf("S2 does %q", got)
	}
	if got := steps(s1, 3); len(got[2]) < len("take 0:0.7") || s1.Busy() != 8 {
		t.Errorf("S1 does %q, %d executors are busy, want 8", got, s1.Busy())
	}
}

func TestAdmits(t *testing.T) {
	cfg := PaperMTB()
	for _, task := range []Task{{Blocks: 1, Threads: 0}, {Blocks: 1, Threads: 32, SharedBytes: 32<<10 + 1},
		{Blocks: 1, Threads: 1024, Sync: true}, {Blocks: 1 << 31, Threads: 64}} {
		if cfg.Admits(task) == nil {
			t.Errorf("%+v was admitted", task)
		}
	}
	for _, task := range []Task{{Blocks: 1, Threads: 1024}, {Blocks: 3, Threads: 992, Sync: true, SharedBytes: 32 << 10}} {
		if err := cfg.Admits(task); err != nil {
			t.Error(err)
		}
	}
}

// Skipping n idle steps is the same as performing them.
func TestSkipIsSteppingFast(t *testing.T) {
	build := func() *MTB {
		table := newTable(t, 2, 5)
		m := newMTB(t, table, 1, PaperMTB())
		for k := range uint32(6) { // one is not released, the others wait in a chain
			table.Spawn(Task{Kernel: k, Blocks: 1, Threads: 32})
		}
		for table.InFlight() > 0 {
			table.Arrive()
		}
		table.set(table.ID(0, 0), State{Ready: Scheduling})
		return m
	}
	for n := range uint64(40) {
		fast, slow := build(), build()
		counts := fast.Skip(n)
		var want [NumBlocks]uint64
		for range n {
			want[slow.Next()]++
			slow.Apply()
		}
		if counts != want || fast.row != slow.row || fast.phase != slow.phase {
			t.Fatalf("Skip(%d): %v at row %d phase %d\nwant %v at row %d phase %d",
				n, counts, fast.row, fast.phase, want, slow.row, slow.phase)
		}
	}
}

// The artifact's release: the MTB that finds B's entry runs A, and B waits for its own successor. A's counter is
// the counter of B's row, in which nothing else is scheduled until A has ended.
func TestSuccessorSchedulesItsPredecessor(t *testing.T) {
	table := newTable(t, 2, 2)
	cfg := PaperMTB()
	cfg.Successor = true
	m := newMTB(t, table, 1, cfg)
	for k := range uint32(2) {
		table.Spawn(Task{Kernel: k, Blocks: 1, Threads: 32})
		table.Arrive()
	}
	a, b := table.ID(0, 0), table.ID(1, 0)
	if got, want := steps(m, 4), []string{"scan", "check", "begin", "take 0:0.0"}; !slices.Equal(got, want) {
		t.Fatalf("steps %q, want %q", got, want)
	}
	if table.GPU(a).State != (State{Ready: Scheduling}) || table.GPU(b).State != (State{Ready: Copied}) ||
		m.Slot(0).Entry != a {
		t.Errorf("A %v, B %v, slot %+v", table.GPU(a).State, table.GPU(b).State, m.Slot(0))
	}
	table.set(b, State{Ready: Scheduling, Sched: true})
	if !m.Idling() {
		t.Error("B is to be scheduled while its row counts A's warps")
	}
	if end := m.WarpDone(0); !end.Task || end.Kernel != 0 || m.Idling() {
		t.Errorf("A ends as %+v", end)
	}
}

// Random tasks through the whole machinery, executors ending in any order.
func TestMTBsUnderAnyLoad(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		columns := rapid.IntRange(1, 3).Draw(rt, "columns")
		table := newTable(t, columns, 2+rapid.IntRange(0, 3).Draw(rt, "rows"))
		cfg := PaperMTB()
		cfg.Executors = rapid.IntRange(4, 31).Draw(rt, "executors")
		cfg.Barriers = rapid.IntRange(1, 4).Draw(rt, "barriers")
		cfg.Successor = rapid.Bool().Draw(rt, "successor")
		mtbs := make([]*MTB, columns)
		for c := range mtbs {
			mtbs[c] = newMTB(t, table, c, cfg)
		}
		s, _ := NewSpawner(table, 0)
		s.Wait(rapid.SampledFrom([]Wait{WaitAny, WaitAll}).Draw(rt, "wait"))
		n := rapid.IntRange(1, 25).Draw(rt, "tasks")
		tasks := make([]Task, n)
		for k := range tasks {
			tasks[k] = Task{Kernel: uint32(k), Blocks: rapid.Uint32Range(1, 4).Draw(rt, "blocks"),
				Threads:     rapid.Uint32Range(1, 128).Draw(rt, "threads"),
				SharedBytes: rapid.SampledFrom([]uint32{0, 0, 1, 512, 3000, 16 << 10, 32 << 10}).Draw(rt, "shared"),
				Sync:        rapid.Bool().Draw(rt, "sync")}
			s.Offer(tasks[k])
		}
		w := world{rt: rt, table: table, mtbs: mtbs, started: map[[3]uint32]int{}, ended: map[[2]uint32]int{},
			tasks: map[uint32]int{}}
		for round := 0; s.Live() > 0 || s.Offered() > 0; round++ {
			if round > 20000 {
				rt.Fatalf("stuck with %d live and %d offered", s.Live(), s.Offered())
			}
			w.cpu(s)
			w.gpu(rapid.Uint64().Draw(rt, "dice"))
		}
		w.check(tasks)
	})
}

// world runs the machinery and counts starts and ends.
type world struct {
	rt      *rapid.T
	table   *Table
	mtbs    []*MTB
	copying bool
	started map[[3]uint32]int
	ended   map[[2]uint32]int
	tasks   map[uint32]int
}

func (w *world) cpu(s *Spawner) {
	if w.copying {
		s.CopiedBack(nil)
		w.copying = false
	}
	switch a := s.Next(); a.Act {
	case ActSend:
		w.table.Arrive()
	case ActPoll:
		s.Polled(w.table.Ended())
	case ActCopyBack:
		s.Start(a.ID)
		w.copying = true
	}
}

func (w *world) gpu(dice uint64) {
	for _, m := range w.mtbs {
		for range 1 + dice%7 {
			m.Next()
			for _, s := range m.Apply() {
				w.started[[3]uint32{s.Kernel, s.Block, s.Warp}]++
			}
		}
		w.exclusive(m)
		for slot := range m.slots {
			if dice = dice*6364136223846793005 + 1442695040888963407; m.slots[slot].Exec && dice>>62 == 0 {
				end := m.WarpDone(slot)
				if end.Last {
					w.ended[[2]uint32{end.Kernel, end.Block}]++
				}
				if end.Task {
					w.tasks[end.Kernel]++
				}
			}
		}
	}
}

// exclusive checks that no two threadblocks share a barrier or a byte.
func (w *world) exclusive(m *MTB) {
	type owner struct {
		entry ID
		block uint32
	}
	barriers, nodes := map[int8]owner{}, map[Node]owner{}
	for _, s := range m.slots {
		if !s.Exec {
			continue
		}
		task := w.table.GPU(s.Entry).Task
		who := owner{s.Entry, s.Warp / task.WarpsPerBlock()}
		if (s.Barrier >= 0) != task.Sync || (s.SMIndex != NoNode) != (task.SharedBytes > 0) {
			w.rt.Fatalf("task %+v runs with %+v", task, s)
		}
		if o, taken := barriers[s.Barrier]; taken && o != who && s.Barrier >= 0 {
			w.rt.Fatalf("%v and %v share barrier %d", o, who, s.Barrier)
		}
		barriers[s.Barrier] = who
		if o, taken := nodes[s.SMIndex]; taken && o != who && s.SMIndex != NoNode {
			w.rt.Fatalf("%v and %v share block %d", o, who, s.SMIndex)
		}
		nodes[s.SMIndex] = who
	}
}

func (w *world) check(tasks []Task) {
	warps := 0
	for k, task := range tasks {
		if w.tasks[uint32(k)] != 1 {
			w.rt.Fatalf("task %d ended %d times", k, w.tasks[uint32(k)])
		}
		for b := range task.Blocks {
			if w.ended[[2]uint32{uint32(k), b}] != 1 {
				w.rt.Fatalf("threadblock %d of task %d ended %d times", b, k, w.ended[[2]uint32{uint32(k), b}])
			}
			for x := range task.WarpsPerBlock() {
				warps++
				if w.started[[3]uint32{uint32(k), b, x}] != 1 {
					w.rt.Fatalf("warp %d of threadblock %d of task %d started %d times", x, b, k,
						w.started[[3]uint32{uint32(k), b, x}])
				}
			}
		}
	}
	if warps != len(w.started) {
		w.rt.Fatalf("%d warps started, the tasks have %d", len(w.started), warps)
	}
	for _, m := range w.mtbs {
		for m.shared.Pending() > 0 {
			m.shared.FreeOne()
		}
		if left := marked(m.shared); len(left) > 0 || m.Busy() != 0 || len(m.blocks) != 0 {
			w.rt.Fatalf("left over: nodes %v, %d busy, %d threadblocks", left, m.Busy(), len(m.blocks))
		}
	}
}

func TestCodeHasEveryBlock(t *testing.T) {
	c := NewCode()
	total := 0
	for b := range Block(NumBlocks) {
		if c.Len(b) == 0 {
			t.Errorf("block %s has no code", blockNames[b])
		}
		total += c.Len(b)
	}
	if total != len(c.Function.Insts) {
		t.Errorf("blocks have %d instructions, the function %d", total, len(c.Function.Insts))
	}
	for i, in := range c.Function.Insts {
		if in.PC != uint32(16*i) || in.Mem() != (in.Class == trace.ClassMemory) ||
			in.Mem() != (in.Flags&(trace.InstLoad|trace.InstStore) != 0) {
			t.Errorf("instruction %d is odd: %+v", i, in)
		}
	}
}
