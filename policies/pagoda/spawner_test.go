package pagoda

import (
	"fmt"
	"slices"
	"strings"
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

func newToy(t testing.TB, columns, rows int, batch int) *toy {
	t.Helper()
	table := newTable(t, columns, rows)
	s, err := NewSpawner(table, batch)
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

// cpu lets the CPU act until it has nothing to do.
func (g *toy) cpu() {
	for {
		a := g.s.Next()
		switch a.Act {
		case ActSleep:
			return
		case ActSend:
			if a.Release {
				g.note("release %d", g.table.CPU(a.ID).Kernel)
			} else {
				g.note("spawn %d", g.table.CPU(a.ID).Kernel)
			}
			g.after(g.copyFor, func() { g.table.Arrive(); g.scan() })
		case ActPoll:
			found := g.table.Ended()
			g.note("poll %d", found)
			g.after(g.copyFor, func() { g.s.Polled(found) })
		case ActCopyBack:
			g.note("copy back %d", a.ID)
			start := int64(0) // after the copies sent before
			if g.table.InFlight() > 0 {
				start = g.copyFor
			}
			g.after(start, func() { g.s.Start(a.ID) })
			g.after(start+g.copyFor, func() {
				n := len(g.done)
				g.done = g.s.CopiedBack(g.done)
				for _, id := range g.done[n:] {
					g.note("seen %d", g.table.CPU(id).Kernel)
				}
			})
		}
	}
}

func (g *toy) run() {
	for steps := 0; ; steps++ {
		if steps > 100000 {
			g.t.Fatalf("no end; log tail %v", g.log[max(0, len(g.log)-10):])
		}
		g.cpu()
		if len(g.due) == 0 {
			return
		}
		e := g.due[0]
		g.due = g.due[1:]
		g.now = e.at
		e.do()
	}
}

// Two tasks and waitAll, by hand: copies take 10, a task 100. B's arrival at 10
// releases A. B's own state is requested once its copy has landed (10 to 20), B is
// released (arrives at 30, runs to 130). The counter is read every 10 from 20 on:
// that at 130 begins as B has ended, and the table follows at 140.
func TestSpawnerWaitsForTheLastTask(t *testing.T) {
	g := newToy(t, 2, 4, 0)
	for k := range uint32(2) {
		g.s.Offer(Task{Kernel: k, Blocks: 1, Threads: 32})
	}
	g.s.Wait(WaitAll)
	g.run()
	polls := 0
	var rest []string
	for _, line := range g.log {
		if strings.Contains(line, "poll") {
			polls++
		} else {
			rest = append(rest, line)
		}
	}
	if want := []string{"0 spawn 0", "0 spawn 1", "0 copy back 6", "10 run 0", "20 release 1", "30 run 1",
		"140 copy back 0", "150 seen 0", "150 seen 1"}; !slices.Equal(rest, want) || polls != 12 {
		t.Errorf("log with %d polls\n%q\nwant 12\n%q", polls, rest, want)
	}
	if g.s.Live() != 0 {
		t.Errorf("%d tasks live at the end", g.s.Live())
	}
}

// A program that waits for any task reads the table when the first has ended: A
// ends at 110, which the read at 110 finds.
func TestSpawnerWaitsForAnyTask(t *testing.T) {
	g := newToy(t, 2, 4, 0)
	for k := range uint32(2) {
		g.s.Offer(Task{Kernel: k, Blocks: 1, Threads: 32})
	}
	g.s.Wait(WaitAny)
	g.run()
	if !slices.Contains(g.log, "120 copy back 0") || !slices.Contains(g.log, "130 seen 0") {
		t.Errorf("log %q", g.log)
	}
}

// While the program will spawn more the last task waits for its successor. When it has none to spawn now, the CPU
// releases it, and no thread requests results.
func TestSpawnerReleasesWhenIdle(t *testing.T) {
	g := newToy(t, 1, 4, 0)
	g.s.Offer(Task{Kernel: 5, Blocks: 1, Threads: 32})
	g.run()
	if want := []string{"0 spawn 5"}; !slices.Equal(g.log, want) {
		t.Errorf("log %q\nwant %q", g.log, want)
	}
	g.s.Wait(WaitIdle)
	g.run()
	want := []string{"0 spawn 5", "10 release 5", "20 run 5"}
	if !slices.Equal(g.log, want) {
		t.Errorf("log %q\nwant %q", g.log, want)
	}
}

// A full table: every task is run once, in few bulk copies, and only then.
func TestSpawnerCopiesBackWhenFull(t *testing.T) {
	g := newToy(t, 2, 2, 0)
	for k := range uint32(40) {
		g.s.Offer(Task{Kernel: k, Blocks: 1, Threads: 32})
	}
	g.s.Wait(WaitAll)
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
	g := newToy(t, 4, 4, 3)
	for k := range uint32(7) {
		g.s.Offer(Task{Kernel: k, Blocks: 1, Threads: 32})
	}
	g.s.Wait(WaitAll)
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

func TestSpawnerRefusesNegativeBatch(t *testing.T) {
	if _, err := NewSpawner(newTable(t, 1, 2), -1); err == nil {
		t.Error("a batch of -1 tasks was accepted")
	}
}

// A wait for one task learns of its end by its entry, once; a copy of the table
// that began before says nothing new.
func TestSpawnerLearnsOfOneTask(t *testing.T) {
	g := newToy(t, 1, 4, 0)
	g.s.Offer(Task{Kernel: 5, Blocks: 1, Threads: 32})
	g.s.Wait(WaitIdle)
	g.run()
	id := g.table.ID(0, 0)
	if g.s.Learn(id, State{Ready: Scheduling}) || !g.s.Learn(id, g.table.GPU(id).State) ||
		g.s.Learn(id, g.table.GPU(id).State) {
		t.Error("the end of the task was not learned once")
	}
	if g.s.Live() != 0 || g.table.Room() != 4 {
		t.Errorf("%d live, room for %d", g.s.Live(), g.table.Room())
	}
}
