package cycle

import (
	"math/bits"

	"gpureplay/model/memory/mshr"
	"gpureplay/model/memory/tags"
	"gpureplay/model/memory/unit"
)

// awaitFill makes a load wait for the fill of fetch f at a known time.
func (u *Unit) awaitFill(load, f int32, x *mshr.Entry, fill Time) {
	x.Left++
	if u.put(clientFills, fill, u.mem.xbar.Now+1, load, f) {
		u.nameSM()
	}
}

// missLoad has a load fetch its block, for which there is an MSHR.
func (u *Unit) missLoad(k *packet, id int32, bit uint, t Time) (again Time) {
	l1 := &u.L1
	if l1.Tags != nil {
		if id, again = u.lineOf(k.sector, id, t); again > t {
			return again
		}
	}
	u.countLoad(k, false)
	u.pendingMisses++
	f := u.mshrs.Open(k.of, id, bit, k.sector)
	k.of, k.way, k.mask = f, unit.PathLoad, l1.Block.Whole()
	if id != tags.NoLine {
		l1.Tags.SetPending(id, bit, tags.UnknownFill+uint32(f))
	}
	return t
}

// lineAgain returns when a line of a full set can be replaced: Never if the time is unknown.
func (u *Unit) lineAgain(sector uint64, t Time) Time {
	c := u.L1.Tags
	if idle := c.FirstIdle(sector >> (u.L1.Per & 63)); idle-c.Base < Time(tags.UnknownFill) {
		return max(t+1, idle-thereAhead)
	}
	return Never
}

// freeMSHR returns t if there is an MSHR for a miss in cycle t, or else when there may be one.
func (u *Unit) freeMSHR(t Time) Time {
	if u.pendingMisses+u.freeAt.N < u.mostMisses {
		return t
	}
	return u.nextMSHR(t)
}

func (u *Unit) nextMSHR(t Time) Time {
	if u.freeAt.Drop(t); u.pendingMisses+u.freeAt.N < u.mostMisses {
		return t
	}
	return max(t+1, u.freeAt.Earliest())
}

// probeStore looks up a store for which the L1's queue has room. An L1 that allocates on writes keeps the bytes.
func (u *Unit) probeStore(k *packet, t Time) (again Time) {
	l1, x := &u.L1, u.mem.xbar.rests.of(k)
	if l1.Cfg.WriteAllocate {
		if !l1.Write(&x.Request, t+thereAhead) {
			return u.lineAgain(k.sector, t)
		}
		if c := l1.Tags; c != nil {
			c.Overwrite(c.Find(k.sector>>(l1.Per&63)), uint(k.sector)&l1.Last, &x.Request, t+thereAhead)
		}
	} else {
		l1.Invalidate(k.sector)
	}
	n := uint64(bits.OnesCount8(k.mask))
	l1.Stats.Writes += n
	u.loads.all[x.of].work.L1Accesses += n
	return t
}

// filled tells the loads that wait for a fetch when it comes, from a cycle on.
func (u *Unit) filled(f int32, fill, from Time) {
	x, l1, n := &u.mshrs.All[f], &u.L1, u.mem.xbar
	if c := l1.Tags; c != nil && int(x.Line) < len(c.Lines) { // of a suspended CTA the L1 may have another size by then
		l1.Tags.SetFill(x.Line, uint(x.Bit), tags.UnknownFill+uint32(f), fill)
	}
	bank := u.bankOf(unit.PathLoad, x.Sector)
	if u.inject.starved>>(bank&63)&1 == 0 { // or else its load may join the fetch
		from = max(from, fill-thereAhead)
	}
	u.inject.probesAgain(bank)
	x.Left, x.Fill, x.Free = 0, fill, 0
	u.awaitFill(x.Load, f, x, fill)
	for more := x.More; more != mshr.None; {
		var load int32
		load, more = u.mshrs.Next(more)
		u.awaitFill(load, f, x, fill)
	}
	if u.inject.blocked {
		n.Post(n.leaves+u.Sm, max(n.Now, from))
	}
}

// released notes that a request that waits for a fetch is written back at a time. Behind the last its MSHR is free.
func (u *Unit) released(f int32, at Time) {
	x := &u.mshrs.All[f]
	x.Free = max(x.Free, at-mshrAhead)
	if x.Left--; x.Left > 0 {
		return
	}
	u.pendingMisses--
	if u.L1.Mshrs > 0 {
		u.freeAt.Push(x.Free)
	}
	u.mshrs.Close(f, x)
}

// comes returns when a load that may not join a fetch in cycle t looks again: when its sectors are there, or in the
// next cycle. Never: that is not known.
func comes(x *mshr.Entry, t Time) Time {
	if x.Fill == Never {
		return Never
	}
	return max(t+1, x.Fill-thereAhead)
}
