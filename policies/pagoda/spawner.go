package pagoda

import "fmt"

// Never is a time that does not come.
const Never = int64(1)<<62 - 1

// Timing holds the waiting times of the [Spawner], in the caller's unit of time.
type Timing struct {
	ReleaseAfter int64 // without a spawn: the last task is released by the CPU
	WaitTimeout  int64 // of wait and waitAll: until they force a copy back
	Nested       int64 // of waits that go on beside the spawning: until they force a copy back; 0: they never do
	Batch        int   // tasks that must all be done before the next batch; 0: spawn continuously
}

// Act is what the CPU does next.
type Act uint8

const (
	ActSleep    Act = iota // nothing until [Action].Until, or until the caller has news
	ActSend                // copy the entry of ID to the GPU; its arrival is [Table.Arrive]
	ActCopyBack            // copy states back: of the entry ID, or the whole table if it is NoID
)

// Action is one step of the CPU.
type Action struct {
	Act     Act
	ID      ID
	Release bool  // ActSend: the entry is sent again to release the last task
	Until   int64 // ActSleep
}

// wait is what the CPU's program waits for.
type wait uint8

const (
	waitNone wait = iota
	waitOne
	waitAll
)

// Spawner is the CPU thread of section 4.2: it spawns what it is offered as
// entries become free, releases the last task when no other comes, and copies
// the table back when it finds no room or when a wait has timed out.
//
// The engine calls [Spawner.Next] whenever the CPU is idle, carries the action
// out, and reports the end of a copy back with [Spawner.CopiedBack].
type Spawner struct {
	table   *Table
	timing  Timing
	queue   []Task // offered and not spawned, from head on
	head    int
	live    int // spawned and not seen done
	batch   int // spawned in this batch
	shown   bool
	spawned int64 // time of the last spawn
	heard   int64 // time of the last copy back, or of the first spawn after all tasks were done
	news    int64 // time of the last spawn or copy back
	waiting wait
	target  ID
	busy    bool
}

// NewSpawner returns a spawner on an empty table.
func NewSpawner(table *Table, timing Timing) (*Spawner, error) {
	if timing.ReleaseAfter < 0 || timing.WaitTimeout < 0 || timing.Nested < 0 || timing.Batch < 0 {
		return nil, fmt.Errorf("pagoda: waiting times and batch size must not be negative: %+v", timing)
	}
	return &Spawner{table: table, timing: timing}, nil
}

// Offer appends a task whose inputs are ready to those to be spawned.
func (s *Spawner) Offer(task Task) { s.queue = append(s.queue, task) }

// Offered returns how many tasks are offered and not spawned.
func (s *Spawner) Offered() int { return len(s.queue) - s.head }

// Live returns how many tasks are spawned and not seen done.
func (s *Spawner) Live() int { return s.live }

// WaitAll tells that the program waits for all tasks, or for results on which
// its further tasks depend: it offers none until some are done.
func (s *Spawner) WaitAll() { s.waiting, s.target = waitAll, NoID }

// Wait tells that the program waits for one task, which it holds the id of, and
// that other threads may go on to offer tasks.
func (s *Spawner) Wait(id ID) { s.waiting, s.target = waitOne, id }

// WaitOver ends the wait.
func (s *Spawner) WaitOver() { s.waiting, s.target = waitNone, NoID }

// Next returns what the CPU does at time now. ActSend has already changed the
// CPU's side of the table.
func (s *Spawner) Next(now int64) Action {
	switch {
	case s.busy:
		return Action{Until: Never}
	case s.timing.Nested > 0 && s.waiting != waitNone && s.live > 0 && now >= s.heard+s.timing.Nested:
		return s.copyBack(NoID)
	case s.Offered() > 0 && s.batchOpen():
		return s.spawn(now)
	case s.table.Last() != NoID:
		return s.release(now)
	case s.Offered() > 0: // the batch is not done
		return s.poll(now, NoID)
	case s.live > 0 && s.waiting != waitNone:
		return s.poll(now, s.target)
	}
	return Action{Until: Never}
}

func (s *Spawner) batchOpen() bool {
	return s.timing.Batch == 0 || s.batch < s.timing.Batch
}

func (s *Spawner) spawn(now int64) Action {
	id, ok := s.table.Spawn(s.queue[s.head])
	if !ok {
		return s.copyBack(NoID)
	}
	s.pop()
	if s.live == 0 {
		s.heard = now
	}
	s.live++
	s.batch++
	s.shown = false
	s.spawned, s.news = now, now
	return Action{Act: ActSend, ID: id}
}

func (s *Spawner) pop() {
	if s.head++; 2*s.head >= len(s.queue) {
		s.queue = s.queue[:copy(s.queue, s.queue[s.head:])]
		s.head = 0
	}
}

// release lets the last task go: its state is copied back first, until it is
// (-1,0).
func (s *Spawner) release(now int64) Action {
	last := s.waiting == waitAll || !s.batchOpen()
	if at := s.spawned + s.timing.ReleaseAfter; !last && now < at {
		return Action{Until: at}
	}
	if !s.shown {
		return s.copyBack(s.table.Last())
	}
	id, ok := s.table.ReleaseLast()
	if !ok {
		panic("pagoda: the last task was shown as copied and cannot be released")
	}
	s.news = now
	return Action{Act: ActSend, ID: id, Release: true}
}

// poll copies back once nothing has been heard for WaitTimeout.
func (s *Spawner) poll(now int64, id ID) Action {
	if at := s.news + s.timing.WaitTimeout; now < at {
		return Action{Until: at}
	}
	return s.copyBack(id)
}

func (s *Spawner) copyBack(id ID) Action {
	s.busy = true
	return Action{Act: ActCopyBack, ID: id}
}

// Start begins the transfer of the copy back that [Spawner.Next] asked for: the
// states are those of this moment. All entries sent before must have arrived.
func (s *Spawner) Start(id ID) { s.table.StartCopyBack(id) }

// CopiedBack ends a copy back at time now, and appends the tasks seen done.
func (s *Spawner) CopiedBack(now int64, done []ID) []ID {
	n := len(done)
	done = s.table.FinishCopyBack(done)
	s.busy = false
	s.news, s.heard = now, now
	if s.live -= len(done) - n; s.live == 0 {
		s.batch = 0
	}
	if last := s.table.Last(); last != NoID {
		s.shown = s.table.CPU(last).State == State{Ready: Copied}
	}
	return done
}
