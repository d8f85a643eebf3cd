package memory

import "unsafe"

// bring has the host load the line at p into its caches while this goes on: the next steps
// wait for memory more than for anything else. Nothing is read.
func bring[T any](p *T) { prefetch(unsafe.Pointer(p)) }

// Bring is bring for what an SM looks at next.
func Bring[T any](p *T) { prefetch(unsafe.Pointer(p)) }

// bringSet loads what finds a tag.
func (c *cache) bringSet(tag uint64) {
	if c.narrow.sets != nil {
		bring(&c.narrow.sets[c.set(tag)])
	} else {
		bring(c.wide.head(tag))
	}
}

// bring loads the index of a tag, and the line that it gets if it is not there.
func (c *cache) bring(tag uint64) {
	set := c.set(tag)
	if c.narrow.sets != nil {
		bring(&c.narrow.sets[set])
		return
	}
	w := &c.wide
	bring(w.head(tag))
	if oldest := w.order[w.end(set)].prev; oldest < w.lines {
		bring(&c.lines[oldest])
	}
}
