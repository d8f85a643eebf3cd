package cycle

import (
	"slices"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/unit"
	"gpureplay/trace"
)

// An access is done with the latest of its requests, in whichever order they are back, and whether the unit has taken
// all of them before the last is back or behind it.
func TestAccessIsDoneWithItsLatestRequest(t *testing.T) {
	for _, answers := range [][]Time{{30, 20, 10}, {10, 20, 30}, {20, 30, 10}} {
		for closed := range len(answers) + 1 { // answers before the unit has taken all
			for _, hit := range []Time{5, 40} { // a request that is done at once
				u := &Unit{mem: &System{xbar: &crossbar{}}}
				p := &u.through
				p.load, p.At, p.Done = memory.NoLoad, 1, hit
				for range answers {
					u.loadOf(p).open++
				}
				load := p.load
				for _, at := range answers[:closed] {
					u.answered(load, at)
				}
				want := max(30, hit)
				if done := u.leave(p); closed == len(answers) {
					if done != want {
						t.Errorf("answers at %d and %d: done at %d, want %d", answers, hit, done, want)
					}
					continue
				} else if done != memory.Unknown {
					t.Errorf("done at %d with requests on their way", done)
				}
				for _, at := range answers[closed:] {
					u.answered(load, at)
				}
				if got := u.Known(); !slices.Equal(got, []memory.Done{{Load: load, At: want}}) {
					t.Errorf("answers at %d, %d of them before the unit has taken all, and %d: %+v, want %d", answers, closed, hit,
						got, want)
				}
			}
		}
	}
}

// blind is a watcher of nothing: with one, hits go through their banks one by one.
type blind struct{ memory.Watcher }

func (blind) Hit(*memory.Hit) {}

// Hits of two banks are done with the later, whichever of them has others before it.
func TestHitsAreDoneWithTheLaterBank(t *testing.T) {
	cfg, err := hardware.Preset("rtx3070")
	if err != nil {
		t.Fatal(err)
	}
	for _, watcher := range []memory.Watcher{nil, blind{}} {
		for busy := range uint64(2) {
			m := New(cfg)
			u := m.units[0]
			u.Enter(cfg.L1.Bytes, 0)
			load := func(at Time) (done Time) {
				u.Co.Reset()
				u.Co.Append(4096, coalesce.AllBytes)
				u.Co.Append(4097, coalesce.AllBytes)
				u.Co.TakeTurns()
				done, _ = u.Global(&memory.Traffic{}, trace.SpaceGlobal, trace.InstLoad, at)
				return done
			}
			load(0)
			for at := m.Next(); at != Never; at = m.Next() {
				m.Advance(at)
				write(u)
				u.Known()
			}
			m.Watcher = watcher
			u.inject.banks[u.bankOf(unit.PathLoad, 4096+busy)].left = 9000
			if done := load(5000); done != 9001+unit.L1Extra {
				t.Errorf("the bank of sector %d is busy until 9000: done at %d, want %d", 4096+busy, done, 9001+unit.L1Extra)
			}
		}
	}
}
