package crcs

import (
	"fmt"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// unit runs the host's program with its stages overlapped (CRCS/PPCS paper, section 3). Kernels are launched before
// their input is there, pages go to the device as the prelude completes them, and come back when the last kernel
// has done with them. It also holds the kernels until they may enter the machine: profiled, and behind no irregular
// kernel.
//
// At a copy, memset or synchronisation between two launches the host needs the results of the kernels before: it
// waits there for all of them (choice 12 of docs/model).
type unit struct {
	m        *model.AccessMachine
	cfg      *hardware.Config
	prog     *trace.Program
	board    *Board
	pages    *pageTable
	prelude  prelude
	back     writeBack
	kernels  map[uint64]*kernel // launched and not ended, by program order
	launches uint64             // in the program
	issued   uint64
	queue    []*kernel         // launched, not yet admitted
	held     []bool            // hardware work queues that a kernel holds
	latest   int               // queue that a kernel entered
	running  int               // admitted and not ended
	alone    bool              // an irregular kernel runs
	profiled bool              // the head of the queue has been
	busy     bool              // the pre-profiler runs
	copied   map[uint32]bool   // arrays whose input copy has been issued
	files    map[uint32]uint64 // bytes that the prelude reads, by array
}

// kernel is one that has been launched.
type kernel struct {
	model.Launched
	arrival   model.Time // the earliest that the host's launch reaches the KMU
	queue     int
	touches   []access            // of each instruction of its function
	saturated []int32             // pages on which its counts overflowed
	leaving   map[uint32]*[]touch // of CTAs whose warps have exited: the pages that they give back
}

func (k *kernel) irregular() bool { return k.Header.Flags&trace.KernelIrregular != 0 }

// stated reports whether ranges are all that is known of its CTAs.
func (k *kernel) stated() bool { return trace.InferredOf(k.Header) > trace.InferredNothing }

func newUnit(m *model.AccessMachine, b *Board) (*unit, error) {
	u := &unit{
		m: m, cfg: m.Config(), prog: m.Program(), board: b, kernels: make(map[uint64]*kernel),
		copied: make(map[uint32]bool), files: make(map[uint32]uint64),
	}
	var err error
	if u.pages, err = newPageTable(u); err != nil {
		return nil, err
	}
	u.held = make([]bool, min(u.cfg.KMU.HWQs, u.cfg.KMU.Entries))
	u.latest = len(u.held) - 1
	u.prelude.init(u, b)
	u.back.init(u)
	err = u.scan()
	u.pages.begin()
	m.Set("crcs_counter_overflows", 0)
	return u, err
}

// scan looks through the program: how many launches there are, and which arrays
// come from files, are copied in before the first launch or back after the last.
func (u *unit) scan() error {
	for op, err := range trace.Each(u.m.HostOps()) {
		if err != nil {
			return err
		}
		switch {
		case op.Kind == trace.OpLaunch:
			u.launches++
		case op.Array == trace.NoArray || int(op.Array) >= len(u.prog.Arrays):
		case op.Kind == trace.OpFileRead && u.launches == 0:
			u.files[op.Array] += op.Bytes
		case op.Kind == trace.OpCopyH2D && u.launches == 0:
			u.prelude.expect(op.Array)
		}
	}
	return u.scanBack()
}

// scanBack marks the arrays that are copied back after the last launch, and the ones that are then written to
// files.
func (u *unit) scanBack() error {
	launches := uint64(0)
	for op, err := range trace.Each(u.m.HostOps()) {
		if err != nil {
			return err
		}
		if op.Kind == trace.OpLaunch {
			launches++
		}
		if launches < u.launches || !u.known(op.Array) {
			continue
		}
		switch op.Kind {
		case trace.OpCopyD2H:
			u.back.expect(op.Array)
		case trace.OpFileWrite:
			u.back.toFile(op.Array)
		}
	}
	return nil
}

func (u *unit) known(array uint32) bool {
	return array != trace.NoArray && int(array) < len(u.prog.Arrays)
}

// issue performs one operation of the host. wait: the host first waits until
// the kernels launched so far have ended, and comes again.
func (u *unit) issue(op *trace.HostOp, t model.Time) (busy model.Time, wait bool, err error) {
	first, last := u.issued == 0, u.issued == u.launches
	if op.Kind != trace.OpFileRead {
		u.prelude.apart()
	}
	switch op.Kind {
	case trace.OpFileRead:
		if first && u.known(op.Array) {
			u.prelude.read(op.Array, t)
			return 0, false, nil
		}
		return u.m.File(op, t), false, nil
	case trace.OpFileWrite:
		if last && u.back.writes(op.Array) {
			return 0, false, nil // page by page, as they come back
		}
		return u.m.File(op, t), false, nil
	case trace.OpCopyH2D:
		if first && u.known(op.Array) {
			u.prelude.copy(op.Array, t)
			return 0, false, nil
		}
		return u.between(op, t)
	case trace.OpLaunch:
		if u.open() >= u.m.LaunchQueue() {
			return 0, true, nil
		}
		u.issued++
		return u.m.Cycles(int64(u.cfg.Host.LaunchOverheadNs)), false, u.launch(op.Kernel, t)
	case trace.OpCopyD2H:
		if last && u.known(op.Array) {
			return 0, false, nil // page by page, as they are done with
		}
		return u.between(op, t)
	case trace.OpCopyD2D, trace.OpCopyP2P, trace.OpMemset:
		return u.between(op, t)
	case trace.OpSyncDevice, trace.OpSyncStream, trace.OpSyncEvent:
		return 0, !last && u.open() > 0, nil
	case trace.OpHostWork:
		return u.m.Cycles(op.Ns), false, nil
	}
	return 0, false, nil
}

// between copies or sets whole arrays between launches, when the kernels have
// ended.
func (u *unit) between(op *trace.HostOp, t model.Time) (model.Time, bool, error) {
	if u.open() > 0 {
		return 0, true, nil
	}
	d := u.copySetup() + u.m.Link(op.Kind, op.Bytes)
	stage := &model.StageRecord{Kernel: model.NoKernel, Array: op.Array, Start: t, End: t + d, Bytes: op.Bytes}
	switch op.Kind {
	case trace.OpCopyH2D:
		stage.Stage = model.StageH2D
		u.m.Stage(stage)
		if u.cfg.L2.CopiesWarm {
			u.m.Warm(op.Addr, op.Bytes, t+d)
		}
	case trace.OpCopyD2H:
		stage.Stage = model.StageD2H
		u.m.Stage(stage)
	}
	return d, false, nil
}

// copySetup is the fixed cost of a copy.
func (u *unit) copySetup() model.Time { return u.m.Cycles(int64(u.cfg.Host.CopyLatencyNs)) }

// open is the number of kernels launched and not ended.
func (u *unit) open() int { return u.running + len(u.queue) }

// settled reports whether every kernel of the program that has not ended has
// been profiled, so that a page without owner has none to come.
func (u *unit) settled() bool {
	return !u.busy && u.issued == u.launches && !u.alone && (len(u.queue) == 0 || len(u.queue) == 1 && u.profiled)
}

func (u *unit) launch(id uint32, t model.Time) error {
	run, err := u.m.Launch(id)
	if err != nil {
		return err
	}
	k := &kernel{Launched: run, arrival: t + model.Time(u.cfg.Host.LaunchLatency), touches: u.pages.accesses(run.Function)}
	u.kernels[k.Order] = k
	u.queue = append(u.queue, k)
	return u.next(t)
}

// next profiles the kernel at the head of the queue, or lets it enter. Kernels enter in program order, so one waits
// here until the distributor and a hardware work queue have room. If a later one passed it, its CTAs could fill
// every SM and wait for pages of the one outside.
func (u *unit) next(t model.Time) error {
	for len(u.queue) > 0 && !u.busy {
		k := u.queue[0]
		if !u.profiled && !k.irregular() {
			d, err := u.pages.profile(k, t)
			if err != nil {
				return err
			}
			u.profiled, u.busy = true, true
			if d > 0 {
				u.m.Stage(&model.StageRecord{Stage: model.StageProfiler, Kernel: k.ID, Array: trace.NoArray, Start: t, End: t + d})
			}
			u.m.At(t+d, profiled, 0)
			return nil
		}
		queue, free := u.freeQueue()
		if !free || u.alone || k.irregular() && u.running > 0 {
			break
		}
		k.queue, u.latest, u.held[queue] = queue, queue, true
		u.queue = u.queue[1:]
		u.profiled = false
		u.running++
		u.alone = k.irregular()
		u.m.Enter(k.Launched, k.queue, max(t, k.arrival))
	}
	if u.settled() {
		u.back.sweep(t)
	}
	return nil
}

// The first argument of the unit's events.
const (
	profiled    = iota // the pre-profiler has ended
	storageIdle        // the storage looks for a page to read
	pageRead           // the storage has read a page
	pageReady          // a page has arrived on the device
	pageBack           // a page has arrived on the host
)

func (u *unit) event(what, arg uint64, t model.Time) error {
	switch what {
	case profiled:
		u.busy = false
		return u.next(t)
	case storageIdle:
		u.prelude.start(t)
	case pageRead:
		u.prelude.pageRead(int32(arg), t)
	case pageReady:
		u.prelude.arrived(int32(arg), t)
		u.pages.setReady(int32(arg), t)
	case pageBack:
		u.back.arrived(int32(arg))
	}
	return nil
}

// freeQueue returns the next free hardware work queue behind the latest: the KMU goes
// round the queues, and so takes kernels in program order.
func (u *unit) freeQueue() (queue int, free bool) {
	for i := range u.held {
		if queue = (u.latest + 1 + i) % len(u.held); !u.held[queue] {
			return queue, true
		}
	}
	return 0, false
}

// completed lets the kernels behind one that has ended enter.
func (u *unit) completed(order uint64, t model.Time) error {
	k := u.kernels[order]
	delete(u.kernels, order)
	u.running--
	u.held[k.queue] = false
	u.alone = u.alone && !k.irregular()
	u.pages.kernelEnded(k, t)
	return u.next(t)
}

// sendBack sends a page that no kernel needs any more to the host.
func (u *unit) sendBack(i int32, t model.Time) {
	if u.settled() {
		u.back.send(i, t)
	}
}

// stuck names the pages that warps wait for, and the kernels that wait to enter.
func (u *unit) stuck(waits []model.AccessWait, add func(string, ...any)) {
	for _, x := range waits {
		pg := &u.pages.pages[x.On]
		if !pg.ready {
			add("CTA %d of kernel %d on SM %d waits for page %#x, which has not been transferred", x.CTA, x.Kernel, x.SM,
				pg.number)
			continue
		}
		owner := u.pages.ownerID(pg)
		add("CTA %d of kernel %d on SM %d waits for page %#x of kernel %d, %s", x.CTA, x.Kernel, x.SM, pg.number, owner,
			u.why(owner))
	}
	if len(u.queue) > 0 {
		add("kernel %d waits to enter behind %d that run", u.queue[0].ID, u.running)
	}
}

// why says why a kernel does not go on.
func (u *unit) why(id uint32) string {
	k := u.m.Entered(id)
	switch {
	case k == nil:
		return "which has not entered the distributor"
	case k.Left > 0 && k.Resident == 0:
		return fmt.Sprintf("which has %d to place and no SM that is free of other kernels", k.Left)
	}
	return fmt.Sprintf("which has %d CTAs on SMs and %d to place", k.Resident, k.Left)
}
