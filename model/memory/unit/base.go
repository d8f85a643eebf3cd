package unit

import (
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/tags"
)

// Base is the part of a system that both engines have.
type Base struct {
	Cfg     *hardware.Config
	Mapping *tags.Mapping
	Tables  hostmem.Tables // of all caches and ports
	Watcher memory.Watcher
	Co      coalesce.Coalescer // of all SMs: they access one after another
	l1s     []*tags.L1         // of the SMs
	L2s     []*memory.Record   // of the slices
	Drams   []*memory.Record   // of the channels

	DataFlits [coalesce.MaxSectors + 1]int    // of a packet with so many sectors
	MaskFlits [1 << coalesce.MaxSectors]uint8 // and with these of a block
}

// RequestBytes is the head of every packet: address, kind and sender.
const RequestBytes = 8

func (b *Base) Init(c *hardware.Config) {
	b.Cfg, b.Mapping, b.l1s = c, tags.NewMapping(c), make([]*tags.L1, c.SM.Count)
	for n := range b.DataFlits {
		b.DataFlits[n] = (RequestBytes + n<<hardware.SectorShift + c.Icnt.FlitBytes - 1) / c.Icnt.FlitBytes
	}
	for mask := range b.MaskFlits {
		_, sectors := coalesce.Carried(uint8(mask))
		b.MaskFlits[mask] = uint8(b.DataFlits[sectors])
	}
	b.Co = coalesce.New(c.SM.AtomicConflicts)
}

// Coalescer is of [memory.System].
func (b *Base) Coalescer() *coalesce.Coalescer { return &b.Co }

// Flits is how many a packet with the data of some sectors of a block has.
func (b *Base) Flits(mask uint8) int { return int(b.MaskFlits[mask&(1<<coalesce.MaxSectors-1)]) }

// ChannelOf is the channel of a slice.
func ChannelOf(c *hardware.Config, slice int) int {
	return slice / max(1, c.L2.Slices/max(1, c.DRAM.Channels)) % c.DRAM.Channels
}

// EachLine gives the sectors of a copy to their slices, a line at a time.
func (b *Base) EachLine(addr, bytes uint64, put func(slice int, sector uint64, n uint)) {
	if most := uint64(b.Cfg.L2.Bytes); bytes > most {
		addr, bytes = addr+bytes-most, most
	}
	per := uint64(b.Cfg.L2.LineBytes >> hardware.SectorShift)
	last := (addr + bytes + 1<<hardware.SectorShift - 1) >> hardware.SectorShift
	for s := addr >> hardware.SectorShift; s < last; {
		next := min(last, (s/per+1)*per)
		put(b.Mapping.Slice(s), s, uint(next-s))
		s = next
	}
}

// Records is of [memory.System].
func (b *Base) Records() []memory.Record {
	var sums, all []memory.Record
	l1 := make([]*memory.Record, len(b.l1s))
	for i, c := range b.l1s {
		st := &c.Stats
		l1[i] = &memory.Record{
			Accesses: st.Reads + st.Writes, Hits: st.Hits, Misses: st.Misses,
			ReadSectors: st.Reads, WriteSectors: st.Writes,
		}
	}
	for _, x := range []struct {
		level string
		parts []*memory.Record
	}{{"l1", l1}, {"l2", b.L2s}, {"dram", b.Drams}} {
		sum := memory.Record{Level: x.level, Index: -1}
		for i, p := range x.parts {
			r := *p
			r.Level, r.Index = x.level, int32(i)
			sum.AddUp(&r)
			all = append(all, r)
		}
		sums = append(sums, sum)
	}
	return append(sums, all...)
}

// Total is of [memory.System].
func (b *Base) Total() (all memory.Traffic) {
	for _, r := range b.L2s {
		all.L2Accesses += r.Accesses
		all.L2Hits += r.Hits
	}
	for _, r := range b.Drams {
		all.DRAMReads += r.ReadSectors
		all.DRAMWrites += r.WriteSectors
	}
	return all
}

// TellHit tells the watcher, if there is one, of a sector that an SM finds in its L1.
func (b *Base) TellHit(sm int, sector uint64, filled Time) {
	if b.Watcher != nil {
		b.Watcher.Hit(&memory.Hit{SM: sm, Sector: sector, Filled: filled})
	}
}
