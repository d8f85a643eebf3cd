package memory

// expect makes the block of a sector present from a time on that is not known yet.
func (c *cache) expect(id int32, bit uint, mark uint32) {
	l := &c.lines[id]
	if c.block == 0 {
		l.valid |= 1 << (bit & 3)
		l.partial &^= 1 << (bit & 3)
		l.fill[bit&3], l.merges[bit&3] = mark, 1
		return
	}
	first := c.block.first(bit)
	here := c.block.whole() << (first & 7)
	l.valid |= here
	l.partial &^= here
	for s := first; s < first+c.block.sectors(); s++ {
		l.fill[s&3], l.merges[s&3] = mark, 1
	}
}

// known gives the sectors of a block with a mark their fill time.
func (c *cache) known(id int32, bit uint, mark uint32, t Time) {
	l := &c.lines[id]
	if c.wide.busy {
		c.wide.free(c, l.tag)
	}
	if l.gen != c.gen {
		return
	}
	if t-c.base >= Time(unknownFill) {
		c.rebase(t)
	}
	if c.block == 0 {
		if f := &l.fill[bit&3]; *f == mark && l.valid>>(bit&3)&1 != 0 {
			*f = uint32(max(0, t-c.base))
		}
		return
	}
	first := c.block.first(bit)
	for s := first; s < first+c.block.sectors(); s++ {
		if l.fill[s&3] == mark && l.valid>>(s&7)&1 != 0 {
			l.fill[s&3] = uint32(max(0, t-c.base))
		}
	}
}

// firstIdle returns from when on one line of the set of a tag can be replaced, of which
// none could when it was tried.
func (c *cache) firstIdle(tag uint64) Time {
	set := c.set(tag)
	if c.narrow.sets == nil {
		return c.wide.rooms[set].busy
	}
	first := Never
	for way := range int32(c.narrow.last/4 + 1) {
		first = min(first, c.idle(&c.lines[set<<c.narrow.shift+way]))
	}
	return first
}

// expected returns the fetch of which sectors wait that are not known, or -1.
func (c *cache) expected(id int32, bit uint, mask uint8) int32 {
	for fill := &c.lines[id].fill; mask != 0; mask, bit = mask>>1, bit+1 {
		if f := fill[bit&3]; mask&1 != 0 && f >= unknownFill {
			return int32(f - unknownFill)
		}
	}
	return -1
}

// coming returns the fetch of which sectors wait that are not known, or -1 and when all are
// filled.
func (c *cache) coming(id int32, bit uint, mask uint8) (fetch int32, fill Time) {
	if mask != 1 {
		return c.expected(id, bit, mask), c.filled(id, bit, mask)
	}
	f := c.lines[id].fill[bit&3]
	if f >= unknownFill {
		return int32(f - unknownFill), 0
	}
	return -1, c.base + Time(f)
}
