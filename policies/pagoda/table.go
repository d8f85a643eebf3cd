package pagoda

import (
	"fmt"
	"math/bits"
	"slices"
)

// Values of [State].Ready below the first taskId.
const (
	Free       int32 = 0  // no task: only the CPU touches the entry
	Copied     int32 = -1 // the parameters are on the GPU
	Scheduling int32 = 1  // being considered for scheduling, or running
)

// ID is a taskId: the reference to an entry of the [Table]. It is at least 2.
type ID int32

// NoID stands for no task.
const NoID ID = 0

const firstID ID = 2

// State is the state of an entry: (ready, sched) of figure 2(a). Ready is
// [Free], [Copied], [Scheduling] or the [ID] of the task spawned before.
type State struct {
	Ready int32
	Sched bool
}

// String writes the state as the paper does: (-1,0).
func (s State) String() string {
	sched := 0
	if s.Sched {
		sched = 1
	}
	return fmt.Sprintf("(%d,%d)", s.Ready, sched)
}

// Task is the task of an entry.
type Task struct {
	Kernel      uint32 // the caller's name for it
	Blocks      uint32 // threadblocks
	Threads     uint32 // per threadblock
	SharedBytes uint32 // per threadblock
	Sync        bool   // threadblocks synchronise: each needs a barrier
}

// WarpsPerBlock returns the warps of a threadblock.
func (t Task) WarpsPerBlock() uint32 { return (t.Threads + 31) / 32 }

// Warps returns the warps of the task.
func (t Task) Warps() uint32 { return t.Blocks * t.WarpsPerBlock() }

// Entry is one entry of the [Table], on one side.
type Entry struct {
	State
	Task
}

// flight is a copy of one entry on its way to the GPU.
type flight struct {
	id    ID
	entry Entry
}

// Table is the TaskTable: a column per MTB, each of the same number of rows, on
// the CPU and on the GPU. The methods named after the CPU ([Table.Spawn],
// [Table.ReleaseLast], the copies back) touch only the CPU's side, the others
// only the GPU's, as the hardware would have it.
//
// Calls in an order that the protocol forbids panic.
type Table struct {
	columns, rows int
	cpu, gpu      []Entry // by ID - firstID
	free          []uint64
	nfree         int
	hot           []uint64 // per column, rows of the GPU's side that a scan acts on
	next          int      // column at which the search for a free entry begins
	last          ID       // spawned last and not released yet
	flights       []flight // FIFO from sent on
	sent          int
	shot          []State // states under way to the CPU
	shotID        ID      // the one entry that shot is of; NoID: all
	reading       bool
	ended         int // tasks, since the start
}

// NewTable returns an empty table. Rows may be up to 64; the paper has 48
// columns (two MTBs on each of 24 SMMs) of 32 rows.
func NewTable(columns, rows int) (*Table, error) {
	if columns < 1 || columns > 1<<16 || rows < 1 || rows > 64 || columns*rows < 2 {
		return nil, fmt.Errorf("pagoda: task table of %d columns and %d rows: want 1 to 65536 columns, 1 to 64 rows and "+
			"at least two entries", columns, rows)
	}
	t := &Table{columns: columns, rows: rows, nfree: columns * rows,
		cpu: make([]Entry, columns*rows), gpu: make([]Entry, columns*rows),
		free: make([]uint64, columns), hot: make([]uint64, columns),
		shot: make([]State, 0, columns*rows)}
	for c := range t.free {
		t.free[c] = 1<<rows - 1
	}
	return t, nil
}

// ID returns the taskId of an entry.
func (t *Table) ID(column, row int) ID { return firstID + ID(column*t.rows+row) }

// Column returns the MTB that an entry belongs to.
func (t *Table) Column(id ID) int { return int(id-firstID) / t.rows }

// Row returns the row of an entry in its column.
func (t *Table) Row(id ID) int { return int(id-firstID) % t.rows }

// Rows returns the entries of one column.
func (t *Table) Rows() int { return t.rows }

// CPU returns an entry as the CPU has it.
func (t *Table) CPU(id ID) Entry { return t.cpu[id-firstID] }

// GPU returns an entry as the GPU has it.
func (t *Table) GPU(id ID) Entry { return t.gpu[id-firstID] }

// Span returns the entries from the first to the last that the CPU has a task in.
func (t *Table) Span() int {
	all := uint64(1)<<t.rows - 1
	used := func(free uint64) bool { return free != all }
	first := slices.IndexFunc(t.free, used)
	if first < 0 {
		return 0
	}
	last := t.columns - 1
	for !used(t.free[last]) {
		last--
	}
	return (last-first)*t.rows + bits.Len64(all&^t.free[last]) - bits.TrailingZeros64(all&^t.free[first])
}

// Last returns the task that waits for a successor to release it, or NoID.
func (t *Table) Last() ID { return t.last }

// InFlight returns how many copies to the GPU are under way.
func (t *Table) InFlight() int { return len(t.flights) - t.sent }

// Spawn puts a task into a free entry of the CPU's side and sends a copy of the
// entry on its way, which [Table.Arrive] ends. It reports false if the CPU knows
// of no free entry.
func (t *Table) Spawn(task Task) (ID, bool) {
	t.notReading("Spawn")
	if t.nfree == 0 {
		return NoID, false
	}
	c := t.next
	for t.free[c] == 0 {
		c = (c + 1) % t.columns
	}
	row := bits.TrailingZeros64(t.free[c])
	t.free[c] &^= 1 << row
	t.nfree--
	t.next = (c + 1) % t.columns

	id := t.ID(c, row)
	state := State{Ready: Copied}
	if t.last != NoID {
		state.Ready = int32(t.last)
	}
	t.last = id
	t.send(id, Entry{state, task})
	return id, true
}

// ReleaseLast releases the task spawned last in place of a successor and sends its entry. It reports false, and
// does nothing, unless the CPU's side has that entry as (-1,0). A first task's entry with no successor and no copy
// back since has this state: its copy went ahead of this one.
func (t *Table) ReleaseLast() (ID, bool) {
	t.notReading("ReleaseLast")
	id := t.last
	if id == NoID || t.CPU(id).State != (State{Ready: Copied}) {
		return NoID, false
	}
	t.last = NoID
	t.send(id, Entry{State{Ready: Scheduling, Sched: true}, t.CPU(id).Task})
	return id, true
}

func (t *Table) send(id ID, e Entry) {
	t.cpu[id-firstID] = e
	t.flights = append(t.flights, flight{id, e})
}

// Arrive ends the oldest copy to the GPU and returns its entry.
func (t *Table) Arrive() ID {
	if t.InFlight() == 0 {
		panic("pagoda: a copy arrived that was not sent")
	}
	f := t.flights[t.sent]
	if t.sent++; 2*t.sent >= len(t.flights) {
		t.flights = t.flights[:copy(t.flights, t.flights[t.sent:])]
		t.sent = 0
	}
	t.set(f.id, f.entry.State)
	t.gpu[f.id-firstID].Task = f.entry.Task
	return f.id
}

// set changes a state on the GPU's side and keeps hot in step.
func (t *Table) set(id ID, s State) {
	t.gpu[id-firstID].State = s
	bit := uint64(1) << t.Row(id)
	if s.Sched || s.Ready >= int32(firstID) {
		t.hot[t.Column(id)] |= bit
	} else {
		t.hot[t.Column(id)] &^= bit
	}
}

// StartCopyBack begins a copy of states to the CPU: of one entry, or with NoID
// of all that have a task, which lie in [Table.Span] entries. Copies to the GPU issued before must have arrived.
func (t *Table) StartCopyBack(id ID) {
	t.notReading("StartCopyBack")
	if t.InFlight() > 0 {
		panic("pagoda: a copy back overtakes a copy to the GPU")
	}
	t.reading, t.shotID, t.shot = true, id, t.shot[:0]
	if id != NoID {
		t.shot = append(t.shot, t.GPU(id).State)
		return
	}
	for i := range t.gpu {
		t.shot = append(t.shot, t.gpu[i].State)
	}
}

// FinishCopyBack ends the copy back and appends the tasks that the CPU now sees
// as done, in the order of their ids.
func (t *Table) FinishCopyBack(done []ID) []ID {
	if !t.reading {
		panic("pagoda: a copy back ended that had not begun")
	}
	t.reading = false
	first := t.shotID
	if first == NoID {
		first = firstID
	}
	for i, s := range t.shot {
		id := first + ID(i)
		switch e := &t.cpu[id-firstID]; {
		case e.Ready == Free:
		case s.Ready == Free:
			t.clear(id, e, s)
			done = append(done, id)
		default:
			e.State = s
		}
	}
	return done
}

func (t *Table) notReading(what string) {
	if t.reading {
		panic("pagoda: " + what + " while the CPU waits for a copy back")
	}
}

// Linkable reports whether the task that an entry points to can be released:
// line 8 of algorithm 1.
func (t *Table) Linkable(id ID) bool {
	prev := t.GPU(id).Ready
	return prev >= int32(firstID) && t.GPU(ID(prev)).Ready == Copied
}

// Release sets the task that an entry points to, to (1,1), and the entry itself
// to (-1,0): lines 12 and 13. It returns the released task.
func (t *Table) Release(id ID) ID {
	if !t.Linkable(id) {
		panic(fmt.Sprintf("pagoda: task %d in state %v cannot release its predecessor", id, t.GPU(id).State))
	}
	prev := ID(t.GPU(id).Ready)
	t.set(prev, State{Ready: Scheduling, Sched: true})
	t.set(id, State{Ready: Copied})
	return prev
}

// Take sets the task that an entry points to, to (1,0), and the entry itself to
// (-1,0): the scheduler warp that has found it schedules its predecessor. It
// returns the task to be scheduled.
func (t *Table) Take(id ID) ID {
	prev := t.Release(id)
	t.Begin(prev)
	return prev
}

// Begin clears the sched flag: line 15.
func (t *Table) Begin(id ID) {
	if t.GPU(id).State != (State{Ready: Scheduling, Sched: true}) {
		panic(fmt.Sprintf("pagoda: task %d is scheduled in state %v", id, t.GPU(id).State))
	}
	t.set(id, State{Ready: Scheduling})
}

// only returns the one entry that is not free by the CPU's copy.
func (t *Table) only() ID {
	for c, free := range t.free {
		if taken := ^free & (1<<t.rows - 1); taken != 0 {
			return t.ID(c, bits.TrailingZeros64(taken))
		}
	}
	return NoID
}

// Done frees the entry on the GPU's side: line 42.
func (t *Table) Done(id ID) {
	if t.GPU(id).State != (State{Ready: Scheduling}) {
		panic(fmt.Sprintf("pagoda: task %d ends in state %v", id, t.GPU(id).State))
	}
	t.set(id, State{})
	t.ended++
}

// Ended returns how many tasks have ended on the GPU: the artifact's
// totalScheTasks, which the last warp of a task increments.
func (t *Table) Ended() int { return t.ended }

// learn takes over that an entry of the CPU's side is free on the GPU, and
// reports whether that is news.
func (t *Table) learn(id ID, s State) bool {
	e := &t.cpu[id-firstID]
	if s.Ready != Free || e.Ready == Free {
		return false
	}
	t.clear(id, e, s)
	return true
}

func (t *Table) clear(id ID, e *Entry, s State) {
	e.State = s
	t.free[t.Column(id)] |= 1 << t.Row(id)
	t.nfree++
}

// quiet reports whether a scan of the column would change nothing, leaving out the rows of a set.
func (t *Table) quiet(column int, but uint64) bool {
	for hot := t.hot[column] &^ but; hot != 0; hot &= hot - 1 {
		id := t.ID(column, bits.TrailingZeros64(hot))
		if t.GPU(id).Sched || t.Linkable(id) {
			return false
		}
	}
	return true
}
