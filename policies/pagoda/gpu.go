package pagoda

import (
	"math/bits"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// machineCode is the MasterKernel's code, prepared for the machine.
type machineCode struct {
	blocks [NumBlocks]*exec.Program
	leave  [3]*exec.Program // of a warp; of the last of its threadblock; of the last of its task
}

func newMachineCode(sm *hardware.SMConfig) machineCode {
	c := NewCode()
	var ranges [][2]uint32
	for b := range NumBlocks {
		first, end := c.Range(Block(b))
		ranges = append(ranges, [2]uint32{first, end})
	}
	from := ranges[LeaveWarp][0]
	for _, b := range []Block{LeaveWarp, LeaveBlock, LeaveTask} {
		ranges = append(ranges, [2]uint32{from, ranges[b][1]})
	}
	programs := exec.NewPrograms(&c.Function, sm, ranges)
	var p machineCode
	copy(p.blocks[:], programs)
	copy(p.leave[:], programs[NumBlocks:])
	return p
}

// masterCTA is one MasterKernel threadblock: its warp 0 is the scheduler warp, warp
// 1+s the executor of slot s.
type masterCTA struct {
	run    *Runtime
	column int
	state  *MTB
	res    *model.PersistentCTA
	next   Block      // that the scheduler warp runs
	parked bool       // the scheduler warp idles
	since  model.Time // from when
	slots  []executor
	open   []openBlock
	leaves map[model.Time]uint64 // executors whose work ends in later cycles
}

// executor is the state of an executor warp.
type executor struct {
	stage stage
	task  *model.Task
	entry ID
	block uint32
	warp  uint32
}

type stage uint8

const (
	executorIdle stage = iota
	executorEnters
	executorWorks
	executorLeaves
)

// openBlock is a threadblock with executor warps that have not left.
type openBlock struct {
	task  *model.Task
	block uint32
	left  uint32 // warps; the trace may have no work of some
	cta   model.TaskCTA
}

// scanCycles is how long a scheduler warp takes for an entry without work, as the pace of an idle one: a load from
// the L2 and the instructions behind it.
func scanCycles(c *hardware.Config) model.Time {
	return model.Time(max(1, c.L1.BypassLatency+2*c.Icnt.Latency+c.L2.Latency+1+3*(c.Exec.Int.Latency+c.SM.PipelineDepth)))
}

// masterKernel is the shape of an MTB.
func (r *Runtime) masterKernel() *trace.Kernel {
	warps := uint32(r.shape.MTB.Executors + 1)
	return &trace.Kernel{
		Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{hardware.WarpSize * warps, 1, 1},
		Registers: r.shape.Registers, SharedBytes: uint32(r.shape.MTB.SharedBytes) + r.tableBytes(),
	}
}

// mtbsOf is how many MTBs an SM of the machine holds.
func (r *Runtime) mtbsOf(c *hardware.Config) int {
	if r.shape.MTBs > 0 {
		return r.shape.MTBs
	}
	n, _ := c.Residency(r.masterKernel())
	return max(1, min(2, n))
}

// startGPU puts the MasterKernel on the SMs.
func (r *Runtime) startGPU(columns int) error {
	r.code = newMachineCode(&r.m.Config().SM)
	kernel := r.masterKernel()
	for c := range columns {
		state, err := NewMTB(r.table, c, r.shape.MTB)
		if err != nil {
			return err
		}
		b := &masterCTA{run: r, column: c, state: state, parked: true, slots: make([]executor, r.shape.MTB.Executors),
			leaves: map[model.Time]uint64{}}
		// MTBs of one SM are apart in the table: neighbours go to different SMs.
		if b.res, err = r.m.Reserve(c%r.m.SMs(), kernel, b); err != nil {
			return err
		}
		r.mtbs = append(r.mtbs, b)
	}
	return nil
}

// tableBytes are the bytes that an MTB keeps in shared memory beside the tasks' pool: the WarpTable (20 bytes a
// slot), two counters a row, and a byte for every node of the tree.
func (r *Runtime) tableBytes() uint32 {
	return uint32(20*r.shape.MTB.Executors + 8*r.shape.Rows + 2*r.shape.MTB.SharedBytes/r.shape.MTB.SmallestBlock)
}

// tableAddress is where the TaskTable lies, apart from every address of a trace.
const tableAddress = 1 << 57

func (r *Runtime) entryAddress(id ID) uint64 {
	return tableAddress + uint64(id)*r.shape.EntryBytes
}

// look wakes the scheduler warps that idle and have something to do.
func (r *Runtime) look(t model.Time) {
	for _, b := range r.mtbs {
		b.wake(t)
	}
}

// wake lets an idle scheduler warp go on in the cycle after t if it has
// something to do.
func (b *masterCTA) wake(t model.Time) {
	if !b.parked || b.state.Idling() {
		return
	}
	b.parked = false
	b.state.Coast(uint64((t-b.since)/b.run.scan) * uint64(max(1, b.run.shape.MTB.ScanRows)))
	b.step(t)
}

// step runs the scheduler warp's next code, or parks it.
func (b *masterCTA) step(t model.Time) {
	if b.state.Idling() {
		b.parked, b.since = true, t
		return
	}
	b.next = b.state.Next()
	b.res.Run(0, b.run.code.blocks[b.next], b.run.entryAddress(b.state.Entry()), t+1)
}

// ProgramEnded is of [model.PersistentRuntime].
func (b *masterCTA) ProgramEnded(_ *model.PersistentCTA, warp int, t model.Time) {
	if warp > 0 {
		b.executorEnded(warp-1, t)
		return
	}
	released := b.next == ReleasePrev
	switch {
	case released:
		b.run.release(ID(b.run.table.GPU(b.state.Entry()).Ready), t)
	case b.next == BeginTask && b.run.shape.MTB.Successor:
		b.run.release(b.state.Entry(), t)
		released = true
	}
	for _, s := range b.state.Apply() {
		b.start(s, t)
	}
	if released { // the scheduler warps of other columns see it
		b.run.m.At(t+1, eventLook, 0)
	}
	b.step(t)
}

// release notes when a task becomes schedulable.
func (r *Runtime) release(id ID, t model.Time) {
	if task := r.entries[id]; task != nil && task.Record.Schedulable == model.Unset {
		task.Record.Schedulable = t
	}
}

// start sets an executor warp going.
func (b *masterCTA) start(s Start, t model.Time) {
	id := b.state.Slot(s.Slot).Entry
	task := b.run.entries[id]
	e := &b.slots[s.Slot]
	*e = executor{executorEnters, task, id, s.Block, s.Warp}
	if b.find(task, s.Block) < 0 {
		cta, err := b.res.OpenCTA(task, s.Block, t)
		if err != nil {
			b.run.m.Fail(err)
			return
		}
		b.open = append(b.open, openBlock{task, s.Block, task.Warps(), cta})
		if task.Record.FirstWarp == model.Unset {
			task.Record.FirstWarp, task.Record.Worker = t, int32(b.column)
		}
	}
	b.res.Run(1+s.Slot, b.run.code.blocks[EnterTask], b.run.entryAddress(id), t+1)
}

func (b *masterCTA) find(task *model.Task, block uint32) int {
	for i := range b.open {
		if b.open[i].task == task && b.open[i].block == block {
			return i
		}
	}
	return -1
}

// executorEnded goes on with an executor warp that has run a stretch of the
// MasterKernel.
func (b *masterCTA) executorEnded(slot int, t model.Time) {
	e := &b.slots[slot]
	if e.stage == executorEnters {
		e.stage = executorWorks
		if o := &b.open[b.find(e.task, e.block)]; !b.res.RunTask(1+slot, o.cta, e.warp, t+1) {
			b.leave(slot, t)
		}
		return
	}
	e.stage = executorIdle
	if end := b.state.WarpDone(slot); end.Task {
		e.task.Record.End = max(e.task.Record.End, t+1)
	}
	e.task = nil
	b.wake(t)
}

// WarpEnded is of [model.PersistentRuntime]. A warp leaves when its work has ended, which may be known before: the last
// of its threadblock is the one that ends last.
func (b *masterCTA) WarpEnded(r *model.PersistentCTA, warp int, t model.Time) {
	at := r.Acknowledged(warp) - 1
	if at <= t {
		b.leave(warp-1, t)
		return
	}
	if b.leaves[at] == 0 {
		b.run.m.At(at, eventLeave, uint64(b.column))
	}
	b.leaves[at] |= 1 << (warp - 1)
}

// leaveDue has the executors leave whose work ends in cycle t.
func (b *masterCTA) leaveDue(t model.Time) {
	for m := b.leaves[t]; m != 0; m &= m - 1 {
		b.leave(bits.TrailingZeros64(m), t)
	}
	delete(b.leaves, t)
}

// leave runs lines 34 to 43 on an executor warp.
func (b *masterCTA) leave(slot int, t model.Time) {
	e := &b.slots[slot]
	e.stage = executorLeaves
	i := b.find(e.task, e.block)
	last := 0
	if b.open[i].left--; b.open[i].left == 0 {
		last = 1
		b.open = append(b.open[:i], b.open[i+1:]...)
		if b.run.left[e.entry]--; b.run.left[e.entry] == 0 {
			last = 2
		}
	}
	b.res.Run(1+slot, b.run.code.leave[last], b.run.entryAddress(e.entry), t+1)
}

// Limits is of [model.LimitedRuntime].
func (r *Runtime) Limits(c *hardware.Config) model.ResidentLimits {
	s, n := &r.shape.MTB, r.mtbsOf(c)
	return model.ResidentLimits{CTAs: n * s.Executors, SharedBytes: n * s.SharedBytes, SharedUnit: s.SmallestBlock,
		Barriers: n * s.Barriers}
}

// CTAEnded is of [model.PersistentRuntime].
func (b *masterCTA) CTAEnded(*model.PersistentCTA, *model.Task, uint32, model.Time) {}
