package cycle

import (
	"math/rand/v2"
	"testing"

	"gpureplay/model/hardware"
)

// last returns when the last reply is back of reads by units of the machine, of all SMs at once, all in the L2.
func last(t *testing.T, blocks bool) (at Time) {
	t.Helper()
	cfg, err := hardware.Preset("rtx3070")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Icnt.HeadOfLine, cfg.Memory.Engine = blocks, hardware.EngineCycle
	m, r := New(cfg), rand.New(rand.NewPCG(1, 2))
	m.Warm(0, 1<<20, 0)
	for range 2000 {
		for sm := range cfg.SM.Count {
			at = max(at, m.ReadSector(sm, r.Uint64N(1<<20>>hardware.SectorShift), 0))
		}
	}
	return at
}

// The replies that a unit of the machine waits for hold back those behind them in their slice, where the crossbar
// has queues with one head.
func TestRepliesToUnitsBlock(t *testing.T) {
	free, blocking := last(t, false), last(t, true)
	t.Logf("%d cycles, %d where no reply stops another", blocking, free)
	if float64(blocking) < 1.05*float64(free) {
		t.Errorf("%d cycles, %d where no reply stops another", blocking, free)
	}
}
