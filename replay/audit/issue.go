package audit

import (
	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// issues checks the warps of kernels whose instructions the trace has, one instruction after the other:
//
//   - path: a warp issues the instructions of its path, in order;
//   - operands: an instruction issues when its operands and targets are ready;
//   - barrier: a warp passes a barrier after every live warp of its CTA has come;
//   - warp-order: which warp a scheduler picks (picks).
//
// It leaves out work that an instruction's record does not name: inlined children, CTAs of aggregated groups,
// tasks. A barrier's rule is for CTAs of one barrier: for several, a trace does not assign warps to barriers.
//
// Its books are a time per register and a place in the path for each resident warp.
type issues struct {
	a       *Auditor
	code    map[uint32]*codeBook // by function
	ctas    map[ctaKey]*ctaBook
	grouped map[uint32]bool // kernels that groups have joined
	picks   *picks          // nil: the order of warps is not known
	last    *ctaBook
	key     ctaKey
	started uint64 // warps
}

type ctaKey struct{ kernel, cta uint32 }

// codeBook is a function: of each instruction the registers, numbered anew
// without those that carry no dependence.
type codeBook struct {
	insts     []trace.Inst
	reads     [][]uint16 // and writes: both have to be there
	writes    [][]uint16
	registers int
	launches  bool
}

type ctaBook struct {
	code    *codeBook
	warps   map[uint32]*warpBook
	barrier int  // 1 + the one that has been seen
	several bool // barriers
	sm      uint32
}

type warpBook struct {
	path     []uint32
	at       int
	there    []model.Time // per register
	later    []bool       // per register: it is there when the L1 comes to it, at that time or behind
	barriers int          // come to
	waits    bool         // at the last of them
	age      uint64       // the number of its start
	able     model.Time   // from when it may issue, as far as its own instructions say; never: not known
}

func newIssues(a *Auditor) *issues {
	return &issues{a: a, code: map[uint32]*codeBook{}, ctas: map[ctaKey]*ctaBook{}, grouped: map[uint32]bool{}}
}

// function opens the book of a function.
func (s *issues) function(id uint32) *codeBook {
	c := s.code[id]
	if c != nil {
		return c
	}
	f := &s.a.tr.Program().Functions[id]
	c = &codeBook{insts: f.Insts, reads: make([][]uint16, len(f.Insts)), writes: make([][]uint16, len(f.Insts))}
	numbers := map[trace.Reg]uint16{}
	renumber := func(regs []trace.Reg) (list []uint16) {
		for _, r := range regs {
			if r.Zero() {
				continue
			}
			n, ok := numbers[r]
			if !ok {
				n = uint16(len(numbers))
				numbers[r] = n
			}
			list = append(list, n)
		}
		return list
	}
	for i := range f.Insts {
		c.writes[i] = renumber(f.Insts[i].Dst)
		c.reads[i] = append(renumber(f.Insts[i].Src), c.writes[i]...)
		c.launches = c.launches || f.Insts[i].Class == trace.ClassLaunch
	}
	c.registers = len(numbers)
	s.code[id] = c
	return c
}

// placed opens the books of a CTA's warps.
func (s *issues) placed(r *model.CTARecord, b *kernelBook) {
	s.picks.strange(r.SM)
	switch {
	case r.Child != model.NoKernel && !s.grouped[r.Kernel]:
		s.grouped[r.Kernel] = true
		for key := range s.ctas { // its CTAs can no longer be told from the group's
			if key.kernel == r.Kernel {
				s.close(key)
			}
		}
		s.last = nil
		return
	case s.grouped[r.Kernel], s.a.tasks.spawned > 0, trace.InferredOf(&b.k) != trace.InferredNothing,
		b.k.CTAs == 0:
		return
	}
	code := s.function(b.k.Function)
	if code.launches {
		return
	}
	cur, err := s.a.tr.CTAs(b.k.ID, r.CTA)
	var c trace.CTA
	if err != nil || cur.Next(&c) != nil || c.ID != r.CTA {
		return // the trace has no instructions of this one
	}
	book := &ctaBook{code: code, warps: make(map[uint32]*warpBook, len(c.Warps)), sm: r.SM}
	for i := range c.Warps {
		s.started++
		book.warps[c.Warps[i].ID] = &warpBook{
			path: c.Warps[i].Path, there: make([]model.Time, code.registers), later: make([]bool, code.registers),
			age: s.started, able: never,
		}
	}
	s.ctas[ctaKey{r.Kernel, r.CTA}] = book
	s.picks.placed(book)
}

// close closes the books of a CTA.
func (s *issues) close(key ctaKey) {
	if b := s.ctas[key]; b != nil {
		s.picks.ended(b)
		delete(s.ctas, key)
	}
}

// ended closes the books of a CTA.
func (s *issues) ended(r *model.CTARecord) {
	key := ctaKey{r.Kernel, r.CTA}
	if b := s.ctas[key]; b != nil && r.Child == model.NoKernel {
		left := 0
		for _, w := range b.warps {
			left += len(w.path) - w.at
		}
		if left > 0 {
			s.a.fail("path", r.End, "CTA %d of kernel %d ends and has %d instructions left", r.CTA, r.Kernel, left)
		}
		s.close(key)
	}
	s.last = nil
}

// issued checks one instruction.
func (s *issues) issued(r *exec.InstRecord) {
	if key := (ctaKey{r.Kernel, r.CTA}); s.last == nil || key != s.key {
		if s.last = s.ctas[key]; s.last == nil {
			s.picks.strange(r.SM)
			return
		}
		s.key = key
	}
	b := s.last
	w := b.warps[r.Warp]
	if w == nil || w.at >= len(w.path) || w.path[w.at] != r.Inst {
		s.a.fail("path", r.Issue, "warp %d of CTA %d of kernel %d issues instruction %d, which is not the next "+
			"of its path", r.Warp, r.CTA, r.Kernel, r.Inst)
		return
	}
	if w.waits && !b.several {
		s.passed(r, b, w)
	}
	s.picks.issued(r, b, w)
	for _, reg := range b.code.reads[r.Inst] {
		if w.there[reg] > r.Issue {
			s.a.fail("operands", r.Issue, "warp %d of CTA %d of kernel %d issues step %d, but a register is ready at %d",
				r.Warp, r.CTA, r.Kernel, w.at, w.there[reg])
		}
	}
	for _, reg := range b.code.writes[r.Inst] {
		w.there[reg] = max(r.Done, r.Issue+s.a.soonest(&b.code.insts[r.Inst]))
	}
	in := &b.code.insts[r.Inst]
	if w.waits = in.Class == trace.ClassBarrier; w.waits {
		w.barriers++
		n := 1 + int(in.Imm&15)
		b.several = b.several || b.barrier > 0 && n != b.barrier
		b.barrier = n
	}
	w.at++
	s.picks.goesOn(r, b, w)
}

// collected reports whether the pipe-entry cycle of an instruction is unknown when it issues.
func (a *Auditor) collected() bool { return a.cfg.SM.Collectors() }

// soonest is the least latency of an instruction's result where collectors serve all pipes: its pipe takes it in
// the cycle before its issue if it reads no register.
func (a *Auditor) soonest(in *trace.Inst) model.Time {
	if !a.collected() {
		return 0
	}
	e := &a.cfg.Exec
	unit, ok := map[trace.Class]*hardware.UnitConfig{
		trace.ClassInt: &e.Int, trace.ClassFP16: &e.FP16, trace.ClassFP32: &e.FP32, trace.ClassFP64: &e.FP64,
		trace.ClassSFU: &e.SFU, trace.ClassTensor: &e.Tensor,
	}[in.Class]
	if !ok {
		return 0
	}
	return model.Time(unit.Latency + a.cfg.SM.PipelineDepth - 1)
}

// passed checks a warp that goes on behind a barrier.
func (s *issues) passed(r *exec.InstRecord, b *ctaBook, w *warpBook) {
	for _, x := range b.warps {
		if x.at < len(x.path) && x.barriers < w.barriers {
			s.a.fail("barrier", r.Issue, "warp %d of CTA %d of kernel %d passes its barrier %d before all live warps have "+
				"come to it", r.Warp, r.CTA, r.Kernel, w.barriers)
			return
		}
	}
}
