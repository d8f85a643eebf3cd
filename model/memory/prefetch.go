package memory

import "unsafe"

// bring has the host bring what lies at p into its caches while this goes on: what comes
// next waits for memory more than for anything else. Nothing is read.
func bring[T any](p *T) { prefetch(unsafe.Pointer(p)) }

// bring brings what finds a tag, and the line that it gets if it is not there.
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
