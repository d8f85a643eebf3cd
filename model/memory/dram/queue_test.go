package dram

import (
	"math/rand/v2"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory/tags"
)

// A queue of a channel gives requests in the order in which they came, with the time of the first, while places are
// used again.
func TestQueueKeepsOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var s requests
	q, places := newQueue(), map[*request]bool{}
	var put, got int32
	for range 20_000 {
		if q.n == 0 || r.IntN(100) < 52 && q.n < 50 {
			k := s.open()
			*k, places[k] = request{fetch: put, t: Time(2 * put)}, true
			q.push(k)
			put++
			continue
		}
		at := q.at
		k := q.pop()
		if at != Time(2*got) || k.fetch != got {
			t.Fatalf("request %d, of time %d, before %d", k.fetch, at, got)
		}
		s.close(k)
		if got++; q.n == 0 && q.at != Never {
			t.Fatalf("an empty queue has one at %d", q.at)
		}
	}
	if len(places) > 64 || got < 5000 {
		t.Errorf("%d requests went through %d places", got, len(places))
	}
}

// putAll queues requests to rows for a bank, with the numbers of their fetches.
func putAll(s *requests, q *bankQueue, rows []uint64) {
	for i, row := range rows {
		k := s.open()
		*k = request{row: row, fetch: int32(i)}
		q.push(k)
	}
}

// A bank gives the oldest request to its open row, and without one the oldest.
func TestBankQueuesPreferTheOpenRow(t *testing.T) {
	var s requests
	var q bankQueue
	for range 2 { // places are used again
		putAll(&s, &q, []uint64{5, 7, 6, 7})
		for _, want := range []int32{1, 3, 0, 2} {
			k := q.choose(7, ^uint64(0))
			if k.fetch != want {
				t.Errorf("request %d, want %d", k.fetch, want)
			}
			s.close(k)
		}
		if q.first != nil {
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
		c := &Channel{mapping: &tags.Mapping{RowBits: 15}, times: &times{
			DRAMConfig: &hardware.DRAMConfig{BurstBytes: 32}}}
		c.waits[reads] = 3
		x := &c.banks[0]
		x.init()
		putAll(&c.requests, &x.queues[reads], want.rows)
		c.waiting[reads].add(0)
		if c.choose(1, 0); x.request.fetch != want.fetch {
			t.Errorf("of rows %v request %d, want %d", want.rows, x.request.fetch, want.fetch)
		}
		c.serving.all, x.row = 0, want.rows[2]
		if c.choose(1, 0); x.request.fetch != 2 {
			t.Errorf("of rows %v request %d behind that, want that of the open row", want.rows, x.request.fetch)
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
