package reference

// isWrite reports whether a request waits in the queue of write-backs.
func (c *nController) isWrite(r *nDRAMRequest) bool {
	return c.m.cfg.DRAM.WriteQueue > 0 && r.write && r.fetch == nil
}

// kept is how many write-backs wait until there are enough of them.
func (c *nController) kept() int {
	n := 0
	for _, r := range c.waiting {
		if c.isWrite(r) {
			n++
		}
	}
	if c.writing || n >= max(1, c.m.cfg.DRAM.WriteHigh) {
		return 0
	}
	return n
}

// hasRoom reports whether the queue of a request takes one more.
func (c *nController) hasRoom(r *nDRAMRequest) bool {
	n, room := 0, c.m.cfg.DRAM.Window
	if c.isWrite(r) {
		room = c.m.cfg.DRAM.WriteQueue
	}
	for _, x := range c.waiting {
		if c.isWrite(x) == c.isWrite(r) {
			n++
		}
	}
	return n < room
}

// switches has the channel turn from reads to write-backs or back.
func (c *nController) switches() {
	d, n := &c.m.cfg.DRAM, 0
	for _, r := range c.waiting {
		if c.isWrite(r) {
			n++
		}
	}
	if d.WriteQueue == 0 {
		return
	}
	if !c.writing && n >= d.WriteHigh {
		c.writing = true
	} else if c.writing && n < d.WriteLow {
		c.writing = false
	}
}

// keepsTo has a bank keep to the row of its new request while others of its kind are to that row.
func (c *nController) keepsTo(x *nRowBank, b int) {
	delete(x.goesOn, c.writing)
	if c.m.cfg.DRAM.WriteQueue == 0 {
		return
	}
	for _, r := range c.waiting {
		if r.bank == uint64(b) && c.isWrite(r) == c.writing && r.row == x.at.row {
			x.goesOn[c.writing] = r.row
		}
	}
}
