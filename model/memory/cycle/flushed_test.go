package cycle

import (
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/trace"
)

// Loads of a suspended CTA that wait for the unit when another kernel comes go on at the end of
// that cycle, through the kernel's L1, or past where it leaves none.
func TestFlushedUnitGoesOn(t *testing.T) {
	cfg, err := hardware.Preset("rtx3070")
	if err != nil {
		t.Fatal(err)
	}
	cfg.L1.Latency, cfg.L1.Banks = 20, 1 // the bank holds 20 requests
	for _, bytes := range []int{cfg.L1.Bytes, cfg.L1.Bytes / 2, 0} {
		m := New(cfg)
		u := m.units[0]
		u.Enter(cfg.L1.Bytes, 0)
		for i := range uint64(22) {
			u.Co.Reset()
			u.Co.Append(1000+40*i, coalesce.AllBytes)
			u.Co.TakeTurns()
			if done, _ := u.Global(&memory.Traffic{}, trace.SpaceGlobal, trace.InstLoad, 10); done != memory.Unknown {
				t.Fatalf("done at %d", done)
			}
		}
		if len(u.stalled) != 2 {
			t.Fatalf("%d loads wait", len(u.stalled))
		}
		u.Enter(bytes, 20)
		if at := m.Next(); at != 20 {
			t.Errorf("an L1 of %d bytes: the unit looks again in cycle %d", bytes, at)
		}
		m.Advance(20)
		if want := map[bool]int{true: 0, false: 2}[bytes == 0]; len(u.stalled) != want {
			t.Errorf("an L1 of %d bytes: %d loads wait behind cycle 20, want %d", bytes, len(u.stalled), want)
		}
		known := 0
		for at := m.Next(); at != Never; at = m.Next() {
			m.Advance(at)
			write(u)
			known += len(u.Known())
		}
		if known != 22 {
			t.Errorf("an L1 of %d bytes: %d of 22 loads are known", bytes, known)
		}
	}
}
