package engine

import (
	"testing"

	"gpureplay/model/clock"
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/tags"
	"gpureplay/trace"
)

// registers leave every bank free.
type registers struct{}

func (registers) Write(uint8, uint32, clock.Time, clock.Time) uint32 { return 0 }

// bench is the memory of a machine with the ports of two SMs.
type bench struct {
	t     *testing.T
	sys   memory.System
	ports [2]memory.Port
	done  [2]map[int32]clock.Time // accesses that were not known when they issued
}

func newBench(t *testing.T, cfg *hardware.Config) *bench {
	b := &bench{t: t, sys: New(cfg)}
	for i := range b.ports {
		b.ports[i], b.done[i] = b.sys.Port(i), map[int32]clock.Time{}
		b.ports[i].Registers(registers{})
		b.ports[i].Enter(cfg.L1.Bytes, 0)
	}
	return b
}

// access has an SM access sectors in cycle t, atomics in so many turns each, and returns when that is done.
func (b *bench) access(sm int, flags trace.InstFlags, turns int, t clock.Time, sectors ...uint64) func() clock.Time {
	co := b.sys.Coalescer()
	co.Reset()
	for _, s := range sectors {
		co.Append(s, coalesce.AllBytes)
	}
	co.TakeTurns()
	for i := range co.Turns {
		co.Turns[i] = turns
	}
	done, load := b.ports[sm].Global(&memory.Traffic{}, trace.SpaceGlobal, flags, t)
	return func() clock.Time {
		if load < 0 {
			return done
		}
		at, known := b.done[sm][load]
		if !known {
			b.t.Fatalf("access %d of SM %d is not done", load, sm)
		}
		return at
	}
}

// run lets the memory go on from cycle t up to another.
func (b *bench) run(t, end clock.Time) {
	for ; t < end; t++ {
		var known []memory.Done
		for i, p := range b.ports {
			if p.Signals().Due <= t {
				known = p.WriteBack(t)
				for _, x := range known {
					b.done[i][x.Load] = x.At
				}
			}
		}
		if b.sys.Next() > t {
			continue
		}
		b.sys.Advance(t)
		for i, p := range b.ports {
			for _, x := range p.Known() {
				b.done[i][x.Load] = x.At
			}
		}
	}
}

var kinds = map[string]trace.InstFlags{
	"load": trace.InstLoad, "bypassing load": trace.InstLoad | trace.InstBypassL1, "store": trace.InstStore,
	"atomic": trace.InstLoad | trace.InstStore | trace.InstAtomic,
}

// An access of two sectors is done with the later of them, whichever comes first. The slice of one is busy with an
// atomic of another SM; the other has been read before.
func TestAccessIsDoneWithItsLatestSector(t *testing.T) {
	for _, preset := range []string{"a100", "rtx3070"} {
		cfg, err := hardware.Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		mapping := tags.NewMapping(cfg)
		for kind, flags := range kinds {
			for _, slow := range []uint64{4096 * 3, 4096 * 20} {
				fast := uint64(4096*10) + 1 // another bank of the L1
				for mapping.Slice(fast) == mapping.Slice(slow) {
					fast += 4
				}
				took := func(sectors ...uint64) clock.Time {
					b := newBench(t, cfg)
					b.access(0, trace.InstLoad, 1, 0, fast)
					b.run(0, 5000)
					b.access(1, kinds["atomic"], 400, 5000, slow)
					b.run(5000, 5100)
					done := b.access(0, flags, 1, 5100, sectors...)
					b.run(5100, 15000)
					return done() - 5100
				}
				alone, other, both := took(slow), took(fast), took(slow, fast)
				if alone <= other {
					t.Errorf("%s, %s: %d cycles with a busy slice, %d without", preset, kind, alone, other)
				}
				if both < alone {
					t.Errorf("%s, %s: sectors %d and %d are there after %d cycles, one of them after %d", preset, kind, slow, fast,
						both, alone)
				}
			}
		}
	}
}
