package cycle

import (
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/trace"
)

// loadsOf has an SM of a machine with one bank of 20 cycles, and a function for its accesses to a sector.
func loadsOf(t *testing.T, allocates bool) (m *System, u *Unit, access func(uint64, trace.InstFlags, Time)) {
	t.Helper()
	cfg, err := hardware.Preset("rtx3070")
	if err != nil {
		t.Fatal(err)
	}
	cfg.L1.Latency, cfg.L1.Banks, cfg.L1.WriteAllocate = 20, 1, allocates
	m = New(cfg)
	u = m.units[0]
	u.Enter(cfg.L1.Bytes, 0)
	return m, u, func(sector uint64, flags trace.InstFlags, at Time) {
		u.Co.Reset()
		u.Co.Append(sector, coalesce.AllBytes)
		u.Co.TakeTurns()
		u.Global(&memory.Traffic{}, trace.SpaceGlobal, flags, at)
	}
}

// advance moves a machine up to a cycle, and returns how many loads are known by then.
func advance(m *System, u *Unit, to Time) (known int) {
	for at := m.Next(); at <= to; at = m.Next() {
		m.Advance(at)
		write(u)
		known += len(u.Known())
	}
	return known + len(u.Known())
}

// A store drops a sector of an L1 that does not allocate on writes. A load behind it waits for the fetch on its way.
func TestALoadJoinsTheFetchOfADroppedSector(t *testing.T) {
	m, u, access := loadsOf(t, false)
	access(1000, trace.InstLoad, 10)
	access(1000, trace.InstStore, 11)
	access(1000, trace.InstLoad, 12)
	if advance(m, u, 40); len(u.mshrs.All) != 1 || u.mshrs.All[0].Left != 2 {
		t.Errorf("%d fetches, for the first %d loads wait; want one, for two", len(u.mshrs.All), u.mshrs.All[0].Left)
	}
	if known := advance(m, u, 100_000); known != 3 || u.L1.Stats.Misses != 1 || u.L1.Stats.Hits != 1 {
		t.Errorf("%d accesses end, of %d misses and %d hits; want 3, of 1 and 1", known, u.L1.Stats.Misses, u.L1.Stats.Hits)
	}
}

// Loads that find their sectors hit, though another kernel flushes the L1 while they are in its banks; the others miss.
func TestHitsOutliveAFlush(t *testing.T) {
	for _, x := range []struct {
		bytes        int
		hits, misses uint64
	}{{1 << 17, 2, 2}, {0, 2, 2}} {
		m, u, access := loadsOf(t, true)
		id, _, _ := u.L1.Tags.Insert(1000>>2, 0)
		u.L1.Tags.Fill(id, 0, 1, 0)
		access(2000, trace.InstLoad, 10)
		access(1000, trace.InstLoad, 11)
		access(1000, trace.InstLoad, 12)
		access(3000, trace.InstLoad, 13)
		u.Enter(x.bytes, 15)
		if known := advance(m, u, 100_000); known != 4 || u.L1.Stats.Hits != x.hits || u.L1.Stats.Misses != x.misses {
			t.Errorf("an L1 of %d bytes: %d loads are known, of %d hits and %d misses; want 4, of %d and %d", x.bytes, known,
				u.L1.Stats.Hits, u.L1.Stats.Misses, x.hits, x.misses)
		}
	}
}
