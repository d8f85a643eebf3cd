package memory

// expect makes the block of a sector present from a time on that is not known yet.
func (c *cache) expect(id int32, bit uint, mark uint32) {
	c.fill(id, bit, c.base, 1)
	first := c.block.first(bit)
	for i := range c.block.sectors() {
		c.lines[id].fill[(first+i)&3] = mark
	}
}

// known gives the sectors of a block with a mark their fill time.
func (c *cache) known(id int32, bit uint, mark uint32, t Time) {
	l := &c.lines[id]
	if c.narrow.sets == nil {
		c.wide.rooms[c.set(l.tag)].busy = 0
	}
	first := c.block.first(bit)
	for i := range c.block.sectors() {
		if s := first + i; l.fill[s&3] == mark && l.valid>>(s&7)&1 != 0 && l.gen == c.gen {
			partial := l.partial
			c.put(id, s, t, l.merges[s&3])
			l.partial = partial
		}
	}
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
