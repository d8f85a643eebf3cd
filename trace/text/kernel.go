package text

import (
	"cmp"
	"gpureplay/trace"
	"gpureplay/trace/internal/words"
	"slices"
	"strings"
)

const kernelTakes = "grid= block= cluster= regs= shared= local= stream= device= fidelity= sharedbase= localbase= " +
	"scope= child task irregular collective programmatic host= start= duration= id="

// parseKernel opens a kernel that no host operation of this line launches.
func (p *parser) parseKernel() error {
	_, err := p.openKernel(0, nil)
	return err
}

// openKernel opens the kernel of a kernel, launch or spawn line. Words that
// are not a kernel's go to op, if there is one.
func (p *parser) openKernel(flags trace.KernelFlags, op *trace.HostOp) (uint32, error) {
	if err := p.endKernel(); err != nil {
		return 0, err
	}
	if len(p.toks) < 2 || p.toks[1].eq {
		return 0, p.errf("write: %s FUNCTION grid=8 block=256 regs=16 shared=0 stream=0", p.toks[0].word)
	}
	name := p.toks[1]
	_, known := p.fnIDs[name.word]
	if !known && (name.quoted || strings.Trim(name.word, "0123456789") != "") {
		p.addFunction(name.word)
	}
	fn, err := p.reference("function", name, p.fnIDs, len(p.fns))
	if err != nil {
		return 0, err
	}
	k := &trace.Kernel{Function: fn, Fidelity: trace.FidelityWarp, Flags: flags, Grid: trace.Dim3{1, 1, 1},
		Block: trace.Dim3{32, 1, 1}}
	for _, t := range p.toks[2:] {
		ok, err := p.kernelAttr(k, t)
		if err == nil && !ok {
			err = p.unknown(t, kernelTakes)
			if op != nil {
				err = p.opAttr(op, t)
			}
		}
		if err != nil {
			return 0, err
		}
	}
	id, err := p.w.BeginKernel(k)
	if err != nil {
		return 0, p.position(err)
	}
	k.ID = id
	p.kernel, p.code, p.fn = k, p.fns[fn], nil
	return id, nil
}

func (p *parser) kernelAttr(k *trace.Kernel, t token) (bool, error) {
	if !t.eq {
		if f := slices.Index(words.KernelFlag[:], t.word); f >= 0 {
			k.Flags |= 1 << f
			return true, nil
		}
		return false, nil
	}
	switch t.word {
	case "grid":
		return true, p.dim(t.word, t.value, &k.Grid)
	case "block":
		return true, p.dim(t.word, t.value, &k.Block)
	case "cluster":
		return true, p.dim(t.word, t.value, &k.Cluster)
	case "regs":
		return true, p.u32(t.word, t.value, &k.Registers)
	case "shared":
		return true, p.u32(t.word, t.value, &k.SharedBytes)
	case "local":
		return true, p.u32(t.word, t.value, &k.LocalBytes)
	case "device":
		return true, p.u32(t.word, t.value, &k.Device)
	case "stream":
		return true, p.u64(t.word, t.value, &k.Stream)
	case "scope":
		return true, p.scope(t, &k.Scope)
	case "sharedbase":
		return true, p.u64(t.word, t.value, &k.SharedBase)
	case "localbase":
		return true, p.u64(t.word, t.value, &k.LocalBase)
	case "fidelity":
		i, err := p.word(t.word, t.value, words.Fidelity[:])
		k.Fidelity = trace.Fidelity(i)
		return true, err
	case "id":
		var id uint32
		err := p.u32(t.word, t.value, &id)
		if err == nil && id != p.w.NextKernel() {
			err = p.errf("this is kernel %d, not %d: kernels are numbered in the order of the text", p.w.NextKernel(), id)
		}
		return true, err
	}
	return p.recordedAttr(&k.Recorded, t)
}

func (p *parser) recordedAttr(r **trace.Recorded, t token) (bool, error) {
	v := trace.Recorded{HostNs: -1, StartNs: -1, DurationNs: -1}
	if *r != nil {
		v = **r
	}
	dst := &v.HostNs
	switch t.word {
	case "host":
	case "start":
		dst = &v.StartNs
	case "duration":
		dst = &v.DurationNs
	default:
		return false, nil
	}
	err := p.i64(t.word, t.value, dst)
	if *dst < 0 {
		*dst = -1
	}
	*r = &v
	return true, err
}

func (p *parser) endKernel() error {
	if err := p.endCTA(); err != nil {
		return err
	}
	p.fn = nil
	if p.kernel == nil {
		return nil
	}
	p.kernel, p.code = nil, nil
	return p.position(p.w.EndKernel(0))
}

// cta is the text of one CTA, or of several alike.
type cta struct {
	lo, hi  uint32
	sm      int32
	ranges  []trace.Range
	touches []trace.Range
	counts  []trace.Count
	warps   []*warp
}

// warp is the text of one warp, or of several alike.
type warp struct {
	lo, hi uint32
	body   []item
}

func (p *parser) parseCTA() error {
	if err := p.endCTA(); err != nil {
		return err
	}
	if p.kernel == nil {
		return p.errf("a CTA belongs to a kernel; begin one: kernel FUNCTION grid=8 block=256")
	}
	if len(p.toks) < 2 {
		return p.errf("write: cta 0, or cta 0..7 for eight alike")
	}
	c := &cta{sm: -1}
	if err := p.span("cta", p.toks[1].word, &c.lo, &c.hi); err != nil {
		return err
	}
	if n := p.kernel.Grid.Count(); uint64(c.hi) >= n {
		return p.errf("cta %d is outside of the grid, which has %d", c.hi, n)
	}
	if c.hi-c.lo >= maxCTAs {
		return p.errf("one line makes at most %d CTAs; split it", maxCTAs)
	}
	for _, t := range p.toks[2:] {
		if t.word == "ranges" && t.value == "none" {
			c.ranges = []trace.Range{}
			continue
		}
		if t.word != "sm" {
			return p.unknown(t, "sm=, ranges=none")
		}
		v, err := p.number("sm", t.value, 1<<31-1)
		if err != nil {
			return err
		}
		c.sm = int32(v)
	}
	p.cta = c
	return nil
}

func (p *parser) parseRange() error {
	return p.parseSpan(func(c *cta) *[]trace.Range { return &c.ranges })
}
func (p *parser) parseTouch() error {
	return p.parseSpan(func(c *cta) *[]trace.Range { return &c.touches })
}

func (p *parser) parseSpan(list func(*cta) *[]trace.Range) error {
	word := p.toks[0].word
	if p.cta == nil || len(p.cta.warps) > 0 {
		return p.errf("a %s belongs to a CTA, before its warps", word)
	}
	if len(p.toks) != 4 {
		return p.errf("write: %s ARRAY read|write|readwrite FIRST..END (byte offsets, END excluded)", word)
	}
	id, err := p.reference("array", p.toks[1], p.arrayIDs, len(p.arrays))
	if err != nil {
		return err
	}
	m, err := p.word("mode", p.toks[2].word, words.Mode[:])
	if err != nil {
		return err
	}
	r := trace.Range{Array: id, Mode: trace.Mode(m)}
	lo, hi, two := strings.Cut(p.toks[3].word, "..")
	if !two {
		return p.errf("write the span as FIRST..END: 0..%s", p.toks[3].word)
	}
	if err := p.u64("first byte", lo, &r.Lo); err != nil {
		return err
	}
	if err := p.u64("end", hi, &r.Hi); err != nil {
		return err
	}
	dst := list(p.cta)
	*dst = append(*dst, r)
	return nil
}

// parseCount reads how often a CTA executes an instruction.
func (p *parser) parseCount() error {
	if p.cta == nil || len(p.cta.warps) > 0 {
		return p.errf("a count belongs to a CTA that has no warps")
	}
	if len(p.toks) < 3 {
		return p.errf("write: count LABEL x40, or an instruction and x40")
	}
	last := p.toks[len(p.toks)-1]
	times, ok := strings.CutPrefix(last.word, "x")
	if !ok || last.quoted {
		return p.errf("a count ends with how often the instruction is executed: x40")
	}
	n, err := p.number("times", times, trace.MaxTimes)
	if err != nil {
		return err
	}
	item := item{line: p.line}
	if err := p.stepInsts(&item, p.toks[1:len(p.toks)-1]); err != nil {
		return err
	}
	counts := &p.cta.counts
	for i := item.first; i <= item.last; i++ {
		at, found := slices.BinarySearchFunc(*counts, i, func(c trace.Count, i uint32) int { return cmp.Compare(c.Inst, i) })
		if found {
			(*counts)[at].Times += n
		} else {
			*counts = slices.Insert(*counts, at, trace.Count{Inst: i, Times: n})
		}
	}
	return nil
}

func (p *parser) parseWarp() error {
	if p.cta == nil {
		return p.errf("a warp belongs to a CTA; begin one: cta 0")
	}
	if err := p.endWarp(); err != nil {
		return err
	}
	if len(p.toks) != 2 {
		return p.errf("write: warp 0, or warp 0..3 for four alike")
	}
	w := &warp{}
	if err := p.span("warp", p.toks[1].word, &w.lo, &w.hi); err != nil {
		return err
	}
	if n := p.kernel.WarpsPerCTA(); w.hi >= n {
		return p.errf("warp %d is outside of the block, which has %d", w.hi, n)
	}
	p.warp, p.lastStep = w, nil
	p.blocks = append(p.blocks[:0], &w.body)
	p.cta.warps = append(p.cta.warps, w)
	return nil
}

func (p *parser) endWarp() error {
	if len(p.blocks) > 1 {
		return p.errf("a repeat above has no end; write end before this line")
	}
	p.warp, p.lastStep, p.blocks = nil, nil, p.blocks[:0]
	return nil
}

func (p *parser) endCTA() error {
	if err := p.endWarp(); err != nil {
		return err
	}
	c := p.cta
	if c == nil {
		return nil
	}
	p.cta = nil
	for id := c.lo; ; id++ {
		if err := p.builder.build(p, c, id); err != nil {
			return err
		}
		if err := p.w.WriteCTA(&p.builder.cta); err != nil {
			return p.position(err)
		}
		if id == c.hi {
			return nil
		}
	}
}
