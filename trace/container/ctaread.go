package container

import (
	"errors"
	"fmt"
	"gpureplay/trace"
)

// ctaDecoder unpacks blocks of CTAs. It is used by one goroutine at a time.
type ctaDecoder struct {
	p       *trace.Program
	kernels uint32
	sec     section
	cols    [numCTAColumns]values
	sizes   ctaSizes
	code    map[uint32]*blockCode
	paths   []pathEntry
	steps   []memStep
	masks   [][2]uint32
	sites   []site
	lanes   []lanes
	warp    uint32
	cta     uint32
	spans   spanState

	lastPath, lastMask uint32
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
			return fmt.Errorf("column %s does not hold what it should", ctaColumns[tag].name)
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
	if b.bytes = z.bytes(d.sec.rows); b.bytes > maxDecodedBytes {
		return fmt.Errorf("its CTAs would take %d bytes, more than %d", b.bytes, maxDecodedBytes)
	}
	b.runs, b.ctas, b.warps = grow(b.runs, z.runs), grow(b.ctas, d.sec.rows), grow(b.warps, z.warps)
	b.spans, b.mem, b.lists, b.launches = grow(b.spans, z.spans), grow(b.mem, z.mem), grow(b.lists, z.lists+32),
		grow(b.launches, z.launches)
	b.paths, b.masks = make([]uint32, 0, z.steps), make([]trace.MaskRun, 0, z.masks)
	clear(d.code)
	// A path comes with a warp that takes it, and with the accesses of that one.
	d.paths, d.steps, d.masks = d.paths[:0], grow(d.steps, min(z.steps, z.mem)), d.masks[:0]
	d.sites, d.lanes = d.sites[:0], d.lanes[:0]
	d.warp, d.cta, d.spans = 0, 0, spanState{}
	d.lastPath, d.lastMask, d.child = 0, 0, 0
	b.counts, d.sizes.counts = b.counts[:0], 0
	return nil
}

// release drops the trace, but keeps the memory.
func (d *ctaDecoder) release() {
	clear(d.code)
	clear(d.paths)
	*d = ctaDecoder{code: d.code, paths: d.paths[:0], steps: d.steps[:0], masks: d.masks[:0], sites: d.sites[:0],
		lanes: d.lanes[:0]}
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
		if err := d.ctaCounts(b, &c, code); err != nil {
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
			r := trace.Range{Array: uint32(v.uint()), Mode: trace.Mode(v.byte())}
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

func (d *ctaDecoder) ctaCounts(b *ctaBlock, c *ctaRow, code *blockCode) error {
	v := &d.cols[colTallies]
	n := d.cols[colCounts].uint()
	if n > uint64(len(v.b)-v.pos)/2 { // two values of a byte each, at least
		return errBlock
	}
	if d.sizes.counts += n; d.sizes.bytes(d.sec.rows) > maxDecodedBytes {
		return fmt.Errorf("its CTAs would take more than %d bytes", maxDecodedBytes)
	}
	c.counts[0] = uint32(len(b.counts))
	next := uint64(0)
	for range n {
		i := next + v.uint()
		times := v.uint()
		if next = i + 1; i >= uint64(len(code.sites)) || times == 0 || times > trace.MaxTimes {
			return errBlock
		}
		b.counts = append(b.counts, trace.Count{Inst: uint32(i), Times: times})
	}
	c.counts[1] = uint32(len(b.counts))
	return nil
}

func (d *ctaDecoder) decodeWarp(b *ctaBlock, code *blockCode, id uint32) error {
	d.warp++
	p, err := d.path(b, code)
	if err != nil {
		return err
	}
	steps := int(p.path[1] - p.path[0])
	masks, err := d.maskList(b, steps)
	if err != nil {
		return err
	}
	w := warpRow{id: id, path: p.path, masks: masks}
	if w.launches, err = d.launchList(b, steps); err != nil {
		return err
	}
	w.mem[0], w.lists[0] = uint32(len(b.mem)), uint32(len(b.lists))
	if uint64(len(b.mem)+p.hi-p.lo) > d.sizes.mem {
		return errBlock
	}
	if err := d.accesses(b, d.steps[p.lo:p.hi], part(b.masks, masks)); err != nil {
		return err
	}
	w.mem[1], w.lists[1] = uint32(len(b.mem)), uint32(len(b.lists))
	b.warps = append(b.warps, w)
	return nil
}

// path reads a reference to a path, and the path if it is new.
func (d *ctaDecoder) path(b *ctaBlock, code *blockCode) (*pathEntry, error) {
	switch ref := d.cols[colPath].uint(); {
	case ref == 1:
		d.lastPath = uint32(len(d.paths))
		if err := d.newPath(b, code); err != nil {
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

func (d *ctaDecoder) newPath(b *ctaBlock, code *blockCode) error {
	v := &d.cols[colFlow]
	n, lo := v.uint(), len(b.paths)
	if n > uint64(cap(b.paths)-lo) || n > 0 && len(code.flow.next) == 0 {
		return errBlock
	}
	b.paths = b.paths[:lo+int(n)]
	path := b.paths[lo:]
	if !code.flow.decode(v, path) {
		return errBlock
	}
	e := pathEntry{code: code, path: [2]uint32{uint32(lo), uint32(lo) + uint32(n)}, lo: len(d.steps)}
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
func (d *ctaDecoder) maskList(b *ctaBlock, steps int) ([2]uint32, error) {
	switch ref := d.cols[colMask].uint(); {
	case ref == 1:
		n, lo := d.cols[colMasks].uint(), len(b.masks)
		if n > uint64(cap(b.masks)-lo) {
			return [2]uint32{}, errBlock
		}
		b.masks = b.masks[:lo+int(n)]
		if !decodeMasks(&d.cols[colMasks], &d.cols[colMaskBits], b.masks[lo:], steps) {
			return [2]uint32{}, errBlock
		}
		d.lastMask = uint32(len(d.masks))
		d.masks = append(d.masks, [2]uint32{uint32(lo), uint32(lo) + uint32(n)})
	case ref > 1 && ref-1 <= uint64(len(d.masks)):
		d.lastMask = uint32(uint64(len(d.masks)) - (ref - 1))
	case ref > 1:
		return [2]uint32{}, errBlock
	}
	if int(d.lastMask) >= len(d.masks) {
		return [2]uint32{}, errBlock
	}
	list := d.masks[d.lastMask]
	if n := list[1] - list[0]; steps > 0 && n == 0 || n > 0 && int64(part(b.masks, list)[n-1].At) >= int64(steps) {
		return [2]uint32{}, errBlock
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
		work, params := d.cols[colLaunchWork].uint(), d.cols[colLaunchParams].uint()
		if at >= uint64(steps) || lane > 127 || child < 0 || child >= int64(d.kernels) || work>>32 != 0 || params>>32 != 0 {
			return [2]uint32{}, errBlock
		}
		d.child = uint32(child)
		l := trace.Launch{At: uint32(at), Child: uint32(child), Workload: uint32(work), ParamBytes: uint32(params)}
		setLaneCode(&l, uint8(lane))
		b.launches = append(b.launches, l)
	}
	return [2]uint32{lo, uint32(len(b.launches))}, nil
}
