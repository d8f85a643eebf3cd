package reference

import (
	"errors"
	"io"
	"math"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Machine is the machine of docs/model once more, made to be read and not to be fast: it steps every cycle, looks
// at every warp, keeps ports as sets of taken cycles and caches as slices. It knows the host's program, streams,
// device-side launches and every kind of instruction. It knows the policies (policy.go), but for nocopy,
// single-overlap, captured and pthreads. It decides by itself; only the next steps of Pagoda's table and scheduler
// warps come from package pagoda.
type Machine struct {
	cfg      *hardware.Config
	prog     *trace.Program
	t        model.Time
	host     *nHost
	events   []nEvent
	kernels  []*nKernel
	queues   []nWorkQueue
	scan     int
	arrivals int
	streams  int        // seen so far
	entries  []*nKernel // of the distributor
	coming   int        // kernels on their way to it
	waiting  []*nKernel // for another's to end
	direct   []*nRequest
	resumes  []*nCTA
	sms      []*nSM
	nextSM   int
	mem      *nMemory
	insts    map[InstKey][2]model.Time
	ctas     map[[3]uint32][3]model.Time // SM, placed, ended
	count    map[[3]uint32]uint32        // instructions that a warp has issued
	decide   func(l *trace.Launch, x int64, r *nRequest) nWay
	requests map[uint32]string // the outcome of each, by child
	table    nTable
	klap     *nKLAP     // nil: requests are launched one by one
	detached *nDetached // nil: parents wait for their children
	laperm   *nLaPerm   // nil: CTAs of a kernel go in their order
	gate     *nGate     // nil: kernels wait for those before them in their stream
	pdl      *nPDL      // nil: no kernel is launched programmatically
	mega     *nMega     // nil: CTAs are no tasks of persistent ones
	opens    nOpener    // that of gate, pdl or mega; nil: the first kernel of a stream alone may enter the GPU
	kids     nCounts
	captured bool // no lane launches: loops run as they were captured
	tasks    *nTasks
	ended    []KernelEnd

	over   *nOverlap // nil: kernels wait for those before them
	placer func(ready []*nKernel) (*nKernel, *nSM)
	cycles model.Time

	warpInsts, threadInsts uint64
}

// nOpener lets kernels of a stream enter the GPU.
type nOpener interface{ open(st *nStream) }

// InstKey names an instruction: the N-th that a warp has issued.
type InstKey struct{ Kernel, CTA, Warp, N uint32 }

// KernelEnd is a kernel that has ended.
type KernelEnd struct {
	Kernel              uint32
	Dispatch, First, At model.Time
}

type nKernel struct {
	tk              trace.Kernel
	id              uint32
	hwq             int
	early           bool     // it need not wait for its queue
	opened          bool     // it may enter the GPU
	stream          *nStream // nil: a device kernel
	parent          *nCTA
	order           int        // of the launches, from 1
	comes           model.Time // to the KMU
	held            []*nPage   // until it ends: their counts overflowed
	arrived         int        // place in the order of arrivals
	ready           bool       // first of its stream
	dispatch, first model.Time
	items           []nItem // CTAs, in the order of their placing
	next, done      int
	groups          []*nGroup // without a placed CTA
	request         *nRequest // it comes from; nil: the host's
	task            *nTask
	fused           *nFusion   // whose tasks' CTAs it holds
	resident        int        // CTAs on SMs
	kids            int        // children that have not ended
	posted          model.Time // all stores that did not keep their CTAs are acknowledged
	ending          bool
	released        bool
	res             hardware.Resources
}

type nCTA struct {
	k         *nKernel
	sm        *nSM
	item      *nItem
	id        uint32
	placed    model.Time
	warps     []*nWarp // live
	kept      []int    // slots of those that have exited
	reached   [16]model.Time
	acked     model.Time
	posts     bool // its stores do not keep it on its SM
	ends      model.Time
	post      model.Time // of its post-profiler
	kids      int
	ownStream int
	suspended bool
	gives     []nTouch
	worker    *nWorker       // on whose warps it is
	open      map[uint32]int // accesses of each warp that are not known
	opens     int            // of all
}

type nWarp struct {
	*nFrame
	callers         []*nFrame // programs that it returns to
	cta             *nCTA
	id              uint32
	slot            int
	age             uint64
	began, posted   model.Time // posted: stores that do not keep its CTA are acknowledged
	from, last      model.Time
	holding         bool // until its groups have found a kernel
	barrier         int  // -1: none
	exited, syncing bool
	gone            bool    // off its SM
	fenced          bool    // by its last instruction
	copies          nCopies // past the registers
	page            *nPage  // that it waits for
	waits           int     // step before which it waits for the kernel before its own
	kept            bool    // and it does
	place           int     // among the warps of a MasterKernel threadblock
	known           *nFrame // whose step's operands are looked up
	knownPC         int
	there           model.Time
	held            *nHeld     // an atomic that holds it
	buffer          int        // instructions that it has been given
	buffered        model.Time // from when it has them
}

// nFrame is a program and how far a warp is in it.
type nFrame struct {
	fn      uint32
	w       *trace.Warp
	pc, mem int
	mask    uint32
	regs    map[trace.Reg]model.Time
	added   bool // by the policy
}

// nItem is a CTA of a kernel, or of a group that has joined it.
type nItem struct {
	tc    *trace.CTA
	def   *nKernel // whose grid it is of
	group *nGroup
	task  *nTask // whose CTA it is where its kernel is not the task's
}

// New makes the machine of a trace.
func New(t testing.TB, tr *container.Reader, cfg *hardware.Config) *Machine {
	own := *cfg // policies change it
	cfg = &own
	n := &Machine{
		cfg: cfg, prog: tr.Program(), queues: make([]nWorkQueue, cfg.KMU.HWQs), insts: map[InstKey][2]model.Time{},
		ctas: map[[3]uint32][3]model.Time{}, count: map[[3]uint32]uint32{}, requests: map[uint32]string{},
	}
	n.mem = newNMemory(cfg)
	n.host = newNHost(t, n, tr)
	n.tasks = &nTasks{n: n, copies: true, live: map[uint32]*nTask{}, ended: map[uint32]bool{},
		records: map[uint32]string{}}
	n.tasks.rt = &nTaskStreams{u: n.tasks, most: 8192}
	for i := range cfg.SM.Count {
		s := &nSM{id: i, slots: make([]*nWarp, cfg.SM.MaxWarps), taken: map[int]bool{}, exited: map[int]*nWarp{}}
		for range cfg.SM.Schedulers {
			s.last, s.free = append(s.last, -1), append(s.free, map[trace.Class]model.Time{})
		}
		s.lsu.init(n, s)
		s.coll.init(n, s)
		n.sms = append(n.sms, s)
	}
	for id := range uint32(n.prog.Totals.Kernels) {
		k := &nKernel{id: id, first: -1}
		if err := tr.Kernel(id, &k.tk); err != nil {
			t.Fatal(err)
		}
		k.res = cfg.CTAResources(&k.tk)
		cur, err := tr.CTAs(id, 0)
		for err == nil {
			var c trace.CTA
			if err = cur.Next(&c); err == nil {
				k.items = append(k.items, nItem{tc: &c, def: k})
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		n.kernels = append(n.kernels, k)
	}
	return n
}

func (n *Machine) post(at model.Time, phase nPhase, do func()) {
	n.events = append(n.events, nEvent{at, phase, do})
}

// due takes the next event of this cycle: by phase, then as posted.
func (n *Machine) due() func() {
	best := -1
	for i, e := range n.events {
		if e.at == n.t && (best < 0 || e.phase < n.events[best].phase) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	do := n.events[best].do
	n.events = append(n.events[:best:best], n.events[best+1:]...)
	return do
}

// order numbers the arrivals at the KMU.
func (n *Machine) order() int {
	n.arrivals++
	return n.arrivals
}

// Run steps until the host's program and every kernel have ended; it gives up on
// a machine that does not move.
func (n *Machine) Run(t testing.TB) {
	if n.over != nil {
		n.post(0, nHostPhase, n.over.run)
	} else {
		n.post(0, nHostPhase, n.host.run)
	}
	for n.t = 0; len(n.events) > 0 || n.working() || n.mem.net.flying > 0; n.t++ {
		for do := n.due(); do != nil; do = n.due() {
			do()
		}
		if n.mega != nil {
			n.mega.act()
		}
		for range n.ctasNow() {
			if !n.restore() {
				n.place()
			}
		}
		for _, s := range n.sms {
			s.step(n)
			s.leaveTasks(n)
		}
		n.mem.net.step(n.t)
		for _, s := range n.sms {
			s.lsu.goOn(n.t)
			s.leaveTasks(n)
		}
		if n.t > 5_000_000 {
			t.Fatalf("the reference model does not come to an end: %+v", n.over)
		}
	}
	n.mem.drain()
}

// ctasNow is how many CTAs may be placed in this cycle.
func (n *Machine) ctasNow() int64 {
	thousandths := int64(math.Round(1000 * n.cfg.KMU.CTAsPerCycle))
	return (int64(n.t)+1)*thousandths/1000 - int64(n.t)*thousandths/1000
}

// working reports whether a CTA is on an SM or could go there.
func (n *Machine) working() bool {
	for _, s := range n.sms {
		if len(s.ctas) > 0 {
			return true
		}
	}
	return len(n.entries)+len(n.resumes)+n.coming > 0
}

// inspect dispatches the first kernel of each idle queue, round robin.
func (n *Machine) inspect() {
	if n.serving() {
		return
	}
	first := n.scan
	for i := range n.queues {
		q := (first + i) % len(n.queues)
		k := n.queues[q].head()
		if k == nil || n.queues[q].busy > 0 && !k.early || len(n.entries)+n.coming >= n.cfg.KMU.Entries {
			continue
		}
		n.queues[q].take(k)
		n.scan = (q + 1) % len(n.queues)
		n.dispatch(k)
		if n.serving() {
			return
		}
	}
}

// serving: a dispatch is under way, and others wait for it.
func (n *Machine) serving() bool { return n.cfg.KMU.SerialDispatch && n.coming > 0 }

// dispatch sends k to the distributor.
func (n *Machine) dispatch(k *nKernel) {
	if n.serving() { // it is in no queue: kernels overlap
		n.waiting = append(n.waiting, k)
		return
	}
	n.coming++
	n.post(n.t+model.Time(n.cfg.KMU.DispatchLatency), nDispatchPhase, func() {
		n.coming--
		n.enter(k)
		if len(n.waiting) > 0 {
			next := n.waiting[0]
			n.waiting = n.waiting[1:]
			n.dispatch(next)
		} else if n.cfg.KMU.SerialDispatch {
			n.inspect()
		}
	})
}

func (n *Machine) enter(k *nKernel) {
	k.dispatch = n.t
	n.entries = append(n.entries, k)
	if k.request != nil {
		n.entered(k)
	}
}

// place puts one CTA on an SM, of a kernel with CTAs left.
func (n *Machine) place() {
	if n.laperm != nil {
		n.laperm.place()
		return
	}
	if n.gate != nil {
		n.gate.place()
		return
	}
	if n.mega != nil {
		n.mega.place()
		return
	}
	var ready []*nKernel
	ahead := n.table.ahead
	for _, k := range n.entries {
		n.pointAt(k, ahead)
		if len(k.groups) > 0 {
			ahead = min(ahead, 1)
		}
		if k.next < len(k.items) && n.placeable(k) {
			ready = append(ready, k)
		}
	}
	if len(ready) == 0 {
		return
	}
	if k, s := n.placer(ready); k != nil {
		n.start(k, s)
	}
}

// fits: k's next CTA has room on s; dependent kernels share no SM.
func (n *Machine) fits(k *nKernel, s *nSM) bool {
	if n.mega != nil {
		return n.mega.fits(s)
	}
	return n.cfg.Fits(s.used, k.res) && (n.over == nil || len(s.ctas) == 0 || s.order == k)
}

func (n *Machine) start(k *nKernel, s *nSM) {
	item := &k.items[k.next]
	k.next++
	n.started(k, item)
	if item.task != nil {
		item.task.placed(n)
	}
	k.resident++
	if k.first < 0 {
		k.first = n.t
	}
	if len(s.ctas) == 0 && s.order != k {
		enter := func() { s.lsu.enter(n, k, int(ceilDiv(model.Time(k.tk.Grid.Count()), model.Time(n.cfg.SM.Count)))) }
		if n.pdl != nil {
			n.pdl.enters(k, s, enter)
		} else {
			enter()
		}
	}
	s.order = k
	s.used = s.used.Plus(k.res)
	c := &nCTA{k: k, sm: s, item: item, id: item.tc.ID, placed: n.t, ends: -1}
	c.posts = n.posts(k, item)
	s.ctas = append(s.ctas, c)
	for i := range item.tc.Warps {
		tw := &item.tc.Warps[i]
		w := &nWarp{
			nFrame: frameOf(item.def.tk.Function, n.asCaptured(item.def.tk.Function, tw)), id: tw.ID, cta: c, barrier: -1,
			waits: noWait,
			from:  n.t + model.Time(n.cfg.SM.CTALaunchLatency+i*n.cfg.SM.WarpLaunchGap),
		}
		w.began, w.last = w.from, w.from
		s.seat(w)
		c.warps = append(c.warps, w)
		if n.klap != nil {
			n.klap.first(w, uint32(k.next-1))
		}
	}
	if n.pdl != nil {
		n.pdl.placed(c)
	}
}
