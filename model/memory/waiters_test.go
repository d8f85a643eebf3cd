package memory

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// Waiters are served as a sorted list of them would be, however far ahead their fills are
// and however seldom they are served.
func TestWaitersAreServedInOrder(t *testing.T) {
	type waits struct {
		fill Time
		load int32
	}
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 1))
		q, port, sure := newWaiters(nil, 10, []int{shortWindow, waitWindow}[seed%2]), newSlots(nil, sameClock), newSlots(nil, sameClock)
		var all []waits
		left, done := map[int32]int{}, map[int32]Time{}
		for now := Time(0); now < 60000; now += Time(1 + r.IntN(1+40<<(seed/2%9))) {
			late := map[int32]Time{}
			q.late = q.late[:0]
			if q.soon <= now {
				for _, x := range q.serve(now+q.ahead, &port) {
					late[x.Load] = x.Done
				}
			}
			slices.SortStableFunc(all, func(a, b waits) int { return cmp.Compare(a.fill, b.fill) })
			for len(all) > 0 && all[0].fill <= now+q.ahead {
				x := all[0]
				all = all[1:]
				done[x.load] = max(done[x.load], sure.take(x.fill))
				if left[x.load]--; left[x.load] > 0 {
					continue
				}
				if late[x.load] != done[x.load] {
					t.Fatalf("seed %d, cycle %d: load %d is served in %d, not %d", seed, now, x.load, late[x.load], done[x.load])
				}
				delete(late, x.load)
				delete(done, x.load)
			}
			if len(late) > 0 {
				t.Fatalf("seed %d, cycle %d: %v are served too soon", seed, now, late)
			}
			load := q.open(now)
			q.loads[load].said = -1
			for range 1 + r.IntN(4) {
				x := waits{now + q.ahead + 1 + Time(r.IntN(20<<r.IntN(10))), load}
				q.wait(load, noLoad, x.fill)
				all = append(all, x)
				left[load]++
			}
		}
	}
}
