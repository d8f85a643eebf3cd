package container

// A path is stored against a table of the last successor of each instruction, which starts as "the next one". The
// code is its length, its first instruction, then alternating how many steps follow the table and where the step
// after them goes. A loop of any length costs one entry, and its exit another.

// flow is the table of successors of one function within a block.
type flow struct {
	next  []uint32
	first uint32 // first step of the last path
}

// newFlow returns the table of a function with as many instructions. The
// successor of the last one is none that a path can have, until the function
// grows.
func newFlow(insts int) *flow {
	f := &flow{next: make([]uint32, insts)}
	for i := range f.next {
		f.next[i] = uint32(i + 1)
	}
	return f
}

// close makes the table safe against a damaged path: no successor is outside.
func (f *flow) close() *flow {
	if n := len(f.next); n > 0 {
		f.next[n-1] = 0
	}
	return f
}

// encode appends path to c. Every step is below len(f.next).
func (f *flow) encode(c *column, path []uint32) {
	c.uint(uint64(len(path)))
	if len(path) == 0 {
		return
	}
	cur := path[0]
	c.int(int64(cur) - int64(f.first))
	f.first = cur
	run := uint64(0)
	for _, p := range path[1:] {
		if f.next[cur] == p {
			run++
		} else {
			c.uint(run)
			c.int(int64(p) - int64(cur))
			f.next[cur] = p
			run = 0
		}
		cur = p
	}
	if run > 0 {
		c.uint(run)
	}
}

// decode reads one path into dst, whose length is the path's.
func (f *flow) decode(v *values, dst []uint32) bool {
	if len(dst) == 0 {
		return true
	}
	n := int64(len(f.next))
	at := int64(f.first) + v.int()
	if at < 0 || at >= n {
		return false
	}
	cur := uint32(at)
	f.first = cur
	dst[0] = cur
	for i := 1; i < len(dst); {
		run := v.uint()
		if left := uint64(len(dst) - i); run > left {
			return false
		}
		for _, end := i, i+int(run); i < end; i++ {
			cur = f.next[cur]
			dst[i] = cur
		}
		if i < len(dst) {
			at := int64(cur) + v.int()
			if at < 0 || at >= n {
				return false
			}
			f.next[cur] = uint32(at)
			cur = uint32(at)
			dst[i] = cur
			i++
		}
	}
	return !v.bad
}
