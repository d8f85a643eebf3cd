package reference

import (
	"math"

	"gpureplay/model"
)

// read opens the file of an array; the storage looks for work behind the host.
func (o *nOverlap) read(array uint32) {
	in := o.input(array)
	if in == nil { // the host keeps it for itself
		in = &nInput{array: array}
		o.inputs = append(o.inputs, in)
	}
	if in.opened {
		return
	}
	in.opened, in.left, in.call = true, o.files[array], o.call
	left := in.left
	for _, p := range o.pagesOf(array) {
		if left == 0 {
			in.beyond = append(in.beyond, p)
			continue
		}
		in.unread = append(in.unread, p)
		left -= min(left, o.part(array, p))
	}
	if in.copied {
		o.sendBeyond(in)
	}
	if !o.reading && !o.looking {
		o.looking = true
		o.n.post(o.n.t, nOverlapPhase, func() {
			o.looking = false
			o.readPage()
		})
	}
}

// copyIn is the program's copy of an array: pages that no file fills go at once.
func (o *nOverlap) copyIn(array uint32) {
	in := o.input(array)
	if in.copied {
		return
	}
	in.copied = true
	if o.files[array] == 0 {
		in.beyond = o.pagesOf(array)
	}
	if in.opened || o.files[array] == 0 {
		o.sendBeyond(in)
	}
}

func (o *nOverlap) sendBeyond(in *nInput) {
	for _, p := range in.beyond {
		o.written(p)
	}
}

// readPage reads the next page: of each array of a call in turn, an array after the
// other, or any page of one array after the other.
func (o *nOverlap) readPage() {
	if o.reading {
		return
	}
	first := math.MaxInt // call with pages to read
	for _, in := range o.inputs {
		if len(in.unread) > 0 {
			first = min(first, in.call)
		}
	}
	for i := range o.inputs {
		at := (o.turn + i) % len(o.inputs)
		if o.inOrder || o.random != nil {
			at = i
		}
		in := o.inputs[at]
		if len(in.unread) == 0 || in.call > first && o.random == nil {
			continue
		}
		p := in.unread[0]
		if o.random != nil { // a taken page leaves its place to the last
			next, last := o.random.IntN(len(in.unread)), len(in.unread)-1
			p = in.unread[next]
			in.unread[next] = in.unread[last]
			in.unread = in.unread[:last]
		} else {
			in.unread = in.unread[1:]
		}
		bytes := o.part(in.array, p)
		if len(in.unread) == 0 || in.left < bytes {
			bytes = in.left // a file may be longer or shorter than its array
		}
		in.left -= bytes
		o.turn, o.reading = at+1, true
		if (p.number+1)*o.pageBytes%uint64(o.n.cfg.Host.PageBytes) != 0 && len(in.unread) > 0 {
			o.turn = at // to the end of a page of the host
		}
		end := o.n.t + o.bytesTake(bytes, o.n.cfg.Host.StorageMBs*1e6)
		in.read.add(o.n.t, end, bytes)
		o.n.post(end, nOverlapPhase, func() {
			o.reading = false
			if in.sent {
				o.written(p)
			}
			if len(in.unread) == 0 {
				o.tell(model.StagePrelude, in.array, in.read)
			}
			o.readPage()
		})
		return
	}
}

// written: an array's part of a page is there; a whole page goes to the device.
func (o *nOverlap) written(p *nPage) {
	if p.toBeWritten--; p.toBeWritten > 0 {
		return
	}
	start := max(o.n.t, o.down)
	o.down = start + o.bytesTake(o.pageBytes, o.n.cfg.Host.PCIeGBs*1e9)
	for _, a := range p.arrays { // each array's copy has its fixed cost, at its first page
		if in := o.input(a); in != nil && in.sent && !in.begun {
			in.begun = true
			o.down += cyclesOfNs(o.n.cfg.Host.CopyLatencyNs, o.n.cfg)
		}
	}
	if in := o.input(p.arrays[0]); in != nil {
		in.moved.add(start, o.down, o.pageBytes)
	}
	o.n.post(o.down, nOverlapPhase, func() {
		for _, a := range p.arrays {
			if in := o.input(a); in != nil {
				if in.here++; in.here == len(o.pagesOf(a)) {
					o.tell(model.StageH2D, a, in.moved)
				}
			}
		}
		o.warm(p)
		p.ready = true
		o.changed(p, o.n.t)
	})
}

// warm leaves a page's bytes of arrays in the L2, from the first to the last.
func (o *nOverlap) warm(p *nPage) {
	lo, hi := uint64(math.MaxUint64), uint64(0)
	for b := p.number * o.pageBytes; b < (p.number+1)*o.pageBytes; b++ {
		for _, i := range p.arrays {
			a, in := &o.n.prog.Arrays[i], o.input(i)
			if in != nil && in.sent && b >= a.Base && b < a.Base+a.Bytes {
				lo, hi = min(lo, b), b+1
			}
		}
	}
	if lo < hi && o.n.cfg.L2.CopiesWarm {
		o.n.mem.warm(lo, hi-lo, o.n.t)
	}
}

// preludeRuns: an input page is not there.
func (o *nOverlap) preludeRuns() bool {
	for _, p := range o.pages {
		if p.input && !p.ready {
			return true
		}
	}
	return false
}
