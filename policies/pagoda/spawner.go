package pagoda

import "fmt"

// Act is the CPU's next action.
type Act uint8

const (
	ActSleep    Act = iota // nothing until the caller has news
	ActSend                // copy the entry of ID to the GPU; its arrival is [Table.Arrive]
	ActCopyBack            // copy states back: of the entry ID, or of all that have a task if it is NoID
	ActPoll                // copy the counter of ended tasks back
)

// Action is one step of the CPU.
type Action struct {
	Act     Act
	ID      ID
	Release bool // ActSend: the entry is sent again to release the last task
}

// Wait is the CPU program's state while it has no task to spawn.
type Wait uint8

const (
	WaitNone Wait = iota // it waits for nothing and will spawn more: the last task stays unreleased
	WaitIdle             // it has none to spawn now
	WaitAny              // it spawns none before a task is seen done
	WaitAll              // nor before all are
)

// Spawner is the CPU thread of section 4.2: it spawns offered tasks as entries become free and releases the last
// task when no other comes. It copies the table back when it finds no room or, while the program waits, when the
// counter of ended tasks has moved.
//
// The engine calls [Spawner.Next] whenever the CPU is idle, carries the action out, and reports the end of a copy
// back with [Spawner.CopiedBack] and of a poll with [Spawner.Polled].
type Spawner struct {
	table *Table
	size  int    // tasks of a batch; 0: it spawns continuously
	queue []Task // offered and not spawned, from head on
	head  int
	live  int  // spawned and not seen done
	seen  int  // seen done in all
	batch int  // spawned in this batch
	moved bool // the counter says that there is something to be seen
	wait  Wait
	busy  bool
}

// NewSpawner returns a spawner on an empty table. Of a batch all tasks must be
// done before the next is spawned; 0: there are none.
func NewSpawner(table *Table, batch int) (*Spawner, error) {
	if batch < 0 {
		return nil, fmt.Errorf("pagoda: a batch of %d tasks", batch)
	}
	return &Spawner{table: table, size: batch}, nil
}

// Offer appends a task whose inputs are ready to those to be spawned.
func (s *Spawner) Offer(task Task) { s.queue = append(s.queue, task) }

// Offered returns how many tasks are offered and not spawned.
func (s *Spawner) Offered() int { return len(s.queue) - s.head }

// Live returns how many tasks are spawned and not seen done.
func (s *Spawner) Live() int { return s.live }

// Wait tells the program's state beside its offered tasks.
func (s *Spawner) Wait(w Wait) { s.wait = w }

// Next returns the CPU's next action. ActSend has already changed the CPU's side of the table.
func (s *Spawner) Next() Action {
	switch {
	case s.busy:
		return Action{}
	case s.Offered() > 0 && !s.closed():
		return s.spawn()
	case s.table.Last() != NoID && (s.closed() || s.wait != WaitNone):
		return s.release()
	case s.live > 0 && s.moved:
		return s.copyBack(NoID)
	case s.Polling() && s.live == 1:
		return s.copyBack(s.table.only())
	case s.Polling():
		s.busy = true
		return Action{Act: ActPoll}
	}
	return Action{}
}

// Polling reports whether the CPU reads the counter, or the entry of the one task
// that is live, until there is news.
func (s *Spawner) Polling() bool {
	return s.live > 0 && (s.closed() || s.Offered() == 0 && s.wait >= WaitAny)
}

// closed reports whether no task is spawned before all of the batch are done.
func (s *Spawner) closed() bool { return s.size > 0 && s.batch >= s.size }

func (s *Spawner) spawn() Action {
	id, ok := s.table.Spawn(s.queue[s.head])
	if !ok {
		return s.copyBack(NoID)
	}
	s.pop()
	s.live++
	s.batch++
	return Action{Act: ActSend, ID: id}
}

func (s *Spawner) pop() {
	if s.head++; 2*s.head >= len(s.queue) {
		s.queue = s.queue[:copy(s.queue, s.queue[s.head:])]
		s.head = 0
	}
}

// release lets the last task go, once its state is (-1,0): an earlier copy would overwrite the pointer to its
// predecessor. A task with no predecessor has that state from the start; another one's is copied back first.
func (s *Spawner) release() Action {
	id, ok := s.table.ReleaseLast()
	if !ok {
		return s.copyBack(s.table.Last())
	}
	return Action{Act: ActSend, ID: id, Release: true}
}

func (s *Spawner) copyBack(id ID) Action {
	s.busy = true
	return Action{Act: ActCopyBack, ID: id}
}

// Start begins the transfer of the copy back that [Spawner.Next] requested, with the states of this moment. All
// entries sent before must have arrived.
func (s *Spawner) Start(id ID) { s.table.StartCopyBack(id) }

// CopiedBack ends a copy back, and appends the tasks seen done.
func (s *Spawner) CopiedBack(done []ID) []ID {
	n := len(done)
	done = s.table.FinishCopyBack(done)
	s.busy, s.moved = false, false
	s.saw(len(done) - n)
	return done
}

// Polled ends a poll that found so many tasks ended since the GPU's start.
func (s *Spawner) Polled(ended int) {
	s.busy = false
	s.moved = ended == s.seen+s.live || ended > s.seen && s.wait != WaitAll && !s.closed()
}

// Learn tells the CPU the state that an entry had on the GPU, by a copy of the
// entry's ready field that another thread made. It reports whether the task is
// thereby seen done.
func (s *Spawner) Learn(id ID, state State) bool {
	if !s.table.learn(id, state) {
		return false
	}
	s.saw(1)
	return true
}

func (s *Spawner) saw(n int) {
	s.seen += n
	if s.live -= n; s.live == 0 {
		s.batch = 0
	}
}
