package cycle

import (
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/unit"
	"gpureplay/trace"
)

// A load leaves the last place of an L1's queue to stores, where there are two.
func TestALoadLeavesAPlace(t *testing.T) {
	for _, x := range []struct {
		places, taken int32
		want          bool
	}{{1, 0, true}, {1, 1, false}, {2, 0, true}, {2, 1, false}, {8, 6, true}, {8, 7, false}} {
		o := injection{misses: fifo{n: x.taken}}
		if got := o.takesLoad(&crossbar{misses: x.places}); got != x.want {
			t.Errorf("%d of %d places are taken: a load has one: %v", x.taken, x.places, got)
		}
	}
}

// Hits behind a miss are known as it leaves its bank, at the times at which they are looked up; those before a store,
// which may evict a line, one by one.
func TestHitsBehindAMiss(t *testing.T) {
	cfg, err := hardware.Preset("rtx3070")
	if err != nil {
		t.Fatal(err)
	}
	cfg.L1.Latency, cfg.L1.Banks = 20, 1
	for _, last := range []trace.InstFlags{trace.InstLoad, trace.InstStore} {
		m := New(cfg)
		u := m.units[0]
		u.Enter(cfg.L1.Bytes, 0)
		access := func(sector uint64, flags trace.InstFlags, at Time) (done Time, load int32) {
			u.Co.Reset()
			u.Co.Append(sector, coalesce.AllBytes)
			u.Co.TakeTurns()
			return u.Global(&memory.Traffic{}, trace.SpaceGlobal, flags, at)
		}
		id, _, _ := u.L1.Tags.Insert(1000>>2, 0)
		u.L1.Tags.Fill(id, 0, 1, 0)
		access(2000, trace.InstLoad, 10)
		want := map[int32]Time{}
		for i := range Time(5) {
			done, load := access(1000, trace.InstLoad, 11+i)
			if done != memory.Unknown {
				t.Fatalf("a hit behind a miss is done at %d", done)
			}
			want[load] = 11 + i + 20 + unit.L1Extra
		}
		access(1000, last, 16)
		for at := m.Next(); at <= 30; at = m.Next() {
			m.Advance(at)
		}
		early := u.Known()
		if n := map[bool]int{true: 6, false: 0}[last == trace.InstLoad]; len(early) != n {
			t.Errorf("behind the miss %d accesses are known, want %d", len(early), n)
		}
		for known := early; ; known = u.Known() {
			for _, d := range known {
				if at, ok := want[d.Load]; ok && d.At != at {
					t.Errorf("a hit is done in cycle %d, want %d", d.At, at)
				}
				delete(want, d.Load)
			}
			at := m.Next()
			if at == Never || len(want) == 0 {
				break
			}
			m.Advance(at)
		}
		if len(want) > 0 {
			t.Errorf("%d hits are not known", len(want))
		}
	}
}
