package model_test

import (
	"errors"
	"io"
	"testing"

	"gpureplay/model"
	"gpureplay/trace"
)

// naive is the machine of MODEL.md once more, made to be read and not to be
// fast: it steps every cycle, looks at every warp, keeps ports as sets of taken
// cycles and caches as slices. It knows kernels of the host in streams under the
// policy hyperq.
type naive struct {
	cfg     *model.Config
	prog    *trace.Program
	t       model.Time
	kernels []*nKernel
	streams [][]*nKernel // unfinished kernels of each stream
	busy    []bool       // per hardware work queue
	scan    int
	entries []*nKernel
	sms     []*nSM
	nextSM  int
	mem     *nMemory
	insts   map[instKey][2]model.Time
	ctas    map[[2]uint32][3]model.Time // SM, placed, ended
	ended   []nEnd
}

type instKey struct{ kernel, cta, warp, n uint32 }

type nEnd struct {
	kernel              uint32
	dispatch, first, at model.Time
}

type nKernel struct {
	tk              trace.Kernel
	id              uint32
	hwq, stream     int
	arrived         bool
	dispatch, first model.Time
	enters          model.Time // in the distributor; -1: not dispatched
	ctas            []trace.CTA
	next, done      int
	ends            model.Time
	res             model.Resources
}

type nCTA struct {
	k       *nKernel
	sm      *nSM
	id      uint32
	placed  model.Time
	warps   []*nWarp // live
	reached [16]model.Time
	acked   model.Time
	ends    model.Time
}

type nWarp struct {
	cta               *nCTA
	w                 *trace.Warp
	slot              int
	age               uint64
	pc, mem, launched int
	mask              uint32
	regs              map[trace.Reg]model.Time
	from, last        model.Time
	barrier           int // -1: none
	exited            bool
}

type nSM struct {
	id    int
	slots []*nWarp
	ctas  []*nCTA
	used  model.Resources
	last  []int // per scheduler: bit issued from
	free  []map[trace.Class]model.Time
	age   uint64
	order *nKernel
	lsu   nLSU
}

func newNaive(t testing.TB, tr *trace.Reader, cfg *model.Config) *naive {
	n := &naive{cfg: cfg, prog: tr.Program(), busy: make([]bool, cfg.KMU.HWQs), insts: map[instKey][2]model.Time{}, ctas: map[[2]uint32][3]model.Time{}}
	n.mem = newNMemory(cfg)
	for i := range cfg.SM.Count {
		s := &nSM{id: i, slots: make([]*nWarp, cfg.SM.MaxWarps)}
		for range cfg.SM.Schedulers {
			s.last, s.free = append(s.last, -1), append(s.free, map[trace.Class]model.Time{})
		}
		s.lsu.init(n, s)
		n.sms = append(n.sms, s)
	}
	index := map[uint64]int{}
	for id := range uint32(n.prog.Totals.Kernels) {
		k := &nKernel{id: id, enters: -1, ends: -1, first: -1}
		if err := tr.Kernel(id, &k.tk); err != nil {
			t.Fatal(err)
		}
		if _, ok := index[k.tk.Stream]; !ok {
			index[k.tk.Stream] = len(n.streams)
			n.streams = append(n.streams, nil)
		}
		k.stream = index[k.tk.Stream]
		k.hwq = k.stream % cfg.KMU.HWQs
		k.res = cfg.CTAResources(&k.tk)
		cur, err := tr.CTAs(id, 0)
		for err == nil {
			var c trace.CTA
			if err = cur.Next(&c); err == nil {
				k.ctas = append(k.ctas, c)
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		n.kernels = append(n.kernels, k)
		n.streams[k.stream] = append(n.streams[k.stream], k)
	}
	return n
}

// run steps until every kernel has ended.
func (n *naive) run() {
	for n.t = 0; len(n.ended) < len(n.kernels); n.t++ {
		for _, k := range n.kernels {
			if !k.arrived && n.t == model.Time(n.cfg.Host.LaunchLatency) {
				k.arrived = true
				n.inspect()
			}
		}
		for _, k := range append([]*nKernel{}, n.entries...) {
			if k.ends == n.t {
				n.endKernel(k)
			}
		}
		for range n.cfg.KMU.CTAsPerCycle {
			n.place()
		}
		for _, s := range n.sms {
			s.step(n)
		}
	}
}

func (n *naive) endKernel(k *nKernel) {
	for i, e := range n.entries {
		if e == k {
			n.entries = append(n.entries[:i:i], n.entries[i+1:]...)
		}
	}
	n.ended = append(n.ended, nEnd{k.id, k.dispatch, k.first, n.t})
	n.busy[k.hwq] = false
	n.inspect()
	n.streams[k.stream] = n.streams[k.stream][1:]
	n.inspect()
}

// inspect dispatches the first kernel of each idle queue, round robin.
func (n *naive) inspect() {
	first := n.scan
	for i := range n.busy {
		q := (first + i) % len(n.busy)
		if n.busy[q] || len(n.entries) >= n.cfg.KMU.Entries {
			continue
		}
		for _, k := range n.kernels {
			if k.hwq != q || k.enters >= 0 || !k.arrived {
				continue
			}
			if n.streams[k.stream][0] == k {
				k.enters = n.t + model.Time(n.cfg.KMU.DispatchLatency)
				k.dispatch = k.enters
				n.busy[q], n.scan = true, (q+1)%len(n.busy)
				n.entries = append(n.entries, k)
			}
			break // the head of the queue holds back the others
		}
	}
}

// place puts one CTA on an SM: the first kernel with CTAs left, SMs in turn.
func (n *naive) place() {
	for _, k := range n.entries {
		if k.enters > n.t || k.next == len(k.ctas) {
			continue
		}
		for i := range n.sms {
			s := n.sms[(n.nextSM+i)%len(n.sms)]
			if n.cfg.Fits(s.used, k.res) {
				n.nextSM = (s.id + 1) % len(n.sms)
				n.start(k, s)
				return
			}
		}
		return
	}
}

func (n *naive) start(k *nKernel, s *nSM) {
	tc := &k.ctas[k.next]
	k.next++
	if k.first < 0 {
		k.first = n.t
	}
	if len(s.ctas) == 0 && s.order != k {
		s.lsu.l1.sets = map[uint64][]*nLine{}
	}
	s.order = k
	s.used = s.used.Plus(k.res)
	c := &nCTA{k: k, sm: s, id: tc.ID, placed: n.t, ends: -1}
	s.ctas = append(s.ctas, c)
	for i := range tc.Warps {
		w := &nWarp{cta: c, w: &tc.Warps[i], mask: ^uint32(0), regs: map[trace.Reg]model.Time{}, barrier: -1, from: n.t + model.Time(n.cfg.SM.CTALaunchLatency)}
		w.last = w.from
		for s.slots[w.slot] != nil {
			w.slot++
		}
		s.age++
		w.age = s.age
		s.slots[w.slot] = w
		c.warps = append(c.warps, w)
	}
}

// step ends CTAs whose time has come, then lets each scheduler issue.
func (s *nSM) step(n *naive) {
	for _, c := range append([]*nCTA{}, s.ctas...) {
		if c.ends != n.t {
			continue
		}
		for i, x := range s.ctas {
			if x == c {
				s.ctas = append(s.ctas[:i:i], s.ctas[i+1:]...)
				break
			}
		}
		s.used = s.used.Minus(c.k.res)
		n.ctas[[2]uint32{c.k.id, c.id}] = [3]model.Time{model.Time(s.id), c.placed, n.t}
		if c.k.done++; c.k.done == len(c.k.ctas) {
			c.k.ends = n.t + 1
		}
	}
	for i := range s.last {
		s.issue(n, i)
	}
}
