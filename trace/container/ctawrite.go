package container

import (
	"encoding/binary"
	"fmt"
	"gpureplay/trace"
	"slices"

	"github.com/zeebo/xxh3"
)

// blockCode is a function as a block's earlier warps executed it.
type blockCode struct {
	fn    uint32
	flow  *flow
	sites []int32 // of each instruction; -1: none yet
}

func newBlockCode(fn uint32, insts int) *blockCode {
	b := &blockCode{fn: fn, flow: newFlow(insts), sites: make([]int32, insts)}
	for i := range b.sites {
		b.sites[i] = -1
	}
	return b
}

// ctaEncoder collects CTAs for one block.
type ctaEncoder struct {
	cols     [numCTAColumns]column
	rows     int
	first    blockRow // kernel and CTA that the block begins with
	sizes    ctaSizes
	code     map[uint32]*blockCode
	paths    dictionary[uint32]
	masks    dictionary[trace.MaskRun]
	access   accessEncoder
	run      ctaRun // open run of CTAs of one kernel
	lastK    uint32
	lastSM   int32
	lastPath uint32
	lastMask uint32
	spans    spanState
	lastWork trace.Launch
	maskBuf  []trace.MaskRun
}

// ctaRun is a run of CTAs of one kernel in a block.
type ctaRun struct {
	kernel, function uint32
	ctas             uint32
	nextID           uint32 // expected id of the next CTA
}

// spanState predicts where the next range and the next touch begin.
type spanState struct{ lo [2]uint64 }

func (e *ctaEncoder) reset() {
	for i := range e.cols {
		e.cols[i] = e.cols[i][:0]
	}
	clear(e.code)
	e.paths.reset()
	e.masks.reset()
	e.access.reset()
	*e = ctaEncoder{cols: e.cols, code: e.code, paths: e.paths, masks: e.masks, access: e.access, maskBuf: e.maskBuf}
}

// raw is about the size of the block so far.
func (e *ctaEncoder) raw() int {
	n := 0
	for i := range e.cols {
		n += len(e.cols[i])
	}
	return n
}

// bytes is about the memory that the block takes as Go values.
func (e *ctaEncoder) bytes() uint64 { return e.sizes.bytes(uint64(e.rows)) }

// add appends one CTA that checkCTA has passed. insts are the function's.
func (e *ctaEncoder) add(k *trace.Kernel, insts []trace.Inst, c *trace.CTA) error {
	if e.code == nil {
		e.code = map[uint32]*blockCode{}
	}
	if e.rows == 0 {
		e.first = blockRow{kernel: k.ID, cta: c.ID}
	}
	if e.rows == 0 || e.run.kernel != k.ID {
		e.endRun()
		e.run = ctaRun{kernel: k.ID, function: k.Function}
	}
	code := e.code[k.Function]
	if code == nil || len(code.sites) < len(insts) {
		code = e.extendCode(k.Function, len(insts), code)
	}
	e.rows++
	e.run.ctas++
	e.access.cta++
	e.cols[colCTA].uint(uint64(c.ID - e.run.nextID))
	e.run.nextID = c.ID + 1
	e.cols[colSM].int(int64(c.SM) - int64(e.lastSM))
	e.lastSM = c.SM
	e.cols[colWarps].uint(uint64(len(c.Warps)))
	e.addSpans(c)
	e.addCounts(c)
	next := uint32(0)
	for i := range c.Warps {
		w := &c.Warps[i]
		e.cols[colWarp].uint(uint64(w.ID - next))
		next = w.ID + 1
		if err := e.addWarp(k, code, insts, w); err != nil {
			return err
		}
	}
	return nil
}

// extendCode makes the tables of a function, or makes them longer: a function
// may gain instructions while its kernel is written.
func (e *ctaEncoder) extendCode(fn uint32, insts int, old *blockCode) *blockCode {
	code := newBlockCode(fn, insts)
	if old != nil {
		copy(code.sites, old.sites)
		copy(code.flow.next, old.flow.next)
		code.flow.first = old.flow.first
	}
	e.code[fn] = code
	return code
}

func (e *ctaEncoder) endRun() {
	if e.run.ctas == 0 {
		return
	}
	c := &e.cols[colRuns]
	c.uint(uint64(e.run.kernel - e.lastK))
	c.uint(uint64(e.run.function))
	c.uint(uint64(e.run.ctas))
	e.lastK = e.run.kernel
	e.sizes.runs++
	e.run = ctaRun{}
}

func (e *ctaEncoder) addSpans(c *trace.CTA) {
	n := uint64(0)
	if c.Ranges != nil {
		n = uint64(len(c.Ranges)) + 1
	}
	e.cols[colRanges].uint(n)
	e.cols[colTouches].uint(uint64(len(c.Touches)))
	e.sizes.spans += uint64(len(c.Ranges) + len(c.Touches))
	s := &e.cols[colSpans]
	for kind, list := range [2][]trace.Range{c.Ranges, c.Touches} {
		for _, r := range list {
			s.uint(uint64(r.Array))
			*s = append(*s, byte(r.Mode))
			s.int(int64(r.Lo - e.spans.lo[kind]))
			s.uint(r.Hi - r.Lo)
			e.spans.lo[kind] = r.Hi
		}
	}
}

func (e *ctaEncoder) addCounts(c *trace.CTA) {
	e.cols[colCounts].uint(uint64(len(c.Counts)))
	e.sizes.counts += uint64(len(c.Counts))
	next := uint32(0)
	for _, n := range c.Counts {
		e.cols[colTallies].uint(uint64(n.Inst - next))
		e.cols[colTallies].uint(n.Times)
		next = n.Inst + 1
	}
}

func (e *ctaEncoder) addWarp(k *trace.Kernel, code *blockCode, insts []trace.Inst, w *trace.Warp) error {
	e.sizes.warps++
	e.access.warp++
	e.addPath(code, insts, w.Path)
	masks, err := canonicalMasks(e.maskBuf[:0], w.Masks, len(w.Path))
	if err != nil {
		return fmt.Errorf("kernel %d, warp %d: %w", k.ID, w.ID, err)
	}
	e.maskBuf = masks
	e.addMasks(masks)
	e.addLaunches(w.Launches)
	mem := w.Mem
	mask := uint32(0)
	for at, i := range w.Path {
		if len(masks) > 0 && masks[0].At == uint32(at) {
			mask, masks = masks[0].Mask, masks[1:]
		}
		if insts[i].Width == 0 {
			continue
		}
		a, list, err := canonicalAccess(&insts[i], mask, mem[0], w.Lists)
		if err != nil {
			return fmt.Errorf("kernel %d, warp %d, step %d (%s): %w", k.ID, w.ID, at, insts[i].Opcode, err)
		}
		mem = mem[1:]
		e.sizes.mem++
		e.sizes.lists += uint64(len(list))
		e.access.encode(&e.cols, uint32(code.sites[i]), mask, &a, list)
	}
	return nil
}

func (e *ctaEncoder) addPath(code *blockCode, insts []trace.Inst, path []uint32) {
	id, known := e.paths.find(uint64(code.fn), path)
	e.reference(colPath, id, known, &e.lastPath, e.paths.len())
	if known {
		return
	}
	e.sizes.steps += uint64(len(path))
	code.flow.encode(&e.cols[colFlow], path)
	for _, i := range path {
		if insts[i].Width > 0 && code.sites[i] < 0 {
			code.sites[i] = int32(e.access.newSite(&insts[i]))
		}
	}
}

func (e *ctaEncoder) addMasks(masks []trace.MaskRun) {
	id, known := e.masks.find(0, masks)
	e.reference(colMask, id, known, &e.lastMask, e.masks.len())
	if !known {
		e.sizes.masks += uint64(len(masks))
		encodeMasks(&e.cols[colMasks], &e.cols[colMaskBits], masks)
	}
}

// reference stores the number of a dictionary entry: 0 the last, 1 a new one,
// else how far back from the newest, plus 2.
func (e *ctaEncoder) reference(col int, id uint32, known bool, last *uint32, n int) {
	switch {
	case !known:
		e.cols[col].uint(1)
	case id == *last:
		e.cols[col].uint(0)
	default:
		e.cols[col].uint(uint64(n-1) - uint64(id) + 2)
	}
	*last = id
}

func (e *ctaEncoder) addLaunches(launches []trace.Launch) {
	e.cols[colLaunches].uint(uint64(len(launches)))
	e.sizes.launches += uint64(len(launches))
	at := uint32(0)
	p := &e.lastWork
	for i := range launches {
		l := &launches[i]
		e.cols[colLaunchAt].uint(uint64(l.At - at))
		at = l.At
		e.cols[colLaunchLane].uint(uint64(laneCode(l)))
		e.cols[colLaunchChild].int(int64(l.Child) - int64(p.Child) - 1)
		e.cols[colLaunchWork].uint(uint64(l.Workload))
		e.cols[colLaunchParams].uint(uint64(l.ParamBytes))
		p.Child = l.Child
	}
}

// finish returns the block and begins the next.
func (e *ctaEncoder) finish(dst []byte) ([]byte, blockRow) {
	e.endRun()
	for _, f := range e.sizes.fields() {
		e.cols[colSizes].uint(*f)
	}
	row := e.first
	row.kind, row.rows = uint8(kindCTA), uint32(e.rows)
	dst = appendSection(dst, kindCTA, e.rows, e.cols[:])
	e.reset()
	return dst, row
}

// dictionary numbers lists that are the same.
type dictionary[T uint32 | trace.MaskRun] struct {
	ids     map[uint64]uint32
	entries []dictEntry
	arena   []T
	buf     []byte
}

type dictEntry struct {
	owner  uint64
	lo, hi int
}

func (d *dictionary[T]) reset() {
	clear(d.ids)
	d.entries, d.arena = d.entries[:0], d.arena[:0]
}

func (d *dictionary[T]) len() int { return len(d.entries) }

// find returns the number of the list of the owner, and whether it was known
// before. Of two lists with the same hash the second is numbered anew each time.
func (d *dictionary[T]) find(owner uint64, list []T) (uint32, bool) {
	if d.ids == nil {
		d.ids = map[uint64]uint32{}
	}
	d.buf = appendBytes(d.buf[:0], list)
	key := xxh3.HashSeed(d.buf, owner)
	id, ok := d.ids[key]
	if ok {
		if en := &d.entries[id]; en.owner == owner && slices.Equal(d.arena[en.lo:en.hi], list) {
			return id, true
		}
	}
	id = uint32(len(d.entries))
	if !ok {
		d.ids[key] = id
	}
	lo := len(d.arena)
	d.arena = append(d.arena, list...)
	d.entries = append(d.entries, dictEntry{owner: owner, lo: lo, hi: len(d.arena)})
	return id, false
}

func appendBytes[T uint32 | trace.MaskRun](b []byte, list []T) []byte {
	switch l := any(list).(type) {
	case []uint32:
		for _, v := range l {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
	case []trace.MaskRun:
		for _, v := range l {
			b = binary.LittleEndian.AppendUint32(b, v.At)
			b = binary.LittleEndian.AppendUint32(b, v.Mask)
		}
	}
	return b
}
