package engine

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"gpureplay/model/clock"
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/trace"
)

// mix are the accesses of the random traffic.
var mix = []struct {
	space trace.Space
	flags trace.InstFlags
	of    int // so many of 100
}{
	{trace.SpaceGlobal, trace.InstLoad, 34},
	{trace.SpaceGlobal, trace.InstLoad | trace.InstBypassL1, 8},
	{trace.SpaceGlobal, trace.InstStore, 16},
	{trace.SpaceGlobal, trace.InstLoad | trace.InstStore | trace.InstAtomic, 8},
	{trace.SpaceLocal, trace.InstLoad, 6},
	{trace.SpaceLocal, trace.InstStore, 6},
	{trace.SpaceShared, trace.InstLoad, 16},
	{trace.SpaceShared, trace.InstStore, 4},
	{trace.SpaceConstant, trace.InstLoad, 2},
}

// someBanks leave some of a result's banks to the next cycle.
type someBanks struct{ r *rand.Rand }

func (x someBanks) Write(_ uint8, banks uint32, _, _ clock.Time) uint32 { return banks & x.r.Uint32() }

// hashedBanks are the same, whatever the order in which results are written.
type hashedBanks struct{}

func (hashedBanks) Write(_ uint8, banks uint32, at, _ clock.Time) uint32 {
	return banks & uint32(uint64(at)*0x9E3779B97F4A7C15>>32)
}

// flight is an access on its way.
type flight struct {
	number int
	at     clock.Time
}

// traffic is SMs that access a memory at random.
type traffic struct {
	r     *rand.Rand
	cfg   *hardware.Config
	sys   memory.System
	ports []memory.Port
	open  []map[int32]flight // of each SM
	next  int                // number of the next access
	waits bool               // write-back registers act when an access may be complete

	took    clock.Time // cycles of all accesses
	work    memory.Traffic
	opened  int // rows
	watched clock.Time
	digest  uint64 // of all completion times
}

const trafficSMs = 4

func newTraffic(cfg *hardware.Config, seed uint64) *traffic {
	x := &traffic{r: rand.New(rand.NewPCG(seed, 17)), cfg: cfg, sys: New(cfg)}
	for sm := range min(trafficSMs, cfg.SM.Count) {
		x.ports, x.open = append(x.ports, x.sys.Port(sm)), append(x.open, map[int32]flight{})
		x.ports[sm].Registers(someBanks{x.r})
		x.ports[sm].Enter(cfg.L1.Bytes, 0)
	}
	if seed&1 == 1 { // a watcher changes no time
		x.sys.Watch(x)
	}
	return x
}

// Hit, Activated and Column are of [memory.Watcher].
func (x *traffic) Hit(h *memory.Hit)         { x.watched += h.Filled }
func (x *traffic) Activated(*memory.Command) { x.opened++ }
func (x *traffic) Column(c *memory.Command)  { x.watched += c.Data }

// run lets the SMs access for so many cycles, and then all accesses end. It returns an error if they do not.
func (x *traffic) run(cycles clock.Time) error {
	x.sys.Warm(1<<16, 1<<12, 0)
	left := 1
	for t := clock.Time(0); left > 0; t++ {
		if t > cycles+100_000 {
			return fmt.Errorf("%d accesses do not end", left)
		}
		left = int(max(0, cycles-t))
		for sm := range x.ports {
			x.step(sm, t, t < cycles)
			left += len(x.open[sm])
		}
		if x.sys.Next() <= t {
			_, known := x.sys.Advance(t)
			for _, sm := range known {
				x.known(sm, x.ports[sm].Known())
			}
		}
	}
	return nil
}

// step is a cycle of an SM.
func (x *traffic) step(sm int, t clock.Time, issues bool) {
	p := x.ports[sm]
	if x.waits {
		x.known(sm, p.WriteBack(t-1)) // none
	}
	if issues && len(x.open[sm]) < 24 && p.Signals().Full <= t && (!x.cfg.SM.Collectors() || p.Takes(t)) {
		switch n := x.r.IntN(100); {
		case n < 50:
			x.access(sm, t)
		case n == 50:
			x.done(flight{x.next, t}, x.sys.ReadSector(sm, x.sector(), t))
		case n == 51:
			x.done(flight{x.next, t}, x.sys.WriteSector(sm, x.sector(), t))
		case n == 52:
			x.done(flight{x.next, t}, x.sys.AtomicSector(sm, x.sector(), t))
		case n == 53:
			p.Nothing(t)
		case n == 54 && len(x.open[sm]) == 0:
			p.Enter(x.cfg.L1.Bytes>>x.r.IntN(2), t)
		}
	}
	due := p.Signals().Due
	if x.waits {
		due = p.Signals().Wake
	}
	if due <= t {
		x.known(sm, p.WriteBack(t))
	}
}

func (x *traffic) sector() uint64 { return x.address() >> hardware.SectorShift }

// address is in a small part of the memory as a rule.
func (x *traffic) address() uint64 {
	const base = 1 << 16
	switch x.r.IntN(12) {
	case 0:
		return base + uint64(x.r.Uint32()) // in any row
	case 1, 2, 3:
		return base + uint64(x.r.IntN(1<<16))
	}
	return base + uint64(x.r.IntN(1<<10))
}

// access is one instruction of a warp.
func (x *traffic) access(sm int, t clock.Time) {
	n, kind := x.r.IntN(100), 0
	for n >= mix[kind].of {
		n -= mix[kind].of
		kind++
	}
	k, p, co := mix[kind], x.ports[sm], x.sys.Coalescer()
	width := uint64(1) << x.r.IntN(5)
	a := trace.Access{Base: x.address(), Stride: []int32{0, 1, 4, 8, 16, 32, 64, 128, 256, -4, -32}[x.r.IntN(11)],
		Count: uint32(1 + x.r.IntN(32))}
	var lists []uint64
	if x.r.IntN(3) == 0 {
		a.List = 1
		for range a.Count {
			lists = append(lists, x.address()&^(width-1))
		}
	}
	p.Into(memory.Destination{Banks: x.r.Uint32() & 0xff, Subcore: uint8(x.r.IntN(2))})
	var at clock.Time
	load := int32(memory.NoLoad)
	switch {
	case k.space == trace.SpaceShared:
		shared := coalesce.NewShared(&x.cfg.Shared)
		at, load = p.Shared(clock.Time(shared.Cycles(&a, lists, width)), k.flags&trace.InstLoad != 0, t)
	case k.space == trace.SpaceConstant:
		at, load = p.Constant(t)
	case k.flags&trace.InstAtomic != 0:
		co.Atomic(&a, lists, width)
		at, load = p.Global(&x.work, k.space, k.flags, t)
	default:
		co.Coalesce(&a, lists, width)
		at, load = p.Global(&x.work, k.space, k.flags, t)
	}
	f := flight{x.next, t}
	if load != memory.NoLoad {
		x.open[sm][load] = f
		x.next++
		return
	}
	x.done(f, at)
}

func (x *traffic) known(sm int, done []memory.Done) {
	for _, d := range done {
		f := x.open[sm][d.Load]
		delete(x.open[sm], d.Load)
		x.done(f, d.At)
	}
}

// done books an access.
func (x *traffic) done(f flight, at clock.Time) {
	x.took += at - f.at
	h := fnv.New64a()
	fmt.Fprint(h, x.digest, f.number, at)
	x.digest = h.Sum64()
	x.next++
}

// String has the figures of the traffic.
func (x *traffic) String() string {
	out := fmt.Sprintf("%d accesses of %d cycles, %d", x.next, x.took, x.work)
	for _, r := range x.sys.Records() {
		if r.Index < 0 {
			out += fmt.Sprintf(", %s %d/%d %d+%d", r.Level, r.Hits, r.Accesses, r.ReadSectors, r.WriteSectors)
		}
	}
	return out + fmt.Sprintf(", watched %d %d, %x", x.opened, x.watched, x.digest)
}
