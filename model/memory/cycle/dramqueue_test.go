package cycle

import (
	"math/rand/v2"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory/tags"
)

// A queue of a channel gives requests in the order in which they came, with their times,
// also when it grows while it goes round.
func TestDRAMQueueKeepsOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	q := newDRAMQueue(0)
	var put, got int32
	for range 20_000 {
		if q.n == 0 || r.IntN(100) < 52 && q.n < 50 {
			*q.push() = dramRequest{fetch: put, t: Time(2 * put)}
			put++
			continue
		}
		if k := q.first(); k.t != Time(2*got) || k.fetch != got {
			t.Fatalf("request %d, of time %d, before %d", k.fetch, k.t, got)
		}
		q.drop()
		got++
	}
	if len(q.ring) <= 8 || got < 5000 {
		t.Errorf("%d requests went through a ring of %d", got, len(q.ring))
	}
}

// A bank gives the oldest request to its open row, and without one the oldest.
func TestBankQueuesPreferTheOpenRow(t *testing.T) {
	q, x := newBankQueues(4), &bankQueue{first: noRequest}
	for range 2 { // places are used again
		for i, row := range []uint64{5, 7, 6, 7} {
			*q.push(x) = dramRequest{row: row, fetch: int32(i)}
		}
		for _, want := range []int32{1, 3, 0, 2} {
			if k := q.choose(x, 7, ^uint64(0)); k.fetch != want {
				t.Errorf("request %d, want %d", k.fetch, want)
			}
		}
		if x.first != noRequest {
			t.Error("some are left")
		}
	}
}

// A bank that has had no request prefers row 0 of its layout, whatever is above that, and without
// one the oldest.
func TestBankPrefersRowZeroAtFirst(t *testing.T) {
	for _, want := range []struct {
		rows  []uint64
		fetch int32
	}{{[]uint64{5, 16, 0}, 1}, {[]uint64{5, 17, 8}, 0}} {
		c := &channel{queues: newBankQueues(4), mapping: &tags.Mapping{RowBits: 15}, times: &dramTimes{
			DRAMConfig: &hardware.DRAMConfig{BurstBytes: 32}}}
		c.waits[reads] = 3
		x := &c.banks[0]
		x.init()
		for i, row := range want.rows {
			*c.queues.push(&x.queues[reads]) = dramRequest{row: row, fetch: int32(i)}
		}
		c.waiting[reads].add(0)
		if c.choose(1); x.fetch != want.fetch {
			t.Errorf("of rows %v request %d, want %d", want.rows, x.fetch, want.fetch)
		}
		c.serving.all, x.row = 0, want.rows[2]
		if c.choose(1); x.fetch != 2 {
			t.Errorf("of rows %v request %d behind that, want that of the open row", want.rows, x.fetch)
		}
	}
}

// Groups of banks give the same answers by their last two commands as each group by itself.
func TestGroupTimesAgainstEachGroup(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	of := newBankGroups(16, 4).of
	for range 50 {
		g, now := groupTimes{from: make([]Time, 4)}, Time(0)
		for range 400 {
			now += Time(r.IntN(4))
			s, w := bankSet(r.Uint64()&r.Uint64()&(1<<16-1)), now+Time(r.IntN(8))
			free, soon := s, Never
			for i, banks := range of {
				if g.from[i] > w {
					free &^= banks
				}
				if s&banks != 0 {
					soon = min(soon, g.from[i])
				}
			}
			if got := g.free(s, of, w); got != free {
				t.Fatalf("cycle %d: of %x are %x free, not %x", w, s, got, free)
			}
			if s != 0 {
				if got := g.soonest(s, of, w); got != max(w, soon) {
					t.Fatalf("cycle %d: the soonest of %x is %d, not %d", w, s, got, max(w, soon))
				}
			}
			i := r.IntN(4)
			g.put(i, of[i], now+6)
		}
	}
}
