package pagoda

import (
	"fmt"
	"math/bits"
)

// Slot is the WarpTable's record of one executor warp (table 2).
type Slot struct {
	Exec    bool   // the warp runs, or is about to run, a task
	Entry   ID     // eNum: the task
	Row     int    // of the task's doneCtr
	Warp    uint32 // warpId: the warp's index in the task
	SMIndex Node   // shared memory of the threadblock; NoNode: none
	Barrier int8   // of the threadblock; -1: none
}

// Start is called when a scheduler warp has set an executor warp going.
type Start struct {
	Slot   int
	Kernel uint32 // Task.Kernel
	Block  uint32 // threadblock
	Warp   uint32 // in the threadblock
}

// End tells which threadblock and task ended with a warp.
type End struct {
	Kernel uint32
	Block  uint32
	Last   bool // the threadblock has ended
	Task   bool // the task has ended, and its entry is free on the GPU
}

// phase is where the scheduler warp stands in algorithm 1.
type phase uint8

const (
	phaseScan phase = iota
	phaseCheck
	phaseNotReady
	phaseRelease
	phaseBegin
	phaseBarrier
	phaseFree
	phaseClimb
	phaseSearch
	phaseMark
	phaseBlock
	phaseSlots
)

// live is a threadblock with warps that have not ended.
type live struct {
	entry ID
	block uint32
	left  uint32 // warps not ended
}

// MTB is one MasterKernel threadblock: the scheduler warp, the WarpTable, the barriers and the shared memory of one
// column of the [Table].
//
// The scheduler warp is an iterator: [MTB.Next] names the code that it executes next, and once the engine has
// issued it, [MTB.Apply] has its effect. The engine reports every executor warp that ends with [MTB.WarpDone].
type MTB struct {
	cfg    MTBConfig
	table  *Table
	column int
	shared *Buddy
	slots  []Slot
	idle   uint64 // executors whose exec flag is clear
	names  uint64 // free barriers
	blocks []live
	done   []uint32 // doneCtr, per row
	held   uint64   // rows whose doneCtr is in use by a task of another column or row

	phase   phase
	next    Block // the code announced for this phase
	row     int   // i of line 3
	entry   ID
	after   ID // the successor's entry through which the task is scheduled; NoID: its own
	task    Task
	tb      uint32 // j of line 18
	counter uint32 // ctr[i]
	base    uint32 // baseWarpId
	node    Node
	barrier int8
	climb   int
	started []Start
}

// NewMTB returns the idle threadblock of a column. Every task that reaches it
// must be one that cfg admits.
func NewMTB(table *Table, column int, cfg MTBConfig) (*MTB, error) {
	if cfg.Executors < 1 || cfg.Executors > 63 || cfg.Barriers < 1 || cfg.Barriers > 64 {
		return nil, fmt.Errorf("pagoda: %d executor warps and %d barriers: want 1 to 63 and 1 to 64", cfg.Executors,
			cfg.Barriers)
	}
	shared, err := NewBuddy(cfg.SharedBytes, cfg.SmallestBlock)
	if err != nil {
		return nil, err
	}
	m := &MTB{cfg: cfg, table: table, column: column, shared: shared,
		slots: make([]Slot, cfg.Executors), idle: 1<<cfg.Executors - 1, names: ^uint64(0) >> (64 - cfg.Barriers),
		done: make([]uint32, table.Rows()), barrier: -1}
	for i := range m.slots {
		m.slots[i].Barrier = -1
	}
	return m, nil
}

// Slot returns an executor warp's record.
func (m *MTB) Slot(i int) Slot { return m.slots[i] }

// Busy returns the number of executor warps at work.
func (m *MTB) Busy() int { return m.cfg.Executors - bits.OnesCount64(m.idle) }

// Entry returns the entry that the announced code reads or writes in GPU memory.
func (m *MTB) Entry() ID {
	if m.phase == phaseScan {
		return m.table.ID(m.column, m.row)
	}
	return m.entry
}

// Next returns the code that the scheduler warp executes next. It changes
// nothing that matters to anyone else, and is to be followed by [MTB.Apply].
func (m *MTB) Next() Block {
	switch m.phase {
	case phaseScan:
		m.next = ScanEntry
	case phaseCheck:
		m.next = CheckPrev
	case phaseNotReady:
		m.next = PrevNotReady
	case phaseRelease:
		m.next = ReleasePrev
	case phaseBegin:
		m.next = BeginTask
	case phaseBarrier:
		m.next = GetBarrier
	case phaseFree:
		m.next = NothingToFree
		if m.shared.Pending() > 0 {
			m.next = FreeShared
		}
	case phaseClimb:
		m.next = ClimbShared
	case phaseSearch:
		m.next = SearchShared
	case phaseMark:
		m.next = MarkShared
	case phaseBlock:
		m.next = BeginBlock
	case phaseSlots:
		m.next = LookForSlots
		if m.idle != 0 {
			m.next = TakeSlots
		}
	}
	return m.next
}

// Apply has the effect of the code that [MTB.Next] announced, at the moment at which its last instruction has
// issued. It returns the executor warps that it set going, valid until the next call.
func (m *MTB) Apply() []Start {
	m.started = m.started[:0]
	switch m.next {
	case ScanEntry:
		m.scan()
	case CheckPrev:
		m.phase = phaseNotReady
		if m.table.Linkable(m.entry) {
			m.phase = phaseRelease
			if m.cfg.Successor {
				m.phase, m.after, m.entry = phaseBegin, m.entry, ID(m.table.GPU(m.entry).Ready)
			}
		}
	case PrevNotReady:
		m.nextRow()
	case ReleasePrev:
		m.table.Release(m.entry)
		m.nextRow()
	case BeginTask:
		m.begin()
	case GetBarrier:
		if m.names != 0 {
			m.barrier = int8(bits.TrailingZeros64(m.names))
			m.names &= m.names - 1
			m.afterBarrier()
		}
	case NothingToFree:
		m.phase = phaseSearch
	case FreeShared:
		m.climb, _ = m.shared.FreeOne()
		m.phase = phaseFree
		if m.climb > 0 {
			m.phase = phaseClimb
		}
	case ClimbShared:
		if m.climb--; m.climb == 0 {
			m.phase = phaseFree
		}
	case SearchShared:
		m.phase = phaseFree
		if _, ok := m.shared.Find(int(m.task.SharedBytes)); ok {
			m.phase = phaseMark
		}
	case MarkShared:
		m.node, _ = m.shared.Alloc(int(m.task.SharedBytes))
		m.phase = phaseBlock
	case BeginBlock:
		m.counter = m.task.WarpsPerBlock()
		m.base = m.counter * m.tb
		m.phase = phaseSlots
	case TakeSlots:
		m.take()
	}
	return m.started
}

func (m *MTB) scan() {
	m.seek()
	m.entry, m.after = m.table.ID(m.column, m.row), NoID
	switch s := m.table.GPU(m.entry).State; {
	case m.held>>m.row&1 != 0:
		m.nextRow()
	case s.Ready >= int32(firstID):
		m.phase = phaseCheck
	case s.Sched:
		m.phase = phaseBegin
	default:
		m.nextRow()
	}
}

// seek moves a scan that reads several entries at once to the first of them in
// which something may be to be done.
func (m *MTB) seek() {
	for range m.cfg.ScanRows - 1 {
		if m.table.hot[m.column]>>m.row&1 != 0 {
			return
		}
		m.row = (m.row + 1) % m.table.Rows()
	}
}

func (m *MTB) nextRow() {
	m.row = (m.row + 1) % m.table.Rows()
	m.phase = phaseScan
}

// perBlock reports whether the task's threadblocks are scheduled one by one:
// line 17.
func (t Task) perBlock() bool { return t.SharedBytes > 0 || t.Sync }

func (m *MTB) begin() {
	if m.after != NoID {
		m.table.Take(m.after)
	} else {
		m.table.Begin(m.entry)
	}
	m.task = m.table.GPU(m.entry).Task
	if err := m.cfg.Admits(m.task); err != nil {
		panic("pagoda: " + err.Error())
	}
	m.done[m.row] = m.task.Warps()
	if m.cfg.Successor {
		m.held |= 1 << m.row
	}
	m.tb, m.base, m.node, m.barrier = 0, 0, NoNode, -1
	if m.task.perBlock() {
		m.beginBlock()
		return
	}
	m.counter = m.task.Warps()
	m.phase = phaseSlots
}

func (m *MTB) beginBlock() {
	m.node, m.barrier = NoNode, -1
	if m.task.Sync {
		m.phase = phaseBarrier
		return
	}
	m.afterBarrier()
}

func (m *MTB) afterBarrier() {
	m.phase = phaseBlock
	if m.task.SharedBytes > 0 {
		m.phase = phaseFree
	}
}

// take gives free executors to the warps that the counter still holds.
func (m *MTB) take() {
	for m.idle != 0 && m.counter > 0 {
		slot := bits.TrailingZeros64(m.idle)
		m.idle &= m.idle - 1
		m.counter--
		warp := m.counter + m.base
		m.slots[slot] = Slot{Exec: true, Entry: m.entry, Row: m.row, Warp: warp, SMIndex: m.node, Barrier: m.barrier}
		per := m.task.WarpsPerBlock()
		m.open(warp / per)
		m.started = append(m.started, Start{slot, m.task.Kernel, warp / per, warp % per})
	}
	if m.counter > 0 {
		return
	}
	if m.tb++; m.task.perBlock() && m.tb < m.task.Blocks {
		m.beginBlock()
		return
	}
	m.nextRow()
}

// open makes sure that the threadblock is among those alive.
func (m *MTB) open(block uint32) {
	if m.find(m.entry, block) < 0 {
		m.blocks = append(m.blocks, live{m.entry, block, m.task.WarpsPerBlock()})
	}
}

func (m *MTB) find(entry ID, block uint32) int {
	for i := range m.blocks {
		if m.blocks[i].entry == entry && m.blocks[i].block == block {
			return i
		}
	}
	return -1
}

// WarpDone ends the task's work on an executor warp: lines 34 to 43. The warp is free at once. The last of its
// threadblock marks the shared memory and gives back the barrier; the last of its task frees the entry on the GPU's
// side.
func (m *MTB) WarpDone(slot int) End {
	s := m.slots[slot]
	if !s.Exec {
		panic(fmt.Sprintf("pagoda: executor warp %d ends and is idle", slot))
	}
	task := m.table.GPU(s.Entry).Task
	end := End{Kernel: task.Kernel, Block: s.Warp / task.WarpsPerBlock()}
	i := m.find(s.Entry, end.Block)
	if m.blocks[i].left--; m.blocks[i].left == 0 {
		end.Last = true
		last := len(m.blocks) - 1
		m.blocks[i] = m.blocks[last]
		m.blocks = m.blocks[:last]
		if s.SMIndex != NoNode {
			m.shared.Mark(s.SMIndex)
		}
		if s.Barrier >= 0 {
			m.names |= 1 << s.Barrier
		}
	}
	if m.done[s.Row]--; m.done[s.Row] == 0 {
		end.Task = true
		m.held &^= 1 << s.Row
		m.table.Done(s.Entry)
	}
	m.slots[slot] = Slot{Barrier: -1}
	m.idle |= 1 << slot
	return end
}
