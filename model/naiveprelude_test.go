package model_test

import "gpureplay/model"

// The prelude of the naive machine.

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
	in.opened, in.left = true, o.files[array]
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

// copyIn is the program's copy of an array: what no file fills goes at once.
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

// readPage reads the next page: of each array in turn, or an array after the other.
func (o *nOverlap) readPage() {
	if o.reading {
		return
	}
	for i := range o.inputs {
		at := (o.turn + i) % len(o.inputs)
		if o.inOrder {
			at = i
		}
		in := o.inputs[at]
		if len(in.unread) == 0 {
			continue
		}
		p := in.unread[0]
		in.unread = in.unread[1:]
		bytes := o.part(in.array, p)
		if len(in.unread) == 0 || in.left < bytes {
			bytes = in.left // a file may be longer or shorter than its array
		}
		in.left -= bytes
		o.turn, o.reading = at+1, true
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
		p.ready = true
		o.changed(p, o.n.t)
	})
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
