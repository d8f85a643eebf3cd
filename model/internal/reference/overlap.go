package reference

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

// nOverlap is the overlapped host of the reference model (CRCS/PPCS paper, section 3). The prelude's pages go to
// the device as they are read, kernels are launched before their input is there, and pages come back when no kernel
// needs them.
type nOverlap struct {
	n                *Machine
	ops              []trace.HostOp
	next             int
	until            model.Time
	launches, issued int
	pages            []*nPage // by number
	pageBytes        uint64
	exact, cost      bool
	limit, overflows int
	inOrder          bool       // the prelude reads an array after the other
	random           *rand.Rand // and the pages of each in any order
	call             int        // that reads files now
	queue            []*nKernel // launched, outside
	profiled, busy   bool       // the first of them has been, or is being, profiled
	inside           []*nKernel
	counted          int // kernels whose pages are all known or forgotten
	swept            bool
	files            map[uint32]uint64
	inputs           []*nInput
	turn             int // input that is read next
	reading, looking bool
	down, up, disk   model.Time // when the links and the second storage are free
	outputs          []*nOutput
	stages           []string
}

// nInput is an array that the host fills.
type nInput struct {
	array        uint32
	sent, copied bool
	begun        bool     // a page has gone
	unread       []*nPage // of its file
	beyond       []*nPage // pages that no file fills
	opened       bool
	call         int
	left         uint64 // bytes of the file
	here         int
	read, moved  nStage
}

type nOutput struct {
	array          uint32
	file, begun    bool
	here           int
	moved, written nStage
}

// nStage is from when to when a stage of an array lasts.
type nStage struct {
	start, end model.Time
	bytes      uint64
	some       bool
}

func (s *nStage) add(start, end model.Time, bytes uint64) {
	if !s.some {
		s.start, s.some = start, true
	}
	s.end, s.bytes = max(s.end, end), s.bytes+bytes
}

func (o *nOverlap) tell(kind model.StageKind, of uint32, s nStage) {
	if s.some {
		o.stages = append(o.stages, fmt.Sprintf("%v of %d: %d to %d, %d bytes", kind, int32(of), s.start, s.end, s.bytes))
		o.n.cycles = max(o.n.cycles, s.end)
	}
}

// bytesTake is how long bytes take at a bandwidth; 0: no time.
func (o *nOverlap) bytesTake(bytes uint64, perSecond float64) model.Time {
	if perSecond == 0 {
		return 0
	}
	return model.Time(math.Ceil(float64(bytes) * o.n.cfg.Clock.CoreMHz * 1e6 / perSecond))
}

func newNOverlap(n *Machine, pageBytes int) *nOverlap {
	o := &nOverlap{n: n, ops: n.host.ops, files: map[uint32]uint64{}, pageBytes: uint64(pageBytes), cost: true,
		limit: 1023}
	numbers := map[uint64]*nPage{}
	for i := range n.prog.Arrays {
		a := &n.prog.Arrays[i]
		for b := a.Base; b < a.Base+a.Bytes; b++ {
			p := numbers[b/o.pageBytes]
			if p == nil {
				p = &nPage{number: b / o.pageBytes, ready: true}
				numbers[p.number] = p
				o.pages = append(o.pages, p)
			}
			if !slices.Contains(p.arrays, uint32(i)) {
				p.arrays = append(p.arrays, uint32(i))
			}
		}
	}
	slices.SortFunc(o.pages, func(a, b *nPage) int { return int(a.number) - int(b.number) })
	for _, op := range o.ops {
		if op.Kind == trace.OpLaunch {
			o.launches++
		}
	}
	o.scan()
	return o
}

// scan finds the program's copies to the device before its first launch, its copies back after the last, and the
// files.
func (o *nOverlap) scan() {
	launched := 0
	for _, op := range o.ops {
		known := op.Array != trace.NoArray
		switch {
		case op.Kind == trace.OpLaunch:
			launched++
		case known && launched == 0 && op.Kind == trace.OpFileRead:
			o.files[op.Array] += op.Bytes
		case known && launched == 0 && op.Kind == trace.OpCopyH2D && o.input(op.Array) == nil:
			o.inputs = append(o.inputs, &nInput{array: op.Array, sent: true})
			for _, p := range o.pagesOf(op.Array) {
				p.toBeWritten++
				p.input, p.ready = true, false
			}
		}
		if known && launched == o.launches && op.Kind == trace.OpCopyD2H && o.output(op.Array) == nil {
			o.outputs = append(o.outputs, &nOutput{array: op.Array})
			for _, p := range o.pagesOf(op.Array) {
				p.back = true
			}
		}
		if out := o.output(op.Array); launched == o.launches && op.Kind == trace.OpFileWrite && out != nil {
			out.file = true
		}
	}
}

func (o *nOverlap) input(array uint32) *nInput {
	for _, in := range o.inputs {
		if in.array == array {
			return in
		}
	}
	return nil
}

func (o *nOverlap) output(array uint32) *nOutput {
	for _, out := range o.outputs {
		if out.array == array {
			return out
		}
	}
	return nil
}

// run lets the host go on until it waits.
func (o *nOverlap) run() {
	for o.next < len(o.ops) && o.until <= o.n.t {
		busy, wait := o.issue(&o.ops[o.next])
		if wait {
			return
		}
		o.next++
		if busy > 0 {
			o.until = o.n.t + busy
			o.n.post(o.until, nHostPhase, o.run)
		}
	}
}

// issue performs an operation: for how long it keeps the host, or whether the host
// waits for the kernels before it.
func (o *nOverlap) issue(op *trace.HostOp) (busy model.Time, wait bool) {
	c := o.n.cfg
	if op.Kind != trace.OpFileRead {
		o.call++
	}
	before, behind, known := o.issued == 0, o.issued == o.launches, op.Array != trace.NoArray
	open := len(o.inside) + len(o.queue)
	switch op.Kind {
	case trace.OpLaunch:
		k := o.n.kernels[op.Kernel]
		o.issued++
		k.order, k.comes = o.issued, o.n.t+model.Time(c.Host.LaunchLatency)
		o.queue = append(o.queue, k)
		o.enter()
		return cyclesOfNs(c.Host.LaunchOverheadNs, c), false
	case trace.OpHostWork:
		return cyclesOfNs(float64(op.Ns), c), false
	case trace.OpSyncDevice, trace.OpSyncStream, trace.OpSyncEvent:
		return 0, !behind && open > 0
	case trace.OpFileRead, trace.OpFileWrite:
		kind := model.StagePrelude
		if op.Kind == trace.OpFileRead && before && known {
			o.read(op.Array)
			return 0, false
		} else if op.Kind == trace.OpFileWrite {
			if out := o.output(op.Array); behind && out != nil && out.file {
				return 0, false
			}
			kind = model.StagePostlude
		}
		busy = o.bytesTake(op.Bytes, c.Host.StorageMBs*1e6)
		o.tell(kind, op.Array, nStage{o.n.t, o.n.t + busy, op.Bytes, true})
		return busy, false
	case trace.OpCopyH2D, trace.OpCopyD2H, trace.OpCopyD2D, trace.OpMemset:
		if op.Kind == trace.OpCopyH2D && before && known {
			o.copyIn(op.Array)
			return 0, false
		}
		if open > 0 && !(op.Kind == trace.OpCopyD2H && behind && known) {
			return 0, true
		}
		return o.between(op, op.Kind == trace.OpCopyD2H && behind && known), false
	}
	return 0, false
}

// between copies whole arrays while no kernel runs. Arrays that go back page by page take no time of the host.
func (o *nOverlap) between(op *trace.HostOp, byPage bool) model.Time {
	if byPage {
		return 0
	}
	c := o.n.cfg
	d := cyclesOfNs(c.Host.CopyLatencyNs, c)
	switch op.Kind {
	case trace.OpCopyH2D:
		d += o.bytesTake(op.Bytes, c.Host.PCIeGBs*1e9)
		o.tell(model.StageH2D, op.Array, nStage{o.n.t, o.n.t + d, op.Bytes, true})
		if c.L2.CopiesWarm {
			o.n.mem.warm(op.Addr, op.Bytes, o.n.t+d)
		}
	case trace.OpCopyD2H:
		d += o.bytesTake(op.Bytes, c.Host.PCIeGBs*1e9)
		o.tell(model.StageD2H, op.Array, nStage{o.n.t, o.n.t + d, op.Bytes, true})
	default: // bytes are read and written
		d += o.bytesTake(op.Bytes, float64(c.DRAM.Channels*c.DRAM.BusBytes*c.DRAM.DataRate)*c.Clock.DRAMMHz*1e6/2)
	}
	return d
}

// enter profiles kernels and lets them in, in program order: into a free entry and a
// free hardware work queue, an irregular one alone.
func (o *nOverlap) enter() {
	n := o.n
	for len(o.queue) > 0 && !o.busy {
		k := o.queue[0]
		if !irregular(k) && !o.profiled {
			d := o.profile(k)
			o.counted++
			o.profiled, o.busy = true, true
			o.tell(model.StageProfiler, k.id, nStage{n.t, n.t + d, 0, d > 0})
			n.post(n.t+d, nOverlapPhase, func() {
				o.busy = false
				o.enter()
			})
			return
		}
		alone := len(o.inside) == 1 && irregular(o.inside[0])
		if alone || irregular(k) && len(o.inside) > 0 || len(o.inside) == min(n.cfg.KMU.HWQs, n.cfg.KMU.Entries) {
			break
		}
		o.queue, o.profiled = o.queue[1:], false
		o.inside = append(o.inside, k)
		n.post(max(n.t, k.comes), nArrivePhase, func() { n.dispatch(k) })
	}
	o.sweep()
}

// allCounted: the pages of every kernel of the program are known, or it has ended.
func (o *nOverlap) allCounted() bool {
	return !o.busy && o.counted == o.launches && o.issued == o.launches
}

// sweep sends back the pages that no kernel needs when the last pre-profiler has ended.
func (o *nOverlap) sweep() {
	if !o.allCounted() || o.swept {
		return
	}
	o.swept = true
	for _, out := range o.outputs {
		for _, p := range o.pagesOf(out.array) {
			if len(p.counts) == 0 && p.ready {
				o.send(p, o.n.t)
			}
		}
	}
}

func (o *nOverlap) kernelEnded(k *nKernel) {
	o.inside = slices.DeleteFunc(o.inside, func(x *nKernel) bool { return x == k })
	if irregular(k) {
		o.counted++
	}
	o.letGo(k)
	o.enter()
	o.run()
}

// send sends a page to the host, and from there to its files.
func (o *nOverlap) send(p *nPage, t model.Time) {
	if !p.back || p.sent {
		return
	}
	p.sent = true
	start := max(t, o.up)
	o.up = start + o.bytesTake(o.pageBytes, o.n.cfg.Host.PCIeGBs*1e9)
	for _, a := range p.arrays {
		if out := o.output(a); out != nil && !out.begun {
			out.begun = true
			o.up += cyclesOfNs(o.n.cfg.Host.CopyLatencyNs, o.n.cfg)
		}
	}
	end := o.up
	o.n.post(end, nOverlapPhase, func() {
		for _, a := range p.arrays {
			out := o.output(a)
			if out == nil {
				continue
			}
			out.moved.add(start, end, o.pageBytes)
			if out.file {
				from := max(o.n.t, o.disk)
				o.disk = from + o.bytesTake(o.part(a, p), o.n.cfg.Host.StorageMBs*1e6)
				out.written.add(from, o.disk, o.part(a, p))
			}
			if out.here++; out.here == len(o.pagesOf(a)) {
				o.tell(model.StageD2H, a, out.moved)
				o.tell(model.StagePostlude, a, out.written)
			}
		}
	})
}
