package model

import (
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory/engine"
)

// windows keeps the timeline as an observer sees it.
type windows struct {
	Discard
	all []SampleRecord
}

func (w *windows) Sample(r *SampleRecord) { w.all = append(w.all, *r) }

// However long a run is, the timeline has one to two thousand windows, without
// gaps, and their instructions add up.
func TestDownsampler(t *testing.T) {
	for _, cycles := range []Time{300, 256 * 2047, 256 * 2048, 256*2048 + 1, 50_000_000} {
		var s sampler
		cfg, err := hardware.Preset("a100")
		if err != nil {
			t.Fatal(err)
		}
		obs := &windows{}
		issued := uint64(0)
		s.init(SampleAuto, obs, engine.New(cfg), func(r *SampleRecord) { r.WarpInsts = issued })
		for at := Time(0); at <= cycles; at += 100 {
			s.advance(at)
			issued += 3
		}
		s.finish(cycles)
		var end Time
		var insts uint64
		for _, w := range obs.all {
			if w.Start != end || w.End <= w.Start {
				t.Fatalf("%d cycles: a window from %d to %d follows one that ends at %d", cycles, w.Start, w.End, end)
			}
			end = w.End
			insts += w.WarpInsts
		}
		if end != cycles || insts != issued {
			t.Errorf("%d cycles: the windows end at %d with %d of %d instructions", cycles, end, insts, issued)
		}
		if n := len(obs.all); n > maxWindows || cycles > 256*2048 && n < maxWindows/2 {
			t.Errorf("%d cycles: %d windows", cycles, n)
		}
	}
}
