package dram

import (
	"testing"

	"gpureplay/model/hardware"
)

// The first DRAM cycle from an SM cycle on begins there or later, and the one before begins earlier; from cycle 0 on
// it is the first of all, also where the channel's clock began before.
func TestFirstCycleOfAChannel(t *testing.T) {
	for _, preset := range []string{"k20c", "rtx3070", "a100"} {
		cfg, err := hardware.Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		cfg.DRAM.Lead = 0
		d := newTimes(cfg)
		for _, at := range []Time{-7, 0} {
			if got := d.from(at); got != 0 {
				t.Errorf("%s: from cycle %d on the first is %d", preset, at, got)
			}
		}
		for at := Time(1); at < 20_000; at++ {
			if w := d.from(at); d.timeOf(w) < at || d.timeOf(w-1) >= at {
				t.Fatalf("%s: from cycle %d on the first is %d, which begins at %d", preset, at, w, d.timeOf(w))
			}
		}
		cfg.DRAM.Lead = 10
		if got, want := newTimes(cfg).from(-3), d.from(7); got != want {
			t.Errorf("%s: %d, want %d", preset, got, want)
		}
	}
}
