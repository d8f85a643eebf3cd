package memory

import "gpureplay/model/hardware"

// Base is the part of a system that both engines have.
type Base struct {
	cfg     *hardware.Config
	mapping *mapping
	tables  tables // of all caches and ports
	watcher Watcher
	co      Coalescer // of all SMs: they access one after another
	l1s     []*l1     // of the SMs
	l2s     []*Record // of the slices
	drams   []*Record // of the channels

	dataFlits [maxSectors + 1]int    // of a packet with so many sectors
	maskFlits [1 << maxSectors]uint8 // and with these of a block
}

// requestBytes is the head of every packet: address, kind and sender.
const requestBytes = 8

func (b *Base) init(c *hardware.Config) {
	b.cfg, b.mapping, b.l1s = c, newMapping(c), make([]*l1, c.SM.Count)
	for n := range b.dataFlits {
		b.dataFlits[n] = (requestBytes + n<<hardware.SectorShift + c.Icnt.FlitBytes - 1) / c.Icnt.FlitBytes
	}
	for mask := range b.maskFlits {
		_, sectors := carried(uint8(mask))
		b.maskFlits[mask] = uint8(b.dataFlits[sectors])
	}
	b.co = newCoalescer(c.SM.AtomicConflicts)
}

// Coalescer is of [System].
func (b *Base) Coalescer() *Coalescer { return &b.co }

// flits is how many a packet with the data of some sectors of a block has.
func (b *Base) flits(mask uint8) int { return int(b.maskFlits[mask&(1<<maxSectors-1)]) }

// channelOf is the channel of a slice.
func channelOf(c *hardware.Config, slice int) int {
	return slice / max(1, c.L2.Slices/max(1, c.DRAM.Channels)) % c.DRAM.Channels
}

// warm gives the sectors of a copy to their slices, those of a line at a time.
func (b *Base) warm(addr, bytes uint64, put func(slice int, sector uint64, n uint)) {
	if most := uint64(b.cfg.L2.Bytes); bytes > most {
		addr, bytes = addr+bytes-most, most
	}
	per := uint64(b.cfg.L2.LineBytes >> hardware.SectorShift)
	last := (addr + bytes + 1<<hardware.SectorShift - 1) >> hardware.SectorShift
	for s := addr >> hardware.SectorShift; s < last; {
		next := min(last, (s/per+1)*per)
		put(b.mapping.slice(s), s, uint(next-s))
		s = next
	}
}

// Records is of [System].
func (b *Base) Records() []Record {
	var sums, all []Record
	l1 := make([]*Record, len(b.l1s))
	for i, c := range b.l1s {
		st := &c.stats
		l1[i] = &Record{Accesses: st.reads + st.writes, Hits: st.hits, Misses: st.misses, ReadSectors: st.reads, WriteSectors: st.writes}
	}
	for _, x := range []struct {
		level string
		parts []*Record
	}{{"l1", l1}, {"l2", b.l2s}, {"dram", b.drams}} {
		sum := Record{Level: x.level, Index: -1}
		for i, p := range x.parts {
			r := *p
			r.Level, r.Index = x.level, int32(i)
			sum.addUp(&r)
			all = append(all, r)
		}
		sums = append(sums, sum)
	}
	return append(sums, all...)
}

// Total is of [System].
func (b *Base) Total() (all Traffic) {
	for _, r := range b.l2s {
		all.L2Accesses += r.Accesses
		all.L2Hits += r.Hits
	}
	for _, r := range b.drams {
		all.DRAMReads += r.ReadSectors
		all.DRAMWrites += r.WriteSectors
	}
	return all
}
