package reserve

import (
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory"
)

// The first read of a sector is a miss of its slice, and the second a hit. A write that finds its line is a hit.
func TestHitsAndMissesOfTheL2(t *testing.T) {
	cfg, err := hardware.Preset("rtx3070")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Memory.Engine = hardware.EngineReserve
	m := New(cfg)
	l2 := func() (sum memory.Record) {
		for _, r := range m.Records() {
			if r.Level == "l2" && r.Index < 0 {
				sum = r
			}
		}
		return sum
	}
	at := m.ReadSector(0, 1000, 0)
	if got := l2(); got.Accesses != 1 || got.Hits != 0 || got.Misses != 1 || got.ReadSectors != 1 {
		t.Errorf("a first read: %+v", got)
	}
	if again := m.ReadSector(0, 1000, at); again-at >= at {
		t.Errorf("a hit takes %d cycles, the miss %d", again-at, at)
	}
	m.WriteSector(0, 1000, 2*at)
	if got := l2(); got.Accesses != 3 || got.Hits != 2 || got.Misses != 1 || got.ReadSectors != 2 ||
		got.WriteSectors != 1 {
		t.Errorf("then a hit and a write: %+v", got)
	}
}
