package tags

import (
	"math/bits"

	"gpureplay/model/memory/coalesce"
)

// UnknownFill stands, with the number of its fetch, for the fill time of a sector.
const UnknownFill = ^uint32(0) - 1<<16 + 1

// SetPending makes the block of a sector present from a time on that is not known yet.
func (c *Cache) SetPending(id int32, bit uint, mark uint32) {
	l := &c.Lines[id]
	if c.Block == 0 {
		l.valid |= 1 << (bit & 3)
		l.partial &^= 1 << (bit & 3)
		l.Fill[bit&3], l.merges[bit&3] = mark, 1
		return
	}
	first := c.Block.First(bit)
	here := c.Block.Whole() << (first & 7)
	l.valid |= here
	l.partial &^= here
	for s := first; s < first+c.Block.Sectors(); s++ {
		l.Fill[s&3], l.merges[s&3] = mark, 1
	}
}

// SetFill gives the sectors of a block with a mark their fill time.
func (c *Cache) SetFill(id int32, bit uint, mark uint32, t Time) {
	l := &c.Lines[id]
	if c.Wide.busy {
		c.Wide.free(c, l.Tag)
	}
	if l.gen != c.gen {
		return
	}
	if t-c.Base >= Time(UnknownFill) {
		c.rebase(t)
	}
	if c.Block == 0 {
		if f := &l.Fill[bit&3]; *f == mark && l.valid>>(bit&3)&1 != 0 {
			*f = uint32(max(0, t-c.Base))
		}
		return
	}
	first := c.Block.First(bit)
	for s := first; s < first+c.Block.Sectors(); s++ {
		if l.Fill[s&3] == mark && l.valid>>(s&7)&1 != 0 {
			l.Fill[s&3] = uint32(max(0, t-c.Base))
		}
	}
}

// Overwrite makes the sectors of a request present at a time that are on their way and that it writes whole
// (GPGPU-Sim's data_cache::wr_miss_wa_lazy_fetch_on_read). Loads that wait for them go on waiting.
func (c *Cache) Overwrite(id int32, bit uint, r *coalesce.Request, t Time) {
	if c.Block > 0 {
		return
	}
	if t-c.Base >= Time(UnknownFill) {
		c.rebase(t)
	}
	l, now := &c.Lines[id], uint32(max(0, t-c.Base))
	for m := r.Mask; m != 0; m &= m - 1 {
		i := uint(bits.TrailingZeros8(m)) & (coalesce.MaxSectors - 1)
		if f := &l.Fill[(bit+i)&3]; *f > now && r.Bytes[i] == coalesce.AllBytes && l.Readable(bit+i, 1) {
			*f = now
			if c.Wide.busy {
				c.Wide.free(c, l.Tag)
			}
		}
	}
}

// FirstIdle returns from when on one line of the set of a tag can be replaced, after a try without success.
func (c *Cache) FirstIdle(tag uint64) Time {
	set := c.set(tag)
	if c.Narrow.Sets == nil {
		return c.Wide.rooms[set].busy
	}
	first := Never
	for way := range int32(c.Narrow.last/4 + 1) {
		first = min(first, c.idle(&c.Lines[set<<c.Narrow.shift+way]))
	}
	return first
}

// PendingMiss returns the fetch that sectors with unknown fill times wait for, or -1.
func (c *Cache) PendingMiss(id int32, bit uint, mask uint8) int32 {
	for fill := &c.Lines[id].Fill; mask != 0; mask, bit = mask>>1, bit+1 {
		if f := fill[bit&3]; mask&1 != 0 && f >= UnknownFill {
			return int32(f - UnknownFill)
		}
	}
	return -1
}

// PendingOrFill returns the fetch that sectors with unknown fill times wait for, or -1 and the time when all are
// filled.
func (c *Cache) PendingOrFill(id int32, bit uint, mask uint8) (fetch int32, fill Time) {
	if mask != 1 {
		return c.PendingMiss(id, bit, mask), c.Filled(id, bit, mask)
	}
	f := c.Lines[id].Fill[bit&3]
	if f >= UnknownFill {
		return int32(f - UnknownFill), 0
	}
	return -1, c.Base + Time(f)
}

// There reports whether sectors of a line are there at a time, and since when. Of [NoLine] none is.
func (c *Cache) There(id int32, bit uint, mask uint8, t Time) (fill Time, there bool) {
	if id == NoLine || !c.Lines[id].Readable(bit, mask) {
		return 0, false
	}
	fetch, fill := c.PendingOrFill(id, bit, mask)
	return fill, fetch < 0 && fill <= t
}
