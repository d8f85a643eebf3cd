package coalesce

import (
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// conflictRule says how lanes of an atomic that touch the same bytes go to the L2.
type conflictRule uint8

const (
	conflictMerged conflictRule = iota // with one request of their sector
	conflictSplit                      // with a request each
	conflictSerial                     // with one request, which keeps the slice a cycle for each
)

var conflictRules = map[string]conflictRule{"merged": conflictMerged, "split": conflictSplit, "serial": conflictSerial}

// Atomic fills c.Sectors with the requests of an atomic, in ascending order, and
// c.turns with how many cycles each keeps its slice. Lanes that touch the same bytes
// conflict: each lane joins the first transaction of its sector that has none of its
// bytes, or makes a new one (GPGPU-Sim's memory_coalescing_arch_atomic).
func (c *Coalescer) Atomic(a *trace.Access, lists []uint64, width uint64) {
	rule := c.rule
	together := rule == conflictMerged || width > 1<<hardware.SectorShift || a.Count > 32 || apart(a, width)
	if together {
		c.Coalesce(a, lists, width)
	} else {
		c.transactions(a, lists, width)
	}
	c.Ascend()
	c.TakeTurns()
	if rule == conflictSerial && !together {
		c.serialise()
	}
}

// TakeTurns gives each request one turn.
func (c *Coalescer) TakeTurns() {
	c.Turns = c.Turns[:0]
	for range c.Sectors {
		c.Turns = append(c.Turns, 1)
	}
}

// apart reports whether no two elements of an access can have a byte in common.
func apart(a *trace.Access, width uint64) bool {
	step := int64(a.Stride)
	return a.Count <= 1 || a.List == 0 && uint64(max(step, -step)) >= width
}

// transactions fills c.sectors with a transaction for each set of lanes that do not conflict. A lane that straddles
// sectors counts in each of them.
func (c *Coalescer) transactions(a *trace.Access, lists []uint64, width uint64) {
	c.Reset()
	for i := range uint64(a.Count) {
		addr := a.Base + i*uint64(int64(a.Stride))
		if a.List != 0 {
			addr = lists[uint64(a.List)-1+i]
		}
		end := addr + width
		if first, last := addr>>hardware.SectorShift, (end-1)>>hardware.SectorShift; first == last {
			c.join(first, covered(addr, end))
		} else {
			c.join(first, covered(addr, last<<hardware.SectorShift))
			c.join(last, covered(last<<hardware.SectorShift, end))
		}
	}
}

// join puts bytes of a sector into its first transaction that has none of them.
func (c *Coalescer) join(sector uint64, bytes uint32) {
	for i, s := range c.Sectors {
		if s == sector && c.Bytes[i]&bytes == 0 {
			c.Bytes[i] |= bytes
			return
		}
	}
	c.Append(sector, bytes)
}

// serialise makes one request of the transactions of each sector, which lie side by
// side, with a turn for each.
func (c *Coalescer) serialise() {
	n := 0
	for i, s := range c.Sectors {
		if n > 0 && c.Sectors[n-1] == s {
			c.Bytes[n-1] |= c.Bytes[i]
			c.Turns[n-1]++
			continue
		}
		c.Sectors[n], c.Bytes[n], c.Turns[n] = s, c.Bytes[i], 1
		n++
	}
	c.Sectors, c.Bytes, c.Turns = c.Sectors[:n], c.Bytes[:n], c.Turns[:n]
}
