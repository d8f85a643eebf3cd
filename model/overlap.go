package model

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"gpureplay/trace"
)

// overlap runs the host's program with its stages overlapped (CRCS/PPCS paper,
// section 3): kernels are launched before their input is there, pages go to the
// device as the prelude completes them, and come back as the last kernel has
// done with them. It also holds the kernels until they may enter the machine:
// profiled, and behind no irregular kernel.
//
// A copy, memset or synchronisation between two launches is a point where the
// program's host needs what the kernels before it made: the host waits there for
// all of them (choice 12 of MODEL.md).
type overlap struct {
	m        *Machine
	pages    *pageTable
	prelude  prelude
	back     writeBack
	launches uint64 // in the program
	issued   uint64
	queue    fifo[*kernelRun]  // launched, not yet admitted
	queues   []int             // hardware work queues that no kernel holds
	running  int               // admitted and not ended
	alone    bool              // an irregular kernel runs
	profiled bool              // the head of the queue has been
	busy     bool              // the pre-profiler runs
	copied   map[uint32]bool   // arrays whose input copy has been issued
	files    map[uint32]uint64 // bytes that the prelude reads, by array
}

func newOverlap(m *Machine, b Scoreboard) (*overlap, error) {
	pages, err := newPageTable(m, b)
	if err != nil {
		return nil, err
	}
	u := &overlap{m: m, pages: pages, copied: make(map[uint32]bool), files: make(map[uint32]uint64)}
	for q := min(m.cfg.KMU.HWQs, m.cfg.KMU.Entries) - 1; q >= 0; q-- {
		u.queues = append(u.queues, q)
	}
	u.prelude.init(u, b)
	u.back.init(u)
	err = u.scan()
	pages.begin()
	return u, err
}

// scan looks through the program: how many launches there are, and which arrays
// come from files, are copied in before the first launch or back after the last.
func (u *overlap) scan() error {
	ops := u.m.tr.HostOps()
	var op trace.HostOp
	for {
		err := ops.Next(&op)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		switch {
		case op.Kind == trace.OpLaunch:
			u.launches++
		case op.Array == trace.NoArray || int(op.Array) >= len(u.m.prog.Arrays):
		case op.Kind == trace.OpFileRead && u.launches == 0:
			u.files[op.Array] += op.Bytes
		case op.Kind == trace.OpCopyH2D && u.launches == 0:
			u.prelude.expect(op.Array)
		}
	}
	return u.scanBack()
}

// scanBack marks the arrays that are copied back after the last launch, and
// those of them that are written to files.
func (u *overlap) scanBack() error {
	ops := u.m.tr.HostOps()
	var op trace.HostOp
	launches := uint64(0)
	for {
		err := ops.Next(&op)
		if errors.Is(err, io.EOF) {
			return nil
		}
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
}

func (u *overlap) known(array uint32) bool {
	return array != trace.NoArray && int(array) < len(u.m.prog.Arrays)
}

// issue performs one operation of the host. wait: the host first waits until
// the kernels launched so far have ended, and comes again.
func (u *overlap) issue(op *trace.HostOp, t Time) (busy Time, wait bool, err error) {
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
		return u.m.host.file(op, t), false, nil
	case trace.OpFileWrite:
		if last && u.back.writes(op.Array) {
			return 0, false, nil // page by page, as they come back
		}
		return u.m.host.file(op, t), false, nil
	case trace.OpCopyH2D:
		if first && u.known(op.Array) {
			u.prelude.copy(op.Array, t)
			return 0, false, nil
		}
		return u.between(op, t)
	case trace.OpLaunch:
		if u.open() >= maxOpen {
			return 0, true, nil
		}
		u.issued++
		return nsToCycles(int64(u.m.cfg.Host.LaunchOverheadNs), u.m.cfg), false, u.launch(op.Kernel, t)
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
		return nsToCycles(op.Ns, u.m.cfg), false, nil
	}
	return 0, false, nil
}

// between copies or sets whole arrays between launches, when the kernels have
// ended.
func (u *overlap) between(op *trace.HostOp, t Time) (Time, bool, error) {
	if u.open() > 0 {
		return 0, true, nil
	}
	h := u.m.host
	link, stage := 2, NumStages
	switch op.Kind {
	case trace.OpCopyH2D:
		link, stage = 0, int(StageH2D)
	case trace.OpCopyD2H:
		link, stage = 1, int(StageD2H)
	}
	d := nsToCycles(int64(u.m.cfg.Host.CopyLatencyNs), u.m.cfg) + h.link[link].cycles(op.Bytes)
	if stage < NumStages {
		u.m.stage(StageKind(stage), op.Array, t, t+d, op.Bytes)
	}
	if op.Kind == trace.OpCopyH2D && u.m.cfg.L2.CopiesWarm {
		u.m.mem.Warm(op.Addr, op.Bytes, t+d)
	}
	return d, false, nil
}

// open is the number of kernels launched and not ended.
func (u *overlap) open() int { return u.running + u.queue.len() }

// settled reports whether every kernel of the program that has not ended has
// been profiled, so that a page without owner has none to come.
func (u *overlap) settled() bool {
	return !u.busy && u.issued == u.launches && !u.alone && (u.queue.len() == 0 || u.queue.len() == 1 && u.profiled)
}

func (u *overlap) launch(id uint32, t Time) error {
	k, err := u.m.launch(id, nil)
	if err != nil {
		return err
	}
	k.ready, k.arrival = true, t+Time(u.m.cfg.Host.LaunchLatency)
	u.queue.push(k)
	return u.next(t)
}

// next profiles the kernel at the head of the queue, or lets it enter. Kernels
// enter in program order, so one waits here until the distributor and a hardware
// work queue have room: were a later one to pass it, its CTAs could fill every SM
// and wait for pages of the one outside.
func (u *overlap) next(t Time) error {
	for u.queue.len() > 0 && !u.busy {
		k := *u.queue.first()
		if !u.profiled && !k.irregular() {
			d, err := u.pages.profile(k, t)
			if err != nil {
				return err
			}
			u.profiled, u.busy = true, true
			if d > 0 {
				u.m.obs.Stage(&StageRecord{Stage: StageProfiler, Kernel: k.ID, Array: trace.NoArray, Start: t, End: t + d})
			}
			u.m.queue.post(t+d, evOverlap, overlapProfiled, 0)
			return nil
		}
		free := len(u.queues)
		if free == 0 || u.alone || k.irregular() && u.running > 0 {
			break
		}
		k.hwq, u.queues = u.queues[free-1], u.queues[:free-1]
		u.queue.pop()
		u.profiled = false
		u.running++
		u.alone = k.irregular()
		u.m.queue.post(max(t, k.arrival), evArrive, k.slot, 0)
	}
	if u.settled() {
		u.back.sweep(t)
	}
	return nil
}

// What an evOverlap event of the overlapped host says in its first argument.
const (
	overlapProfiled = iota // the pre-profiler has ended
	overlapStart           // the storage looks for a page to read
	overlapRead            // the storage has read a page; b = its index
	overlapReady           // a page has arrived on the device; b = its index
	overlapBack            // a page has arrived on the host; b = its index
)

func (u *overlap) event(what, arg uint64, t Time) error {
	switch what {
	case overlapProfiled:
		u.busy = false
		return u.next(t)
	case overlapStart:
		u.prelude.start(t)
	case overlapRead:
		u.prelude.pageRead(int32(arg), t)
	case overlapReady:
		u.prelude.arrived(int32(arg), t)
		u.pages.setReady(int32(arg), t)
	case overlapBack:
		u.back.arrived(int32(arg))
	}
	return nil
}

// kernelEnded lets the kernels behind one that has ended enter.
func (u *overlap) kernelEnded(k *kernelRun, t Time) error {
	u.running--
	u.queues = append(u.queues, k.hwq)
	u.alone = u.alone && !k.irregular()
	u.pages.kernelEnded(k, t)
	if err := u.next(t); err != nil {
		return err
	}
	return u.m.host.run(t)
}

// sendBack sends a page that no kernel needs any more to the host.
func (u *overlap) sendBack(i int32, t Time) {
	if u.settled() {
		u.back.send(i, t)
	}
}

// stuck names the pages that warps wait for, and the kernels that wait to enter.
func (u *overlap) stuck(add func(string, ...any)) {
	waited := make([]int32, 0, len(u.pages.waiting))
	for i := range u.pages.waiting {
		waited = append(waited, i)
	}
	slices.Sort(waited)
	for _, i := range waited {
		x, pg := u.pages.waiting[i][0], &u.pages.pages[i]
		c := x.w.cta
		if !pg.ready {
			add("CTA %d of kernel %d on SM %d waits for page %#x, which has not been transferred", c.cta.ID, c.kernel.ID, x.sm.id, pg.number)
			continue
		}
		add("CTA %d of kernel %d on SM %d waits for page %#x of kernel %d, %s", c.cta.ID, c.kernel.ID, x.sm.id, pg.number, u.pages.ownerID(pg), u.why(u.pages.ownerID(pg)))
	}
	if u.queue.len() > 0 {
		add("kernel %d waits to enter behind %d that run", (*u.queue.first()).ID, u.running)
	}
}

// why says why a kernel does not go on.
func (u *overlap) why(id uint32) string {
	for _, k := range u.m.ctas.entries {
		if k.ID == id && k.Left > 0 && k.Resident == 0 {
			return fmt.Sprintf("which has %d to place and no SM that is free of other kernels", k.Left)
		}
		if k.ID == id {
			return fmt.Sprintf("which has %d CTAs on SMs and %d to place", k.Resident, k.Left)
		}
	}
	return "which has not entered the distributor"
}
