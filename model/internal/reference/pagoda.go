package reference

import (
	"maps"
	"slices"

	"gpureplay/model"
	"gpureplay/policies/pagoda"
	"gpureplay/trace"
)

// nPagoda is Pagoda on the reference model. Copies, programs and executor warps are timed here. The next steps of
// the table, the spawner and a scheduler warp come from the state machines of package pagoda, which have tests of
// their own.
type nPagoda struct {
	u              *nTasks
	mtb            pagoda.MTBConfig
	rows, perSM    int // 0: two, or one
	batch          int
	table          *pagoda.Table
	spawner        *pagoda.Spawner
	code           *pagoda.Code
	fn             uint32 // its function
	mtbs           []*nMTB
	beside         bool // two threads
	entry          uint64
	spawnNs        int // host time of a spawn; < 0: the time of a copy's call
	queue, inputs  []*nTask
	loaded         []*nTask
	offered, outs  []*nTask
	loading        *nTask
	parts          []uint64 // of the input being copied
	entries        map[pagoda.ID]*nTask
	left           map[pagoda.ID]int
	drained, waits bool
	turning        bool
	there, until   model.Time
	sent           model.Time
	target         pagoda.ID
	waiting        []nSpawned // for the second thread, the oldest first
	second         bool       // it is busy
}

// nSpawned is a task and its entry.
type nSpawned struct {
	id pagoda.ID
	x  *nTask
}

func (r *nPagoda) window() int {
	if r.beside {
		return 8192
	}
	return 0
}

// start holds the SMs with MasterKernel threadblocks.
func (r *nPagoda) start() {
	n, c := r.u.n, r.u.n.cfg
	r.code, r.entries, r.left = pagoda.NewCode(), map[pagoda.ID]*nTask{}, map[pagoda.ID]int{}
	prog := *n.prog
	prog.Functions = append(slices.Clone(prog.Functions), r.code.Function)
	n.prog, r.fn = &prog, uint32(len(prog.Functions)-1)
	shape := &nKernel{}
	shape.tk = trace.Kernel{
		Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{uint32(32 * (r.mtb.Executors + 1)), 1, 1}, Registers: 32,
		SharedBytes: uint32(r.mtb.SharedBytes + 20*r.mtb.Executors + 8*r.rows + 2*r.mtb.SharedBytes/r.mtb.SmallestBlock),
	}
	shape.res = c.CTAResources(&shape.tk)
	per := r.perSM
	if fit, _ := c.Residency(&shape.tk); per == 0 {
		per = max(1, min(2, fit))
	}
	r.table, _ = pagoda.NewTable(per*len(n.sms), r.rows)
	r.spawner, _ = pagoda.NewSpawner(r.table, r.batch)
	for i := range per * len(n.sms) {
		state, _ := pagoda.NewMTB(r.table, i, r.mtb)
		b := &nMTB{r: r, column: i, state: state, parked: true, execs: make([]nExecutor, r.mtb.Executors),
			later: map[model.Time][]int{}}
		b.w = n.resident(n.sms[i%len(n.sms)], shape)
		b.own = &nCTA{sm: b.w.sm, ends: -1, worker: b.w}
		b.w.mtb, b.last = b, make([]model.Time, len(b.w.slots))
		r.mtbs = append(r.mtbs, b)
	}
}

func (r *nPagoda) take(x *nTask) {
	if r.table == nil {
		r.start()
	}
	r.drained = false
	r.queue = append(r.queue, x)
	r.turn()
}

func (r *nPagoda) drain() {
	r.drained = true
	r.turn()
}

func (r *nPagoda) turn() {
	if n := r.u.n; !r.turning {
		r.turning = true
		n.post(n.t, nTaskPhase, r.act)
	}
}

// call is the time of a copy's call.
func (r *nPagoda) call() model.Time { return cyclesOfNs(r.u.n.cfg.Host.CopyCallNs, r.u.n.cfg) }

// act lets both threads go on.
func (r *nPagoda) act() {
	n := r.u.n
	r.turning = false
	for !r.waits && n.t >= r.until {
		if !r.copyIn() && !r.spawn() && !r.copyOut() {
			break
		}
	}
	r.secondThread()
}

// busy keeps the first thread for a call.
func (r *nPagoda) busy(took model.Time) {
	if r.until = r.u.n.t + took; r.until > r.u.n.t {
		r.u.n.post(r.until, nTaskPhase, r.act)
	}
}

// wait lets the first thread go on at t.
func (r *nPagoda) wait(t model.Time, then func()) {
	r.waits = true
	r.u.n.post(t, nTaskPhase, func() {
		r.waits = false
		then()
		r.act()
	})
}

func (r *nPagoda) offer(x *nTask) {
	r.offered = append(r.offered, x)
	tk := &x.k.tk
	r.spawner.Offer(pagoda.Task{Kernel: x.k.id, Blocks: uint32(tk.Grid.Count()), Threads: uint32(tk.Block.Count()),
		SharedBytes: tk.SharedBytes, Sync: x.op.Sync})
}

func (r *nPagoda) copyIn() bool {
	n := r.u.n
	if !r.beside {
		return r.copyAllIn()
	}
	if r.loading == nil {
		if len(r.queue) == 0 || r.spawner.Offered() > 0 {
			return false
		}
		r.loading, r.queue = r.queue[0], r.queue[1:]
		r.loading.spawn, r.parts = n.t, r.loading.parts()
	}
	if len(r.parts) == 0 {
		r.offer(r.loading)
		r.loading = nil
		return true
	}
	end := r.u.copy(0, r.parts[0])
	r.parts = r.parts[1:]
	r.wait(max(end, n.t+r.call()), func() {})
	return true
}

// copyAllIn copies the inputs of all tasks before it offers them.
func (r *nPagoda) copyAllIn() bool {
	n := r.u.n
	for ; len(r.queue) > 0; r.queue = r.queue[1:] {
		x := r.queue[0]
		if x.op.InBytes > 0 || len(r.inputs)+len(r.loaded) > 0 {
			r.inputs = append(r.inputs, x)
		} else {
			x.spawn = n.t
			r.offer(x)
		}
	}
	if len(r.inputs) > 0 && (r.drained || r.loading != nil || len(r.loaded) > 0) {
		if r.loading == nil {
			r.loading = r.inputs[0]
			r.loading.spawn, r.parts = n.t, r.loading.parts()
		}
		if len(r.parts) == 0 {
			r.loaded = append(r.loaded, r.loading)
			r.loading, r.inputs = nil, r.inputs[1:]
			return true
		}
		r.there = r.u.copy(0, r.parts[0])
		r.parts = r.parts[1:]
		r.busy(r.call())
		return true
	}
	if len(r.loaded) > 0 && n.t < r.there {
		r.wait(r.there, func() {})
		return true
	}
	for _, x := range r.loaded {
		r.offer(x)
	}
	r.loaded = nil
	return false
}

func (r *nPagoda) tell() {
	switch {
	case len(r.queue)+len(r.inputs) > 0 || r.loading != nil:
		r.spawner.Wait(pagoda.WaitNone)
	case !r.drained:
		r.spawner.Wait(pagoda.WaitIdle)
	case r.beside || len(r.u.waiting) > 0:
		r.spawner.Wait(pagoda.WaitAny)
	default:
		r.spawner.Wait(pagoda.WaitAll)
	}
}

// spawn performs the spawner's next action.
func (r *nPagoda) spawn() bool {
	n := r.u.n
	r.tell()
	a := r.spawner.Next()
	switch a.Act {
	case pagoda.ActSleep:
		return false
	case pagoda.ActSend:
		r.send(a)
	case pagoda.ActCopyBack:
		r.target, r.waits = a.ID, true
		called := n.t + r.call()
		n.post(max(n.t, r.sent), nTaskPhase, func() { r.read(called) })
	case pagoda.ActPoll:
		found := 0
		n.post(max(n.t, n.host.engines[1]), nTaskPhase, func() { found = r.table.Ended() })
		end := r.u.copy(1, 4)
		r.wait(max(end, n.t+r.call()), func() { r.spawner.Polled(found) })
	}
	return true
}

// send copies an entry to the device.
func (r *nPagoda) send(a pagoda.Action) {
	n := r.u.n
	if !a.Release {
		x := r.offered[0]
		r.entries[a.ID], r.left[a.ID] = x, len(x.k.items)
		r.offered, r.waiting = r.offered[1:], append(r.waiting, nSpawned{a.ID, x})
	}
	r.sent = r.u.copy(0, r.entry)
	n.post(r.sent, nTaskPhase, func() {
		id := r.table.Arrive()
		x := r.entries[id]
		if x.copied < 0 {
			x.copied = n.t
		}
		if r.table.GPU(id).Sched {
			x.schedulable = n.t
		}
		r.look()
		r.secondThread()
	})
	took := r.call()
	if r.spawnNs >= 0 {
		took = cyclesOfNs(float64(r.spawnNs), n.cfg)
	}
	r.busy(took)
}

// read copies an entry, or the table, back.
func (r *nPagoda) read(called model.Time) {
	n, bytes := r.u.n, r.entry
	if r.target == pagoda.NoID {
		bytes *= r.span()
	}
	n.post(max(n.t, n.host.engines[1]), nTaskPhase, func() { r.spawner.Start(r.target) })
	r.wait(max(r.u.copy(1, bytes), called), func() {
		for _, id := range r.spawner.CopiedBack(nil) {
			r.over(id)
		}
	})
}

// span is the number of entries from the first to the last with a task.
func (r *nPagoda) span() uint64 {
	ids := slices.Sorted(maps.Keys(r.entries))
	if len(ids) == 0 {
		return 0
	}
	return uint64(ids[len(ids)-1]-ids[0]) + 1
}

// over: a task is seen done.
func (r *nPagoda) over(id pagoda.ID) {
	x := r.entries[id]
	delete(r.entries, id)
	if x.op.OutBytes == 0 {
		r.u.finish(x)
	} else {
		r.outs = append(r.outs, x)
	}
}

// copyOut copies outputs when all tasks have been seen done.
func (r *nPagoda) copyOut() bool {
	if r.beside || !r.drained || len(r.queue)+len(r.inputs)+len(r.loaded)+len(r.offered)+r.spawner.Live() > 0 ||
		len(r.outs) == 0 {
		return false
	}
	r.out()
	r.busy(r.call())
	return true
}

func (r *nPagoda) out() {
	x := r.outs[0]
	r.outs = r.outs[1:]
	r.u.n.post(r.u.copy(1, x.op.OutBytes), nTaskPhase, func() { r.u.finish(x) })
}

// secondThread copies outputs, and waits for the oldest task.
func (r *nPagoda) secondThread() {
	n := r.u.n
	if !r.beside || r.second {
		return
	}
	if len(r.outs) > 0 {
		r.second = true
		r.out()
		n.post(n.t+r.call(), nTaskPhase, func() {
			r.second = false
			r.act()
		})
		return
	}
	for len(r.waiting) > 0 && r.entries[r.waiting[0].id] != r.waiting[0].x {
		r.waiting = r.waiting[1:]
	}
	if r.tell(); len(r.waiting) == 0 || r.waiting[0].x.copied < 0 || r.spawner.Polling() {
		return
	}
	r.second = true
	w, state := r.waiting[0], pagoda.State{Ready: pagoda.Scheduling}
	n.post(max(n.t, n.host.engines[1]), nTaskPhase, func() {
		if r.entries[w.id] == w.x {
			state = r.table.GPU(w.id).State
		}
	})
	n.post(max(r.u.copy(1, 4), n.t+r.call()), nTaskPhase, func() {
		r.second = false
		if r.entries[w.id] == w.x && r.spawner.Learn(w.id, state) {
			r.over(w.id)
		}
		r.act()
	})
}

func (r *nPagoda) look() {
	for _, b := range r.mtbs {
		b.wake()
	}
}
