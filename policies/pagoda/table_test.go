package pagoda

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func newTable(t testing.TB, columns, rows int) *Table {
	t.Helper()
	table, err := NewTable(columns, rows)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// sides shows two entries on both sides as figure 2(b) does, a taskId by name.
func sides(t *Table, a, b ID) string {
	show := func(e Entry) string {
		switch ID(e.Ready) {
		case a:
			return "(TA,0)"
		case b:
			return "(TB,0)"
		}
		return e.State.String()
	}
	return fmt.Sprintf("CPU %s %s GPU %s %s", show(t.CPU(a)), show(t.CPU(b)), show(t.GPU(a)), show(t.GPU(b)))
}

// Figure 2(b), step by step. The text of the figure prints (1,0) for the CPU's
// TB while it is copied, between two steps that say (TA,0); the CPU touches no
// entry that is not cleared, so (TA,0) it is.
func TestFigure2bExampleOfTaskA(t *testing.T) {
	table := newTable(t, 2, 32)
	a, b := table.ID(0, 0), table.ID(1, 0)
	var seen []ID
	steps := []struct {
		what string
		do   func()
		want string
	}{
		{"at first", func() {}, "CPU (0,0) (0,0) GPU (0,0) (0,0)"},
		{"TA spawned", func() { table.Spawn(Task{Kernel: 7, Blocks: 1, Threads: 64}) }, "CPU (-1,0) (0,0) GPU (0,0) (0,0)"},
		{"TA copied to GPU", func() { table.Arrive() }, "CPU (-1,0) (0,0) GPU (-1,0) (0,0)"},
		{"TB spawned", func() { table.Spawn(Task{Kernel: 8, Blocks: 1, Threads: 64}) }, "CPU (-1,0) (TA,0) GPU (-1,0) (0,0)"},
		{"TB copied to GPU", func() { table.Arrive() }, "CPU (-1,0) (TA,0) GPU (-1,0) (TA,0)"},
		{"S2 enabled TA and changed TB", func() { table.Release(b) }, "CPU (-1,0) (TA,0) GPU (1,1) (-1,0)"},
		{"S1 schedules TA", func() { table.Begin(a) }, "CPU (-1,0) (TA,0) GPU (1,0) (-1,0)"},
		{"waitAll copied back, then TA ended", func() {
			table.StartCopyBack(NoID)
			table.Done(a)
			seen = table.FinishCopyBack(seen)
		}, "CPU (1,0) (-1,0) GPU (0,0) (-1,0)"},
		{"waitAll copied back, TA available", func() {
			table.StartCopyBack(NoID)
			seen = table.FinishCopyBack(seen)
		}, "CPU (0,0) (-1,0) GPU (0,0) (-1,0)"},
	}
	for _, s := range steps {
		s.do()
		if got := sides(table, a, b); got != s.want {
			t.Fatalf("%s: %s\nwant %s", s.what, got, s.want)
		}
	}
	if len(seen) != 1 || seen[0] != a || table.CPU(a).Kernel != 7 {
		t.Errorf("the CPU saw %v end, want TA (%d) alone", seen, a)
	}
	// The last task: no successor comes, the CPU sets it to (1,1) and copies it.
	if id, ok := table.ReleaseLast(); !ok || id != b {
		t.Fatalf("ReleaseLast = %d, %v; want TB", id, ok)
	}
	table.Arrive()
	if got := table.GPU(b).State.String(); got != "(1,1)" {
		t.Errorf("TB is %s on the GPU, want (1,1)", got)
	}
	// And the chain begins anew.
	c, _ := table.Spawn(Task{})
	if got := table.CPU(c).State.String(); got != "(-1,0)" {
		t.Errorf("the task after it is %s, want (-1,0)", got)
	}
}

// A successor whose predecessor still points to its own waits: S3 cannot release
// TB before S2 has released TA.
func TestChainIsReleasedInOrder(t *testing.T) {
	table := newTable(t, 3, 4)
	var ids [3]ID
	for i := range ids {
		ids[i], _ = table.Spawn(Task{Kernel: uint32(i), Blocks: 1, Threads: 32})
		table.Arrive()
	}
	if table.Linkable(ids[2]) || !table.Quiet(2) || table.Quiet(1) {
		t.Fatal("the third task can act before the second has")
	}
	table.Release(ids[1])
	if !table.Linkable(ids[2]) || table.Quiet(2) || table.Quiet(0) {
		t.Fatal("the third task cannot act after the second has")
	}
}

func TestTableRefusesImpossibleSizes(t *testing.T) {
	for _, c := range [][2]int{{0, 32}, {48, 0}, {1, 1}, {1, 65}, {1 << 17, 1}} {
		if _, err := NewTable(c[0], c[1]); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("NewTable(%d, %d): %v", c[0], c[1], err)
		}
	}
}

func TestForbiddenCallsPanic(t *testing.T) {
	for name, call := range map[string]func(table *Table, id ID){
		"a copy back overtakes":  func(table *Table, _ ID) { table.StartCopyBack(NoID) },
		"begun unreleased":       func(table *Table, id ID) { table.Arrive(); table.Begin(id) },
		"ended before its begin": func(table *Table, id ID) { table.Arrive(); table.Done(id) },
		"nothing to release":     func(table *Table, id ID) { table.Arrive(); table.Release(id) },
		"no copy back to end":    func(table *Table, _ ID) { table.FinishCopyBack(nil) },
		"nothing sent":           func(table *Table, _ ID) { table.Arrive(); table.Arrive() },
		"spawn during copy back": func(table *Table, _ ID) { table.Arrive(); table.StartCopyBack(NoID); table.Spawn(Task{}) },
	} {
		table := newTable(t, 2, 2)
		id, _ := table.Spawn(Task{})
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call(table, id)
		}()
	}
}

// checkTable states the invariants of every state that the protocol can reach.
func checkTable(rt *rapid.T, table *Table, flying map[ID]bool) {
	free, pointed := 0, map[ID]ID{}
	for id := firstID; int(id) < int(firstID)+table.columns*table.rows; id++ {
		cpu, gpu := table.CPU(id), table.GPU(id)
		if cpu.Ready == Free {
			free++
			if gpu.Ready != Free || flying[id] {
				rt.Fatalf("the CPU takes entry %d for free, the GPU has %v", id, gpu.State)
			}
		}
		if gpu.Sched && gpu.Ready != Scheduling {
			rt.Fatalf("entry %d is %v", id, gpu.State)
		}
		if gpu.Ready >= int32(firstID) {
			prev := ID(gpu.Ready)
			if other, twice := pointed[prev]; twice {
				rt.Fatalf("entries %d and %d both point to %d", other, id, prev)
			}
			pointed[prev] = id
			if p := table.GPU(prev).Ready; p != Copied && p < int32(firstID) {
				rt.Fatalf("entry %d points to %d, which is %v", id, prev, table.GPU(prev).State)
			}
		}
		if gpu.Ready != Free && !flying[id] && gpu.Task != cpu.Task {
			rt.Fatalf("entry %d holds %v on the GPU, %v on the CPU", id, gpu.Task, cpu.Task)
		}
	}
	if free != table.Room() {
		rt.Fatalf("%d entries are free, Room says %d", free, table.Room())
	}
}

// Both sides act in any order: no state is reached that the protocol excludes,
// and once nothing is spawned any more every task is run once and seen once.
func TestProtocolUnderAnyInterleaving(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		table := newTable(t, rapid.IntRange(1, 4).Draw(rt, "columns"), rapid.IntRange(2, 5).Draw(rt, "rows"))
		var sent []ID
		flying := map[ID]bool{}
		spawned, ran, seen := 0, map[uint32]int{}, 0
		var running []ID
		entry := func(rt *rapid.T) ID {
			return firstID + ID(rapid.IntRange(0, table.columns*table.rows-1).Draw(rt, "entry"))
		}
		arrive := func() {
			id := table.Arrive()
			if id != sent[0] {
				rt.Fatalf("entry %d arrived, %d was sent first", id, sent[0])
			}
			sent = sent[1:]
			delete(flying, id)
		}
		finish := func() {
			if !table.reading {
				return
			}
			seen += len(table.FinishCopyBack(nil))
		}
		scan := func(id ID) {
			if table.Linkable(id) {
				table.Release(id)
			}
			if table.GPU(id).Sched {
				table.Begin(id)
				ran[table.GPU(id).Kernel]++
				running = append(running, id)
			}
		}
		end := func(i int) {
			table.Done(running[i])
			running = append(running[:i], running[i+1:]...)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"spawn": func(rt *rapid.T) {
				if table.reading {
					rt.Skip()
				}
				if id, ok := table.Spawn(Task{Kernel: uint32(spawned), Blocks: 1, Threads: 32}); ok {
					spawned++
					sent, flying[id] = append(sent, id), true
				}
			},
			"arrive": func(rt *rapid.T) {
				if len(sent) == 0 {
					rt.Skip()
				}
				arrive()
			},
			"scan": func(rt *rapid.T) { scan(entry(rt)) },
			"end": func(rt *rapid.T) {
				if len(running) == 0 {
					rt.Skip()
				}
				end(rapid.IntRange(0, len(running)-1).Draw(rt, "which"))
			},
			"copy": func(rt *rapid.T) {
				if table.reading || len(sent) > 0 {
					rt.Skip()
				}
				table.StartCopyBack(NoID)
			},
			"copied": func(rt *rapid.T) { finish() },
			"release": func(rt *rapid.T) {
				if table.reading {
					rt.Skip()
				}
				if id, ok := table.ReleaseLast(); ok {
					sent, flying[id] = append(sent, id), true
				}
			},
			"": func(rt *rapid.T) { checkTable(rt, table, flying) },
		})
		for round := 0; seen < spawned; round++ {
			if round > 100 {
				rt.Fatalf("stuck: %d of %d tasks seen", seen, spawned)
			}
			finish()
			for len(sent) > 0 {
				arrive()
			}
			for id := firstID; int(id) < int(firstID)+table.columns*table.rows; id++ {
				scan(id)
			}
			for len(running) > 0 {
				end(0)
			}
			table.StartCopyBack(NoID)
			finish()
			if id, ok := table.ReleaseLast(); ok {
				sent = append(sent, id)
			}
		}
		for k := range spawned {
			if ran[uint32(k)] != 1 {
				rt.Fatalf("task %d ran %d times", k, ran[uint32(k)])
			}
		}
	})
}

// The span of the tasks grows by a column of three rows a task, then within it, and shrinks from both ends.
func TestSpan(t *testing.T) {
	table := newTable(t, 3, 3)
	if n := table.Span(); n != 0 {
		t.Errorf("an empty table has a span of %d", n)
	}
	for i, want := range []int{1, 4, 7, 7, 7} {
		if table.Spawn(Task{Kernel: uint32(i), Blocks: 1, Threads: 32}); table.Span() != want {
			t.Errorf("%d tasks have a span of %d, want %d", i+1, table.Span(), want)
		}
	}
	for _, x := range []struct {
		column, row, want int
	}{{2, 0, 5}, {0, 0, 4}, {1, 1, 3}, {0, 1, 1}, {1, 0, 0}} {
		if id := table.ID(x.column, x.row); !table.learn(id, State{}) || table.Span() != x.want {
			t.Errorf("without the entry of column %d, row %d the span is %d, want %d", x.column, x.row, table.Span(), x.want)
		}
	}
}
