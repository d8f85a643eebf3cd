package pagoda

import (
	"fmt"
	"slices"
	"testing"
)

// toy is a GPU that runs every released task at once for a fixed time, behind
// copies of a fixed time, driven by one clock.
type toy struct {
	t       testing.TB
	table   *Table
	s       *Spawner
	copyFor int64
	runFor  int64
	now     int64
	due     []toyEvent
	log     []string
	done    []ID
}

type toyEvent struct {
	at int64
	do func()
}

func newToy(t testing.TB, columns, rows int, timing Timing) *toy {
	t.Helper()
	table := newTable(t, columns, rows)
	s, err := NewSpawner(table, timing)
	if err != nil {
		t.Fatal(err)
	}
	return &toy{t: t, table: table, s: s, copyFor: 10, runFor: 100}
}

func (g *toy) note(format string, args ...any) {
	g.log = append(g.log, fmt.Sprintf("%d ", g.now)+fmt.Sprintf(format, args...))
}

func (g *toy) after(d int64, do func()) {
	g.due = append(g.due, toyEvent{g.now + d, do})
	slices.SortStableFunc(g.due, func(a, b toyEvent) int { return int(a.at - b.at) })
}

// scan is all scheduler warps at once.
func (g *toy) scan() {
	for again := true; again; {
		again = false
		for id := firstID; int(id) < int(firstID)+g.table.columns*g.table.rows; id++ {
			if g.table.Linkable(id) {
				g.table.Release(id)
				again = true
			}
			if g.table.GPU(id).Sched {
				g.table.Begin(id)
				g.note("run %d", g.table.GPU(id).Kernel)
				g.after(g.runFor, func() { g.table.Done(id) })
			}
		}
	}
}

// cpu lets the CPU act until it sleeps, and returns when it wants to wake.
func (g *toy) cpu() int64 {
	for {
		a := g.s.Next(g.now)
		switch a.Act {
		case ActSleep:
			return a.Until
		case ActSend:
			if a.Release {
				g.note("release %d", g.table.CPU(a.ID).Kernel)
			} else {
				g.note("spawn %d", g.table.CPU(a.ID).Kernel)
			}
			g.after(g.copyFor, func() { g.table.Arrive(); g.scan() })
		case ActCopyBack:
			g.note("copy back %d", a.ID)
			start := int64(0) // after the copies sent before
			if g.table.InFlight() > 0 {
				start = g.copyFor
			}
			g.after(start, func() { g.s.Start(a.ID) })
			g.after(start+g.copyFor, func() {
				n := len(g.done)
				g.done = g.s.CopiedBack(g.now, g.done)
				for _, id := range g.done[n:] {
					g.note("seen %d", g.table.CPU(id).Kernel)
				}
			})
			return Never
		}
	}
}

func (g *toy) run() {
	for steps := 0; ; steps++ {
		if steps > 100000 {
			g.t.Fatalf("no end; log tail %v", g.log[max(0, len(g.log)-10):])
		}
		wake := g.cpu()
		if len(g.due) > 0 && g.due[0].at <= wake {
			e := g.due[0]
			g.due = g.due[1:]
			g.now = e.at
			e.do()
			continue
		}
		if wake == Never {
			return
		}
		g.now = wake
	}
}

// Two tasks and waitAll, by hand: copies take 10, a task 100, the timeout is 50.
// B's arrival at 10 releases A. B's own state is asked for once its copy has
// landed (10 to 20), B is released (arrives at 30, runs to 130). A copy back
// begins 50 after the release, at 70, and sees neither done; the next at 130
// begins as both are (A at 110, B at 130).
func TestSpawnerWaitsForTheLastTask(t *testing.T) {
	g := newToy(t, 2, 4, Timing{ReleaseAfter: 1000, WaitTimeout: 50})
	for k := range uint32(2) {
		g.s.Offer(Task{Kernel: k, Blocks: 1, Threads: 32})
	}
	g.s.WaitAll()
	g.run()
	want := []string{"0 spawn 0", "0 spawn 1", "0 copy back 6", "10 run 0", "20 release 1", "30 run 1",
		"70 copy back 0", "130 copy back 0", "140 seen 0", "140 seen 1"}
	if !slices.Equal(g.log, want) {
		t.Errorf("log\n%q\nwant\n%q", g.log, want)
	}
	if g.s.Live() != 0 {
		t.Errorf("%d tasks live at the end", g.s.Live())
	}
}

// With no wait the last task is released ReleaseAfter the last spawn, and nobody
// asks for results.
func TestSpawnerReleasesAfterSilence(t *testing.T) {
	g := newToy(t, 1, 4, Timing{ReleaseAfter: 300})
	g.s.Offer(Task{Kernel: 5, Blocks: 1, Threads: 32})
	g.run()
	want := []string{"0 spawn 5", "300 copy back 2", "310 release 5", "320 run 5"}
	if !slices.Equal(g.log, want) {
		t.Errorf("log %q\nwant %q", g.log, want)
	}
}

// A full table: every task is run once, in few bulk copies, and only then.
func TestSpawnerCopiesBackWhenFull(t *testing.T) {
	g := newToy(t, 2, 2, Timing{ReleaseAfter: 1000, WaitTimeout: 50})
	for k := range uint32(40) {
		g.s.Offer(Task{Kernel: k, Blocks: 1, Threads: 32})
	}
	g.s.WaitAll()
	g.run()
	if len(g.done) != 40 || g.table.Room() != 4 {
		t.Fatalf("%d of 40 tasks seen done, %d of 4 entries free", len(g.done), g.table.Room())
	}
	if first := slices.IndexFunc(g.log, func(s string) bool { return s == "0 copy back 0" }); first != 4 {
		t.Errorf("the first copy back is action %d, want after 4 spawns: %q", first, g.log[:6])
	}
}

// Batches of 3: a batch begins when the one before has been seen done.
func TestSpawnerBatches(t *testing.T) {
	g := newToy(t, 4, 4, Timing{ReleaseAfter: 1000, WaitTimeout: 50, Batch: 3})
	for k := range uint32(7) {
		g.s.Offer(Task{Kernel: k, Blocks: 1, Threads: 32})
	}
	g.s.WaitAll()
	g.run()
	seen := 0
	spawned := 0
	for _, line := range g.log {
		var at, k int
		if n, _ := fmt.Sscanf(line, "%d seen %d", &at, &k); n == 2 {
			seen++
		}
		if n, _ := fmt.Sscanf(line, "%d spawn %d", &at, &k); n == 2 {
			if spawned%3 == 0 && seen != spawned {
				t.Errorf("task %d is spawned with %d of %d seen", k, seen, spawned)
			}
			spawned++
		}
	}
	if spawned != 7 || seen != 7 {
		t.Errorf("%d spawned, %d seen, want 7", spawned, seen)
	}
}

func TestSpawnerRefusesNegativeTimes(t *testing.T) {
	for _, timing := range []Timing{{ReleaseAfter: -1}, {WaitTimeout: -1}, {Batch: -1}} {
		if _, err := NewSpawner(newTable(t, 1, 2), timing); err == nil {
			t.Errorf("%+v was accepted", timing)
		}
	}
}

// A nested wait copies the table back beside the spawning, at its own pace: the
// fifth task is offered at 40, the first copy back is due at 0 + 35.
func TestNestedWaitCopiesBackBesideSpawning(t *testing.T) {
	table := newTable(t, 4, 4)
	s, err := NewSpawner(table, Timing{WaitTimeout: 1000, ReleaseAfter: 1000, Nested: 35})
	if err != nil {
		t.Fatal(err)
	}
	var acts []Act
	for now := int64(0); now <= 40; now += 10 {
		s.Offer(Task{Kernel: uint32(now), Blocks: 1, Threads: 32})
		s.Wait(NoID)
		a := s.Next(now)
		acts = append(acts, a.Act)
		if a.Act == ActSend {
			table.Arrive()
		}
	}
	if want := []Act{ActSend, ActSend, ActSend, ActSend, ActCopyBack}; !slices.Equal(acts, want) {
		t.Fatalf("the CPU does %v, want %v", acts, want)
	}
	s.Start(NoID)
	s.CopiedBack(50, nil)
	if a := s.Next(50); a.Act != ActSend {
		t.Errorf("after the copy back the CPU does %v, not the spawn", a.Act)
	}
}
