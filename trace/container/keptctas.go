package container

import (
	"gpureplay/trace"
	"slices"
	"sync"
)

// keptCTAs are the unread CTAs of a block that has left the cache. Each is a string of varints of its own, so that
// it is read without those before it. It takes about a tenth of the memory of an unpacked CTA.
type keptCTAs struct {
	runs  []blockRun
	ids   []uint32 // of each CTA of the block
	at    []uint32 // where it begins in data; 0: it had been read
	paths []uint32 // the block's
	masks []trace.MaskRun
	data  column
}

// keep returns the entry that takes the place of e.
func keep(e *cachedBlock) *cachedBlock {
	b := e.block
	k := &keptCTAs{
		runs: slices.Clone(b.runs), ids: make([]uint32, len(b.ctas)), at: make([]uint32, len(b.ctas)), paths: b.paths,
		masks: b.masks,
	}
	k.data = append(spareData.Get().(column), 0) // no CTA begins at 0
	for i := range b.ctas {
		k.ids[i] = b.ctas[i].id
		if e.read[i>>6]>>(i&63)&1 == 0 {
			k.at[i] = uint32(len(k.data))
			k.data.cta(b, &b.ctas[i])
		}
	}
	scratch := k.data
	k.data = slices.Clone(scratch)
	spareData.Put(scratch[:0])
	bytes := heldBy(k.runs) + heldBy(k.ids) + heldBy(k.at) + heldBy(k.paths) + heldBy(k.masks) + heldBy(k.data) +
		heldBy(e.read)
	return &cachedBlock{cached: cached{number: e.number, bytes: bytes}, kept: k, read: slices.Clone(e.read),
		unread: e.unread}
}

// spareData holds the memory, a column, in which CTAs are packed.
var spareData = sync.Pool{New: func() any { return column(nil) }}

// cta appends a CTA.
func (d *column) cta(b *ctaBlock, c *ctaRow) {
	ranges, touches, counts, warps := part(b.spans, c.ranges), part(b.spans, c.touchs), part(b.counts, c.counts),
		part(b.warps, c.warps)
	stated := uint64(0)
	if c.hasRanges {
		stated = 1
	}
	d.int(int64(c.sm))
	d.uint(uint64(len(ranges))<<1 | stated)
	d.uint(uint64(len(touches)))
	d.uint(uint64(len(counts)))
	d.uint(uint64(len(warps)))
	d.ranges(ranges)
	d.ranges(touches)
	for _, n := range counts {
		d.uint(uint64(n.Inst))
		d.uint(n.Times)
	}
	last := uint64(0)
	for i := range warps {
		w := &warps[i]
		for _, v := range [5]uint32{w.id, w.path[0], w.path[1] - w.path[0], w.masks[0], w.masks[1] - w.masks[0]} {
			d.uint(uint64(v))
		}
		last = d.accesses(part(b.mem, w.mem), part(b.lists, w.lists), last)
		d.launches(part(b.launches, w.launches))
	}
}

func (d *column) ranges(list []trace.Range) {
	for _, r := range list {
		d.uint(uint64(r.Array))
		d.uint(uint64(r.Mode))
		d.uint(r.Lo)
		d.int(int64(r.Hi - r.Lo))
	}
}

// accesses appends a warp's accesses, whose lists follow one another in lists: each
// address as its difference to the one before. It returns the last address.
func (d *column) accesses(mem []trace.Access, lists []uint64, last uint64) uint64 {
	d.uint(uint64(len(mem)))
	for i := range mem {
		a := &mem[i]
		if a.List == 0 {
			d.uint(uint64(a.Count) << 1)
			d.int(int64(a.Base - last))
			d.int(int64(a.Stride))
			last = a.Base
			continue
		}
		d.uint(uint64(a.Count)<<1 | 1)
		for _, v := range lists[a.List-1:][:a.Count] {
			d.int(int64(v - last))
			last = v
		}
	}
	return last
}

func (d *column) launches(list []trace.Launch) {
	d.uint(uint64(len(list)))
	var last trace.Launch
	for i := range list {
		l := &list[i]
		d.uint(uint64(l.At - last.At))
		d.uint(uint64(laneCode(l)))
		d.int(int64(l.Child) - int64(last.Child))
		d.uint(uint64(l.Workload))
		d.uint(uint64(l.ParamBytes))
		last = *l
	}
}

// copy unpacks a CTA that has been kept.
func (k *keptCTAs) copy(dst *trace.CTA, i uint32) {
	v := &values{b: k.data, pos: int(k.at[i])}
	dst.ID, dst.SM = k.ids[i], int32(v.int())
	ranges := v.uint()
	touches, counts, warps := v.uint(), v.uint(), v.uint()
	takeRanges(dst, nil, ranges&1 != 0)
	dst.Ranges = v.ranges(dst.Ranges, ranges>>1)
	dst.Touches = v.ranges(dst.Touches[:0], touches)
	dst.Counts = dst.Counts[:0]
	for range counts {
		dst.Counts = append(dst.Counts, trace.Count{Inst: uint32(v.uint()), Times: v.uint()})
	}
	takeWarps(dst, int(warps))
	last := uint64(0)
	for i := range dst.Warps {
		w := &dst.Warps[i]
		w.ID = uint32(v.uint())
		w.Path, w.Masks = part(k.paths, v.stretch()), part(k.masks, v.stretch())
		last = v.accesses(w, last)
		v.launches(w)
	}
}

func (v *values) stretch() [2]uint32 {
	lo := uint32(v.uint())
	return [2]uint32{lo, lo + uint32(v.uint())}
}

func (v *values) ranges(list []trace.Range, n uint64) []trace.Range {
	for range n {
		r := trace.Range{Array: uint32(v.uint()), Mode: trace.Mode(v.uint()), Lo: v.uint()}
		r.Hi = r.Lo + uint64(v.int())
		list = append(list, r)
	}
	return list
}

func (v *values) accesses(w *trace.Warp, last uint64) uint64 {
	w.Mem, w.Lists = w.Mem[:0], w.Lists[:0]
	for range v.uint() {
		n := v.uint()
		a := trace.Access{Count: uint32(n >> 1)}
		if n&1 == 0 {
			last += uint64(v.int())
			a.Base, a.Stride = last, int32(v.int())
		} else {
			a.List = uint32(len(w.Lists)) + 1
			for range a.Count {
				last += uint64(v.int())
				w.Lists = append(w.Lists, last)
			}
		}
		w.Mem = append(w.Mem, a)
	}
	return last
}

func (v *values) launches(w *trace.Warp) {
	w.Launches = w.Launches[:0]
	var l trace.Launch
	for range v.uint() {
		l.At += uint32(v.uint())
		setLaneCode(&l, uint8(v.uint()))
		l.Child += uint32(v.int())
		l.Workload, l.ParamBytes = uint32(v.uint()), uint32(v.uint())
		w.Launches = append(w.Launches, l)
	}
}

// laneCode is the lane of a request as it is stored: + 32 if it is marked, + 64 if
// it is on the shared stream.
func laneCode(l *trace.Launch) uint8 {
	code := l.Lane
	if l.Marked {
		code |= 32
	}
	if l.SharedSWQ {
		code |= 64
	}
	return code
}

func setLaneCode(l *trace.Launch, code uint8) {
	l.Lane, l.Marked, l.SharedSWQ = code&31, code&32 != 0, code&64 != 0
}
