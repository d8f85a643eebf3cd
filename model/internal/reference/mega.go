package reference

import (
	"math"
	"slices"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// nMega is the megakernel (docs/policies/boundaries.md). CTAs of kernels are tasks of one persistent CTA on each SM.
type nMega struct {
	n         *Machine
	kernels   bool // a task waits for all tasks of every kernel before
	pages     int
	workers   int // of an SM
	ahead     int // tasks of an SM that may be there beside those of its workers
	warps     int // of a worker
	latency   model.Time
	decision  model.Time
	free      []model.Time // per scheduler warp: it takes the next task
	turn      int          // scheduler warp that the next task is dealt to
	due, full []*nMegaTask // decided on; and without an entry of the queue
	room      int          // entries
	opened    []*nKernel
	before    map[*nKernel][]*nKernel // in front of it in its stream
	tasks     map[*nKernel][]*nMegaTask
	of        map[*nCTA]*nMegaTask
	on        map[*nSM]*nMegaSM
}

// nMegaTask is a CTA.
type nMegaTask struct {
	k                 *nKernel
	tc                *trace.CTA
	reads, writes     map[uint64]bool // words of global memory
	producers         []*nMegaTask
	wholes            []*nKernel // all of whose tasks it waits for
	dealt, queued     bool
	at                model.Time // may begin
	given, goes, runs bool       // given to an SM; may begin there; has begun
	over              bool
	cta               *nCTA
	sm                *nMegaSM
	place             int
}

// nMegaSM is the persistent CTA of an SM.
type nMegaSM struct {
	w      *nWorker
	places []int        // that are free, the one that goes next last
	tasks  []*nMegaTask // in the order of their coming
	order  *nKernel     // whose data the L1 may hold
}

// megaWindow is how many kernels of a stream there are tasks of, and megaProducers how many tasks of one kernel a
// task may wait for without waiting for all.
const megaWindow, megaProducers = 16, 64

func newNMega(t testing.TB, n *Machine, args map[string]string, number func(string, int) int) *nMega {
	m := &nMega{n: n, kernels: args["grain"] == "kernel", pages: number("prefetch", 13), workers: number("workers", 0),
		before: map[*nKernel][]*nKernel{}, tasks: map[*nKernel][]*nMegaTask{}, of: map[*nCTA]*nMegaTask{},
		on: map[*nSM]*nMegaSM{}}
	cycles := func(ns float64) model.Time { return model.Time(math.Round(ns * n.cfg.Clock.CoreMHz / 1000)) }
	m.latency = model.Time(math.Round(4.6 * float64(n.cfg.L1.BypassLatency+n.cfg.L2.Latency)))
	if ns := number("task-latency", -1); ns >= 0 {
		m.latency = cycles(float64(ns))
	}
	m.latency, m.decision = max(1, m.latency), cycles(float64(number("decision", 0)))
	schedulers := number("schedulers", 1)
	m.free, m.room = make([]model.Time, schedulers*len(n.sms)), number("queue", 1024)*len(n.sms)
	m.reside(t, schedulers)
	n.host.inGraphs, n.opens = true, m
	if args["cta"] == "fill" {
		n.placer = (&nFill{n: n}).place
	}
	return m
}

// reside places the persistent CTAs.
func (m *nMega) reside(t testing.TB, schedulers int) {
	c := m.n.cfg
	worker := trace.Kernel{}
	m.warps = 1
	for _, k := range m.n.kernels {
		m.warps = max(m.warps, (int(k.tk.Block.Count())+31)/32)
		worker.Registers = max(worker.Registers, k.tk.Registers)
		worker.SharedBytes = max(worker.SharedBytes, k.tk.SharedBytes)
	}
	shape := func(workers, warps int) trace.Kernel {
		return trace.Kernel{Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{uint32(32 * warps), 1, 1},
			Registers: worker.Registers, SharedBytes: uint32(workers)*worker.SharedBytes + 6<<10}
	}
	for fits := 1; m.workers == 0; fits++ {
		more := shape(fits+1, (fits+1)*m.warps+schedulers)
		if n, _ := c.Residency(&more); n == 0 {
			m.workers = fits
		}
	}
	places, warps := min(c.SM.MaxWarps, c.SM.MaxThreads/32), m.workers*m.warps+schedulers
	if m.pages > 0 {
		m.ahead = min(m.workers, max(0, places-warps)/m.warps)
	}
	all := &nKernel{tk: shape(m.workers, warps)}
	c.CapRegisters(&all.tk)
	most := min(warps+m.ahead*m.warps, max(places, m.workers*m.warps))
	all.tk.Block[0], all.tk.Registers = uint32(32*most), all.tk.Registers*uint32(warps)/uint32(max(most, warps))
	c.CapRegisters(&all.tk)
	if all.res = c.CTAResources(&all.tk); !c.Fits(hardware.Resources{}, all.res) {
		t.Fatal("the persistent CTA has no room")
	}
	for _, s := range m.n.sms {
		r := &nMegaSM{w: m.n.resident(s, all)}
		for place := m.workers + m.ahead - 1; place >= 0; place-- {
			r.places = append(r.places, place)
		}
		m.on[s] = r
	}
}

// act lets tasks begin that have been decided on.
func (m *nMega) act() {
	later := m.due[:0:0]
	var decided []*nMegaTask
	for _, x := range m.due {
		if x.at <= m.n.t {
			decided = append(decided, x)
		} else {
			later = append(later, x)
		}
	}
	decided, m.due, m.full = append(m.full, decided...), later, nil
	for _, x := range decided {
		switch {
		case x.given:
			x.goes = true
		case m.room > 0 && slices.Contains(m.n.entries, x.k):
			m.room--
			x.queued = true
		default:
			m.full = append(m.full, x)
		}
	}
	for _, s := range m.n.sms {
		r := m.on[s]
		for _, x := range r.tasks {
			if x.goes && !x.runs && r.running() < m.workers {
				m.begin(x)
			}
		}
	}
}

func (r *nMegaSM) running() (some int) {
	for _, x := range r.tasks {
		if x.runs {
			some++
		}
	}
	return some
}

// begin gives a task a worker. Its warps that wait go on in the next cycle.
func (m *nMega) begin(x *nMegaTask) {
	x.runs = true
	if r := x.sm; r.order != x.k {
		r.order = x.k
		r.w.sm.lsu.empty()
	}
	if x.cta == nil {
		return
	}
	for _, w := range x.cta.warps {
		if w.kept {
			w.kept, w.from = false, max(w.from, m.n.t+1)
		}
	}
}

// next is the task of a kernel that goes to an SM next; nil: none.
func (m *nMega) next(k *nKernel) *nMegaTask {
	var first *nMegaTask
	for _, x := range m.tasks[k] {
		if x.queued && !x.given {
			return x
		}
		if !x.given && first == nil {
			first = x
		}
	}
	for _, b := range m.before[k] {
		if m.ahead == 0 || b.next < len(b.items) {
			return nil
		}
	}
	if m.ahead == 0 {
		return nil
	}
	return first
}

// fits reports whether an SM takes one more task.
func (m *nMega) fits(s *nSM) bool {
	r := m.on[s]
	if len(r.tasks) < m.workers {
		return true
	}
	for _, other := range m.on {
		if len(other.tasks) < m.workers {
			return false
		}
	}
	return len(r.tasks)-r.running() < m.ahead
}

// place gives one task to an SM.
func (m *nMega) place() {
	var ready []*nKernel
	for _, k := range m.n.entries {
		if k.next < len(k.items) && m.next(k) != nil {
			ready = append(ready, k)
		}
	}
	if len(ready) == 0 {
		return
	}
	if k, s := m.n.placer(ready); k != nil {
		m.give(m.next(k), s)
	}
}

func (m *nMega) give(x *nMegaTask, s *nSM) {
	k, r := x.k, m.on[s]
	x.given, x.sm = true, r
	k.next++
	if x.queued {
		x.goes = true
		m.room++
	}
	x.place, r.places = r.places[len(r.places)-1], r.places[:len(r.places)-1]
	runs := x.goes && r.running() < m.workers
	if r.tasks = append(r.tasks, x); runs {
		m.begin(x)
	}
	k.resident++
	if k.first < 0 {
		k.first = m.n.t
	}
	item := k.items[slices.IndexFunc(k.items, func(i nItem) bool { return i.tc == x.tc })]
	x.cta = r.w.run(&item, m.n.t, func(i int, _ uint32) int { return x.place*m.warps + i })
	m.of[x.cta] = x
	if !runs {
		for _, w := range x.cta.warps {
			w.waits = m.waitOf(x, w)
		}
	}
}

// waitOf is the step before which a warp of a task waits that runs ahead.
func (m *nMega) waitOf(x *nMegaTask, w *nWarp) int {
	room, mem := m.pages<<14/m.ahead/len(x.tc.Warps), 0
	for i, at := range w.w.Path {
		in := &m.n.prog.Functions[w.fn].Insts[at]
		if i == len(w.w.Path)-1 || in.Class == trace.ClassBarrier {
			return i
		}
		if in.Width == 0 {
			continue
		}
		a := &w.w.Mem[mem]
		if mem++; !paged(in) {
			continue
		}
		room -= 32 * int(in.Width)
		if in.Mode() != trace.Read || room < 0 || m.inFlight(x.k, wordsOf(w.w, a, in)) {
			return i
		}
	}
	return 0
}

// stalls keeps a warp back at its wait, until its task has a worker.
func (m *nMega) stalls(w *nWarp) bool {
	if !w.atWait() {
		return false
	}
	if !m.of[w.cta].runs {
		w.kept = true
		return true
	}
	w.waits = noWait
	return false
}

// over: a task has ended. Those that waited for it go first, then those that waited for all of its kernel.
func (m *nMega) over(c *nCTA) {
	x := m.of[c]
	x.over = true
	r := x.sm
	r.tasks = slices.DeleteFunc(r.tasks, func(y *nMegaTask) bool { return y == x })
	r.places = append(r.places, x.place)
	x.k.done++
	m.deal(func(y *nMegaTask) bool { return slices.Contains(y.producers, x) })
	m.deal(func(y *nMegaTask) bool { return slices.Contains(y.wholes, x.k) })
}
