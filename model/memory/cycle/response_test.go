package cycle

import (
	"slices"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/unit"
)

// newSystem is the memory of the preset `qv100`.
func newSystem(t *testing.T) *System {
	t.Helper()
	cfg, err := hardware.Preset("qv100")
	if err != nil {
		t.Fatal(err)
	}
	return New(cfg)
}

// busyFile has no bank free before a cycle.
type busyFile struct{ free Time }

func (f *busyFile) Write(_ uint8, banks uint32, at, _ Time) (left uint32) {
	if at < f.free {
		return banks
	}
	return 0
}

// Of three atomics the first waits in the register for a bank, the second before the register, and the third holds the
// acknowledgment behind it, until the second goes on. By hand: the register takes the first in 99 for 100, writes it in
// 103 and takes the second, the third leaves the queue in 103 and the acknowledgment in 104; it counts in 104, where it
// counts in 102 without the third.
func TestAReplyHoldsThoseBehindIt(t *testing.T) {
	for _, x := range []struct {
		third bool
		want  Time
	}{{false, 102}, {true, 104}} {
		u := newSystem(t).units[0]
		u.Registers(&busyFile{103})
		u.loads.all = slices.Repeat([]openLoad{{open: 1, closed: true, atomic: true, to: memory.Destination{Banks: 1}}}, 4)
		u.respond(response{100, 0, unit.PathAtomic})
		u.respond(response{101, 1, unit.PathAtomic})
		if x.third {
			u.respond(response{103, 2, unit.PathAtomic})
		}
		u.respond(response{104, 3, unit.PathStore})
		if len(u.results.held) == 0 {
			t.Fatal("no reply is held")
		}
		at := map[int32]Time{}
		for now := Time(90); now < 120; now++ {
			for _, d := range u.WriteBack(now) {
				if !d.Taken {
					at[d.Load] = d.At
				}
			}
		}
		if at[0] != 103 || at[1] != 104 || at[3] != x.want {
			t.Errorf("third %t: done in %v, want 103, 104 and %d", x.third, at, x.want)
		}
	}
}

// A slice gives the crossbar a reply a cycle, as long as that has room; an SM that takes one makes room for the next.
func TestRepliesWaitForRoomAtTheCrossbar(t *testing.T) {
	s := newSystem(t).slices[0]
	s.most, s.room, s.replies.queued = 2, 3, 5
	for _, x := range []struct {
		at      Time
		taken   bool
		crowded bool
		queued  int32
	}{{1, false, true, 4}, {2, false, true, 3}, {3, true, true, 3}, {4, false, false, 2}, {9, true, false, 2},
		{10, true, false, 1}, {11, false, false, 0}} {
		if got := s.crowded(x.at); got != x.crowded || s.replies.queued != x.queued {
			t.Errorf("cycle %d: crowded %t, %d wait, want %t, %d", x.at, got, s.replies.queued, x.crowded, x.queued)
		}
		if x.taken {
			s.taken(x.at)
		}
	}
}
