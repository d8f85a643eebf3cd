package trace

import (
	"errors"
	"fmt"
	"math/bits"
)

// ctaBlock is an unpacked block of CTAs. Paths and masks are shared with those
// who read them and live as long as they do; the rest is copied out and reused.
type ctaBlock struct {
	runs     []blockRun
	ctas     []ctaRow
	warps    []warpRow
	spans    []Range
	mem      []Access
	lists    []uint64
	launches []Launch
	bytes    uint64
}

type blockRun struct {
	kernel, function uint32
	lo, hi           uint32 // CTAs
}

type ctaRow struct {
	id             uint32
	sm             int32
	warps          [2]uint32
	ranges, touchs [2]uint32
	hasRanges      bool
}

type warpRow struct {
	id       uint32
	path     []uint32
	masks    []MaskRun
	mem      [2]uint32
	lists    [2]uint32
	launches [2]uint32
}

// pathEntry is a path of a block's dictionary with its memory steps.
type pathEntry struct {
	code   *blockCode
	path   []uint32
	lo, hi int // in memStep
}

// memStep is a step of a path that has an access.
type memStep struct{ at, site uint32 }

// ctaDecoder unpacks blocks of CTAs. It is used by one goroutine at a time.
type ctaDecoder struct {
	p       *Program
	kernels uint32
	raw     []byte
	sec     section
	cols    [numCTAColumns]values
	sizes   ctaSizes
	code    map[uint32]*blockCode
	paths   []pathEntry
	steps   []memStep
	masks   [][]MaskRun
	sites   []site
	lanes   []lanes
	warp    uint32
	cta     uint32
	spans   spanState

	lastPath, lastMask uint32
	pathArena          []uint32
	maskArena          []MaskRun
	child              uint32
}

var errBlock = errors.New("its contents contradict each other")

// decode unpacks raw into b, reusing b's memory.
func (d *ctaDecoder) decode(b *ctaBlock, raw []byte) (err error) {
	if len(raw) == 0 {
		return errBlock
	}
	if _, err = d.sec.next(raw); err != nil {
		return err
	}
	if d.sec.kind != kindCTA {
		return fmt.Errorf("it holds a section %q, not CTAs", d.sec.kind)
	}
	for tag := range d.cols {
		d.cols[tag] = d.sec.values(tag)
	}
	if err := d.begin(b); err != nil {
		return err
	}
	lastKernel := uint64(0)
	for range d.sizes.runs {
		runs := &d.cols[colRuns]
		lastKernel += runs.uint()
		fn, n := runs.uint(), runs.uint()
		if lastKernel >= uint64(d.kernels) || fn >= uint64(len(d.p.Functions)) || n > d.sec.rows-uint64(len(b.ctas)) {
			return errBlock
		}
		lo := uint32(len(b.ctas))
		b.runs = append(b.runs, blockRun{uint32(lastKernel), uint32(fn), lo, lo + uint32(n)})
		if err := d.run(b, d.function(uint32(fn)), n); err != nil {
			return err
		}
	}
	if uint64(len(b.ctas)) != d.sec.rows {
		return errBlock
	}
	for tag := range d.cols {
		if v := &d.cols[tag]; !v.ok() {
			return fmt.Errorf("column %d does not hold what it should", tag)
		}
	}
	return nil
}

// begin reads the sizes and prepares the memory.
func (d *ctaDecoder) begin(b *ctaBlock) error {
	for _, f := range d.sizes.fields() {
		*f = d.cols[colSizes].uint()
	}
	z := &d.sizes
	if b.bytes = z.bytes() + d.sec.rows*56; b.bytes > maxDecodedBytes {
		return fmt.Errorf("its CTAs would take %d bytes, more than %d", b.bytes, maxDecodedBytes)
	}
	b.runs, b.ctas, b.warps = grow(b.runs, z.runs), grow(b.ctas, d.sec.rows), grow(b.warps, z.warps)
	b.spans, b.mem, b.lists, b.launches = grow(b.spans, z.spans), grow(b.mem, z.mem), grow(b.lists, z.lists+32), grow(b.launches, z.launches)
	d.pathArena = make([]uint32, z.steps)
	d.maskArena = make([]MaskRun, z.masks)
	clear(d.code)
	d.paths, d.steps, d.masks = d.paths[:0], d.steps[:0], d.masks[:0]
	d.sites, d.lanes = d.sites[:0], d.lanes[:0]
	d.warp, d.cta, d.spans = 0, 0, spanState{}
	d.lastPath, d.lastMask, d.child = 0, 0, 0
	return nil
}

// grow returns an empty slice with room for n.
func grow[T any](s []T, n uint64) []T {
	if uint64(cap(s)) < n {
		return make([]T, 0, n)
	}
	return s[:0]
}

func (d *ctaDecoder) function(fn uint32) *blockCode {
	code := d.code[fn]
	if code == nil {
		code = newBlockCode(fn, len(d.p.Functions[fn].Insts))
		code.flow.close()
		if d.code == nil {
			d.code = map[uint32]*blockCode{}
		}
		d.code[fn] = code
	}
	return code
}

// run reads the CTAs of one kernel.
func (d *ctaDecoder) run(b *ctaBlock, code *blockCode, n uint64) error {
	next, sm := uint64(0), int64(0)
	if len(b.ctas) > 0 {
		sm = int64(b.ctas[len(b.ctas)-1].sm)
	}
	for range n {
		d.cta++
		id := next + d.cols[colCTA].uint()
		next = id + 1
		sm += d.cols[colSM].int()
		warps := d.cols[colWarps].uint()
		if id>>32 != 0 || sm != int64(int32(sm)) || warps > d.sizes.warps-uint64(len(b.warps)) {
			return errBlock
		}
		c := ctaRow{id: uint32(id), sm: int32(sm)}
		if err := d.ctaSpans(b, &c); err != nil {
			return err
		}
		c.warps[0] = uint32(len(b.warps))
		nextWarp := uint64(0)
		for range warps {
			wid := nextWarp + d.cols[colWarp].uint()
			if nextWarp = wid + 1; wid>>32 != 0 {
				return errBlock
			}
			if err := d.decodeWarp(b, code, uint32(wid)); err != nil {
				return fmt.Errorf("CTA %d, warp %d: %w", id, wid, err)
			}
		}
		c.warps[1] = uint32(len(b.warps))
		b.ctas = append(b.ctas, c)
	}
	return nil
}

func (d *ctaDecoder) ctaSpans(b *ctaBlock, c *ctaRow) error {
	ranges, touches := d.cols[colRanges].uint(), d.cols[colTouches].uint()
	if c.hasRanges = ranges > 0; c.hasRanges {
		ranges--
	}
	left := d.sizes.spans - uint64(len(b.spans))
	if ranges > left || touches > left-ranges {
		return errBlock
	}
	v := &d.cols[colSpans]
	for kind, n := range [2]uint64{ranges, touches} {
		lo := uint32(len(b.spans))
		for range n {
			r := Range{Array: uint32(v.uint()), Mode: Mode(v.byte())}
			r.Lo = d.spans.lo[kind] + uint64(v.int())
			r.Hi = r.Lo + v.uint()
			d.spans.lo[kind] = r.Hi
			if int(r.Array) >= len(d.p.Arrays) {
				return errBlock
			}
			b.spans = append(b.spans, r)
		}
		if kind == 0 {
			c.ranges = [2]uint32{lo, uint32(len(b.spans))}
		} else {
			c.touchs = [2]uint32{lo, uint32(len(b.spans))}
		}
	}
	return nil
}

func (d *ctaDecoder) decodeWarp(b *ctaBlock, code *blockCode, id uint32) error {
	d.warp++
	p, err := d.path(code)
	if err != nil {
		return err
	}
	masks, err := d.maskList(len(p.path))
	if err != nil {
		return err
	}
	w := warpRow{id: id, path: p.path, masks: masks}
	if w.launches, err = d.launchList(b, len(p.path)); err != nil {
		return err
	}
	w.mem[0], w.lists[0] = uint32(len(b.mem)), uint32(len(b.lists))
	if uint64(len(b.mem)+p.hi-p.lo) > d.sizes.mem {
		return errBlock
	}
	if err := d.accesses(b, d.steps[p.lo:p.hi], masks); err != nil {
		return err
	}
	w.mem[1], w.lists[1] = uint32(len(b.mem)), uint32(len(b.lists))
	b.warps = append(b.warps, w)
	return nil
}

// path reads a reference to a path, and the path if it is new.
func (d *ctaDecoder) path(code *blockCode) (*pathEntry, error) {
	switch ref := d.cols[colPath].uint(); {
	case ref == 1:
		d.lastPath = uint32(len(d.paths))
		if err := d.newPath(code); err != nil {
			return nil, err
		}
	case ref > 1 && ref-1 <= uint64(len(d.paths)):
		d.lastPath = uint32(uint64(len(d.paths)) - (ref - 1))
	case ref > 1:
		return nil, errBlock
	}
	if int(d.lastPath) >= len(d.paths) || d.paths[d.lastPath].code != code {
		return nil, errBlock
	}
	return &d.paths[d.lastPath], nil
}

func (d *ctaDecoder) newPath(code *blockCode) error {
	v := &d.cols[colFlow]
	n := v.uint()
	if n > uint64(len(d.pathArena)) || n > 0 && len(code.flow.next) == 0 {
		return errBlock
	}
	path := d.pathArena[:n:n]
	d.pathArena = d.pathArena[n:]
	if !code.flow.decode(v, path) {
		return errBlock
	}
	e := pathEntry{code: code, path: path, lo: len(d.steps)}
	insts := d.p.Functions[code.fn].Insts
	for at, i := range path {
		s := code.sites[i]
		if s == -1 {
			s = -2
			if insts[i].Width > 0 {
				s = int32(len(d.sites))
				d.sites = append(d.sites, makeSite(&insts[i]))
				d.lanes = append(d.lanes, lanes{})
			}
			code.sites[i] = s
		}
		if s >= 0 {
			d.steps = append(d.steps, memStep{uint32(at), uint32(s)})
		}
	}
	e.hi = len(d.steps)
	d.paths = append(d.paths, e)
	return nil
}

// maskList reads a reference to a list of masks, and the list if it is new.
func (d *ctaDecoder) maskList(steps int) ([]MaskRun, error) {
	switch ref := d.cols[colMask].uint(); {
	case ref == 1:
		n := d.cols[colMasks].uint()
		if n > uint64(len(d.maskArena)) {
			return nil, errBlock
		}
		list := d.maskArena[:n:n]
		d.maskArena = d.maskArena[n:]
		if !decodeMasks(&d.cols[colMasks], &d.cols[colMaskBits], list, steps) {
			return nil, errBlock
		}
		d.lastMask = uint32(len(d.masks))
		d.masks = append(d.masks, list)
	case ref > 1 && ref-1 <= uint64(len(d.masks)):
		d.lastMask = uint32(uint64(len(d.masks)) - (ref - 1))
	case ref > 1:
		return nil, errBlock
	}
	if int(d.lastMask) >= len(d.masks) {
		return nil, errBlock
	}
	list := d.masks[d.lastMask]
	if n := len(list); steps > 0 && n == 0 || n > 0 && int64(list[n-1].At) >= int64(steps) {
		return nil, errBlock
	}
	return list, nil
}

func (d *ctaDecoder) launchList(b *ctaBlock, steps int) ([2]uint32, error) {
	lo := uint32(len(b.launches))
	n := d.cols[colLaunches].uint()
	if n > d.sizes.launches-uint64(lo) {
		return [2]uint32{}, errBlock
	}
	at := uint64(0)
	for range n {
		at += d.cols[colLaunchAt].uint()
		lane := d.cols[colLaunchLane].uint()
		child := int64(d.child) + 1 + d.cols[colLaunchChild].int()
		work, params := d.cols[colLaunchWork].uint(), d.cols[colLaunchParam].uint()
		if at >= uint64(steps) || lane > 127 || child < 0 || child >= int64(d.kernels) || work>>32 != 0 || params>>32 != 0 {
			return [2]uint32{}, errBlock
		}
		d.child = uint32(child)
		b.launches = append(b.launches, Launch{At: uint32(at), Lane: uint8(lane & 31), Marked: lane&32 != 0, SharedSWQ: lane&64 != 0,
			Child: uint32(child), Workload: uint32(work), ParamBytes: uint32(params)})
	}
	return [2]uint32{lo, uint32(len(b.launches))}, nil
}

// accesses reads the accesses of one warp.
func (d *ctaDecoder) accesses(b *ctaBlock, steps []memStep, masks []MaskRun) error {
	forms := &d.cols[colForm]
	room := int(d.sizes.lists)
	listLo := len(b.lists)
	mask := uint32(0)
	for _, st := range steps {
		for len(masks) > 0 && masks[0].At <= st.at {
			mask, masks = masks[0].Mask, masks[1:]
		}
		form := forms.byte()
		s := &d.sites[st.site]
		if form == shapeNone || mask == 0 && !s.bulk {
			b.mem = append(b.mem, Access{})
			continue
		}
		n := bits.OnesCount32(mask)
		if s.bulk || form&formCount != 0 {
			u := d.cols[colCount].uint()
			if u == 0 || u>>31 != 0 || !s.bulk || form&shapeMask == shapeSelf || form&shapeMask == shapeOther || form&shapeMask == shapeLanes {
				return errBlock
			}
			n = int(u)
		}
		var a Access
		switch form & shapeMask {
		case shapeLanes, shapeIndex:
			base := s.predict(d.warp, d.cta)
			if form&formStride != 0 {
				s.stride = int32(d.cols[colStride].int())
			}
			if form&formBase != 0 {
				base += uint64(d.cols[colBase].int())
			}
			s.put(base, d.warp, d.cta)
			if form&shapeMask == shapeIndex {
				a = Access{Base: base, Stride: s.stride, Count: uint32(n)}
				if n == 1 {
					a.Stride = 0
				}
				if n <= 2 && !s.bulk {
					setLanes(&d.lanes[st.site], mask, base, base+uint64(int64(s.stride)))
				}
				break
			}
			var ok bool
			if a, ok = d.laneAccess(b, &d.lanes[st.site], mask, n, base, s.stride, room); !ok {
				return errBlock
			}
		case shapeSelf, shapeOther, shapeList, shapeScaled:
			if s.bulk && n > room-len(b.lists) {
				return errBlock
			}
			list := b.lists[len(b.lists):][:n]
			if form&shapeMask == shapeList || form&shapeMask == shapeScaled {
				d.deltaList(st.site, form, mask, list)
			} else if !d.followList(st.site, form, mask, list) {
				return errBlock
			}
			if stride, ok := progression(list); ok {
				a = Access{Base: list[0], Stride: stride, Count: uint32(n)}
				break
			}
			if n > room-len(b.lists) {
				return errBlock
			}
			b.lists = b.lists[:len(b.lists)+n]
			a = Access{Count: uint32(n), List: 1}
		default:
			return errBlock
		}
		if a.List != 0 {
			a.List = uint32(len(b.lists) - listLo - int(a.Count) + 1)
		}
		b.mem = append(b.mem, a)
	}
	return nil
}

// laneAccess makes the access whose lanes have base + lane·stride.
func (d *ctaDecoder) laneAccess(b *ctaBlock, v *lanes, mask uint32, n int, base uint64, stride int32, room int) (Access, bool) {
	first := bits.TrailingZeros32(mask)
	at := func(lane int) uint64 { return base + uint64(int64(lane)*int64(stride)) }
	if n <= 2 {
		last := 31 - bits.LeadingZeros32(mask)
		setLanes(v, mask, at(first), at(last))
		if n == 1 {
			return Access{Base: at(first), Count: 1}, true
		}
	}
	if stride == 0 {
		return Access{Base: base, Count: uint32(n)}, true
	}
	if step := laneStep(mask); step > 0 {
		return Access{Base: at(first), Stride: stride * step, Count: uint32(n)}, true
	}
	if n > room-len(b.lists) {
		return Access{}, false
	}
	for m := mask; m != 0; m &= m - 1 {
		b.lists = append(b.lists, at(bits.TrailingZeros32(m)))
	}
	return Access{Count: uint32(n), List: 1}, true
}

// setLanes stores the addresses of a mask of one or two lanes.
func setLanes(v *lanes, mask uint32, first, second uint64) {
	v[bits.TrailingZeros32(mask)&31] = first
	if mask &= mask - 1; mask != 0 {
		v[bits.TrailingZeros32(mask)&31] = second
	}
}

// deltaList reads a list of differences.
func (d *ctaDecoder) deltaList(id uint32, form byte, mask uint32, list []uint64) {
	s := &d.sites[id]
	a := s.predict(d.warp, d.cta)
	if form&formBase != 0 {
		a += uint64(d.cols[colBase].int())
	}
	s.put(a, d.warp, d.cta)
	list[0] = a
	shift := uint8(0)
	if form&shapeMask == shapeScaled {
		shift = s.width & 63
	}
	v := &d.cols[colDelta]
	for i := 1; i < len(list); i++ {
		a += uint64(v.int()) << shift
		list[i] = a
	}
	if !s.bulk {
		d.setList(id, mask, list)
	}
}

func (d *ctaDecoder) setList(id, mask uint32, list []uint64) {
	v := &d.lanes[id]
	for _, a := range list {
		v[bits.TrailingZeros32(mask)&31] = a
		mask &= mask - 1
	}
}

// followList makes a list from the lanes' last addresses.
func (d *ctaDecoder) followList(id uint32, form byte, mask uint32, list []uint64) bool {
	s := &d.sites[id]
	from, k := id, 0
	if form&shapeMask == shapeOther {
		if form&formStride != 0 {
			u := d.cols[colStride].uint()
			if u >= uint64(len(d.sites)) {
				return false
			}
			s.other = uint32(u)
		}
		from, k = s.other, 1
	}
	c := s.c[k]
	if form&formBase != 0 {
		c += uint64(d.cols[colBase].int())
	}
	s.c[k] = c
	v, wf, wt := &d.lanes[from], d.sites[from].width, s.width
	m := mask
	for i := range list {
		list[i] = scale(v[bits.TrailingZeros32(m)&31], wf, wt) + c
		m &= m - 1
	}
	d.setList(id, mask, list)
	return true
}
