package text

import (
	"gpureplay/trace"
	"math/bits"
	"strconv"
	"strings"
)

// item is one line of a warp: a step or a run of steps, or a repeat with
// its body.
type item struct {
	line        int
	first, last uint32 // instructions, consecutive
	times       uint64
	mask        uint32
	hasMask     bool
	addr        addr
	children    []child
	body        []item // of a repeat
	done        uint64 // executions in the warp that is being built
}

// addr is the addresses of a step.
type addr struct {
	given  bool
	list   []uint64 // base alone if len 1
	stride int32
	count  uint32 // 0: one per active lane, or as many as listed
	next   int64  // added at each later execution of the step in the warp
	cta    int64  // added per CTA id
	warp   int64  // added per warp id
}

type child struct {
	trace.Launch
	lastLane uint8
}

const stepTakes = "a label or FIRST..LAST, or an instruction; then xN, mask=, @BASE+STRIDE or @A,B,C, n=, next=, " +
	"cta=, warp="

// parseStep reads one line of a warp.
func (p *parser) parseStep() error {
	var inst []token
	item := item{line: p.line, times: 1}
	for i, t := range p.toks {
		used, err := p.stepAttr(&item, t, i)
		if err != nil {
			return err
		}
		if !used {
			inst = append(inst, t)
		}
	}
	if len(inst) == 0 {
		return p.errf("the line names no instruction; it takes %s", stepTakes)
	}
	if err := p.stepInsts(&item, inst); err != nil {
		return err
	}
	in := p.w.Inst(p.code.id, item.first)
	if item.addr.given && (item.first != item.last || !in.Mem()) {
		return p.errf("addresses belong to one memory instruction (one with a width, such as w4)")
	}
	block := p.blocks[len(p.blocks)-1]
	*block = append(*block, item)
	p.lastStep = &(*block)[len(*block)-1]
	return nil
}

// stepInsts finds the instructions that a step names, or defines one.
func (p *parser) stepInsts(item *item, inst []token) error {
	if len(inst) == 1 {
		word := inst[0].word
		if i, ok := p.code.labels[word]; ok {
			item.first, item.last = i, i
			return nil
		}
		if a, b, two := strings.Cut(word, ".."); two && !inst[0].quoted {
			first, ok1 := p.code.labels[a]
			last, ok2 := p.code.labels[b]
			if !ok1 || !ok2 || last < first {
				return p.errf("%s..%s is no run of the function's instructions; both labels must exist, in that order", a, b)
			}
			item.first, item.last = first, last
			return nil
		}
		if _, err := strconv.ParseUint(word, 16, 32); err == nil && len(word) >= 4 && !inst[0].quoted {
			return p.errf("the function has no instruction %s; define it below the function line", word)
		}
	}
	in, err := p.parseInst(inst)
	if err != nil {
		return err
	}
	key := instKey(&in)
	if in.PC != noPC {
		key += " pc=" + strconv.Itoa(int(in.PC))
	}
	i, ok := p.code.inline[key]
	if !ok {
		if i, err = p.defineInst(p.code, inst); err != nil {
			return err
		}
		p.code.inline[key] = i
	}
	item.first, item.last = i, i
	return nil
}

// stepAttr takes the words of a step that are not its instruction's.
func (p *parser) stepAttr(item *item, t token, i int) (bool, error) {
	switch {
	case t.quoted:
		return false, nil
	case t.eq && t.word == "mask":
		m, err := strconv.ParseUint(strings.TrimPrefix(t.value, "0x"), 16, 32)
		if err != nil {
			return false, p.errf("mask %q is not eight hexadecimal digits", t.value)
		}
		item.mask, item.hasMask = uint32(m), true
	case t.eq && t.word == "n":
		return true, p.u32(t.word, t.value, &item.addr.count)
	case t.eq && t.word == "next":
		return true, p.i64(t.word, t.value, &item.addr.next)
	case t.eq && t.word == "cta":
		return true, p.i64(t.word, t.value, &item.addr.cta)
	case t.eq && t.word == "warp":
		return true, p.i64(t.word, t.value, &item.addr.warp)
	case !t.eq && t.word[0] == '@':
		return true, p.parseAddr(&item.addr, t.word[1:])
	case !t.eq && i > 0 && len(t.word) > 1 && t.word[0] == 'x' && t.word[1] >= '0' && t.word[1] <= '9':
		n, err := p.number("times", t.word[1:], maxSteps)
		item.times = n
		return true, err
	default:
		return false, nil
	}
	return true, nil
}

// parseAddr reads 0x1000, 0x1000+4, A, A[256]+4, or a list with commas.
func (p *parser) parseAddr(a *addr, s string) error {
	a.given = true
	if strings.Contains(s, ",") {
		for part := range strings.SplitSeq(s, ",") {
			v, err := p.address(part)
			if err != nil {
				return err
			}
			a.list = append(a.list, v)
		}
		return nil
	}
	base, stride := s, ""
	if i := strings.LastIndexAny(s, "+-"); i > 0 {
		base, stride = s[:i], s[i:]
	}
	if stride != "" {
		v, err := strconv.ParseInt(stride, 0, 32)
		if err != nil {
			return p.errf("stride %q is not a number of bytes within 32 bits", stride)
		}
		a.stride = int32(v)
	}
	v, err := p.address(base)
	a.list = []uint64{v}
	return err
}

// address reads a number, or an array's name with an offset in brackets.
func (p *parser) address(s string) (uint64, error) {
	name, off, indexed := strings.Cut(strings.TrimSuffix(s, "]"), "[")
	if !indexed && s != "" && s[0] >= '0' && s[0] <= '9' {
		return p.number("address", s, 1<<64-1)
	}
	id, err := p.reference("array", token{word: name, quoted: true}, p.arrayIDs, len(p.arrays))
	if err != nil || !indexed {
		return p.arrayBase(id, err)
	}
	v, err := p.number("offset", off, 1<<63)
	return p.arrays[id].Base + v, err
}

func (p *parser) arrayBase(id uint32, err error) (uint64, error) {
	if err != nil {
		return 0, err
	}
	return p.arrays[id].Base, nil
}

func (p *parser) parseRepeat() error {
	if p.warp == nil || len(p.toks) != 2 {
		return p.errf("write, inside a warp: repeat 10, then steps, then end")
	}
	n, err := p.number("repeat", p.toks[1].word, maxSteps)
	if err != nil {
		return err
	}
	if len(p.blocks) > 16 {
		return p.errf("repeats are nested more than 16 deep; unroll some")
	}
	block := p.blocks[len(p.blocks)-1]
	*block = append(*block, item{line: p.line, times: n, body: []item{}})
	p.blocks = append(p.blocks, &(*block)[len(*block)-1].body)
	p.lastStep = nil
	return nil
}

func (p *parser) parseEnd() error {
	if len(p.blocks) < 2 {
		return p.errf("end without a repeat above it")
	}
	p.blocks = p.blocks[:len(p.blocks)-1]
	p.lastStep = nil
	return nil
}

// parseChild adds requests for child kernels to the step above.
func (p *parser) parseChild() error {
	if p.lastStep == nil || p.w.Inst(p.code.id, p.lastStep.last).Class != trace.ClassLaunch {
		return p.errf("a child belongs to the step above it, of class devlaunch; write devlaunch first")
	}
	if len(p.toks) < 2 {
		return p.errf("write: child KERNEL lane=0 work=40 params=64 marked shared")
	}
	var c child
	if err := p.u32("child", p.toks[1].word, &c.Child); err != nil {
		return err
	}
	for _, t := range p.toks[2:] {
		var err error
		switch t.word {
		case "lane":
			var lo, hi uint32
			if err = p.span("lane", t.value, &lo, &hi); err == nil && hi > 31 {
				err = p.errf("lane %d: a warp has lanes 0 to 31", hi)
			}
			c.Lane, c.lastLane = uint8(lo), uint8(hi)
		case "work":
			err = p.u32(t.word, t.value, &c.Workload)
		case "params":
			err = p.u32(t.word, t.value, &c.ParamBytes)
		case "marked":
			c.Marked = true
		case "shared":
			c.SharedSWQ = true
		default:
			err = p.unknown(t, "lane= work= params= marked shared")
		}
		if err != nil {
			return err
		}
	}
	p.lastStep.children = append(p.lastStep.children, c)
	return nil
}

// builder turns the text of a CTA into the CTA.
type builder struct {
	cta   trace.CTA
	steps uint64
	mask  uint32
}

func (b *builder) build(p *parser, c *cta, id uint32) error {
	b.cta = trace.CTA{ID: id, SM: c.sm, Ranges: c.ranges, Touches: c.touches, Counts: c.counts, Warps: b.cta.Warps[:0]}
	b.steps = 0
	for _, w := range c.warps {
		for wid := w.lo; ; wid++ {
			if err := b.buildWarp(p, w, wid); err != nil {
				return err
			}
			if wid == w.hi {
				break
			}
		}
	}
	return nil
}

func (b *builder) buildWarp(p *parser, t *warp, id uint32) error {
	w := b.cta.AddWarp(id)
	b.mask = blockMask(p.kernel.Block.Count(), id)
	resetItems(t.body)
	return b.items(p, w, t.body)
}

// blockMask is the mask of a warp all of whose threads are active.
func blockMask(threads uint64, warp uint32) uint32 {
	if first := uint64(warp) * 32; threads < first+32 {
		return uint32(1)<<(max(threads, first)-first) - 1
	}
	return ^uint32(0)
}

func resetItems(items []item) {
	for i := range items {
		items[i].done = 0
		resetItems(items[i].body)
	}
}

func (b *builder) items(p *parser, w *trace.Warp, items []item) error {
	for i := range items {
		t := &items[i]
		for range t.times {
			if t.body != nil {
				b.steps++
				if err := b.items(p, w, t.body); err != nil {
					return err
				}
			} else if err := b.step(p, w, t); err != nil {
				return err
			}
			if b.steps > maxSteps {
				p.line = t.line
				return p.errf("the CTA has more than %d steps; repeat less", maxSteps)
			}
		}
	}
	return nil
}

func (b *builder) step(p *parser, w *trace.Warp, t *item) error {
	if t.hasMask {
		b.mask = t.mask
	}
	for i := t.first; i <= t.last; i++ {
		w.Step(i, b.mask)
		b.steps++
		if in := p.w.Inst(p.code.id, i); in.Mem() {
			w.Mem = append(w.Mem, b.access(w, t, in))
		}
	}
	for _, c := range t.children {
		for lane := c.Lane; lane <= c.lastLane; lane++ {
			l := c.Launch
			l.At, l.Lane, l.Child = uint32(len(w.Path)-1), lane, c.Child+uint32(lane-c.Lane)
			w.Launches = append(w.Launches, l)
		}
	}
	t.done++
	return nil
}

func (b *builder) access(w *trace.Warp, t *item, in *trace.Inst) trace.Access {
	a := &t.addr
	if !a.given {
		return trace.Access{}
	}
	off := uint64(int64(t.done)*a.next + int64(b.cta.ID)*a.cta + int64(w.ID)*a.warp)
	count := a.count
	if count == 0 {
		count = uint32(bits.OnesCount32(b.mask))
		if in.Flags&trace.InstBulk != 0 {
			count = uint32(len(a.list))
		}
	}
	if len(a.list) == 1 {
		return trace.Access{Base: a.list[0] + off, Stride: a.stride, Count: count}
	}
	acc := trace.Access{List: uint32(len(w.Lists) + 1), Count: uint32(len(a.list))}
	for _, v := range a.list {
		w.Lists = append(w.Lists, v+off)
	}
	return acc
}
