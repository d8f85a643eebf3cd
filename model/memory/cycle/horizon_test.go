package cycle

import (
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/trace"
)

// A unit that waits for nothing lets its SM run ahead as far as it likes. One that does lets
// it come to where an answer may be known, and no answer is known before.
func TestHorizonOfUnit(t *testing.T) {
	cfg, err := hardware.Preset("rtx3070")
	if err != nil {
		t.Fatal(err)
	}
	for _, flags := range []trace.InstFlags{trace.InstLoad, trace.InstStore, trace.InstLoad | trace.InstBypassL1,
		trace.InstLoad | trace.InstStore | trace.InstAtomic} {
		m := New(cfg)
		u := m.units[0]
		u.Enter(cfg.L1.Bytes, 0)
		if got := u.Horizon(); got != Never {
			t.Errorf("flags %b: up to %d before the access", flags, got)
		}
		for i := range uint64(3) {
			u.Co.Reset()
			u.Co.Append(1000+40*i, coalesce.AllBytes)
			u.Co.TakeTurns()
			if done, _ := u.Global(&memory.Traffic{}, trace.SpaceGlobal, flags, 10+Time(i)); done != memory.Unknown {
				t.Fatalf("flags %b: done at %d", flags, done)
			}
		}
		want := m.Next() + 187 + 1
		if flags == trace.InstLoad || u.pushes() { // it may be there when it is looked up; or the unit may take more
			want = m.Next() + 1
		}
		if got := u.Horizon(); got != want {
			t.Errorf("flags %b: up to %d, want %d", flags, got, want)
		}
		most := Time(0)
		for left := 3; left > 0; {
			at := m.Next()
			most = max(most, u.Horizon())
			if at == Never {
				t.Fatalf("flags %b: %d are not told of", flags, left)
			}
			if _, told := m.Advance(at); len(told) == 0 {
				continue
			}
			if at < most-1 {
				t.Errorf("flags %b: an answer is known in cycle %d, and the horizon was %d", flags, at, most)
			}
			write(u)
			left -= len(u.Known())
			most = 0
		}
	}
}
