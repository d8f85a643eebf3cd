package clock

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Units act in the first cycle that they have been posted for, once, whether that is this
// cycle, the next, or one behind the wheel; and cycles in which none acts are left out.
func TestUnitsActWhenTheyAreDue(t *testing.T) {
	const units = 130 // three words
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 5))
		a, due := NewWakeups(units), map[int]Time{}
		post := func(unit int, at Time) {
			a.Post(unit, at)
			if old, there := due[unit]; !there || at < old {
				due[unit] = at
			}
		}
		now := Time(0)
		for range 2000 {
			for range r.IntN(4) { // between two cycles
				post(r.IntN(units), now+1+Time(r.IntN(3<<r.IntN(11))))
			}
			first := Never
			for _, at := range due {
				first = min(first, at)
			}
			next := a.Next()
			if next > first {
				t.Fatalf("seed %d, cycle %d: the next is %d, not %d", seed, now, next, first)
			}
			if next == Never {
				continue
			}
			if now = next; !a.Begin(now) {
				t.Fatalf("seed %d: nobody acts in cycle %d", seed, now)
			}
			act(t, r, &a, due, post)
			if a.End(); a.Over != now {
				t.Fatalf("cycle %d is not over", now)
			}
		}
	}
}

// act has the units of a cycle act, which post others.
func act(t *testing.T, r *rand.Rand, a *Wakeups, due map[int]Time, post func(int, Time)) {
	for word := range a.Acting {
		for x := a.Acting[word]; x != 0; x = a.Acting[word] {
			a.Acting[word] = x & (x - 1)
			unit := word<<6 + bits.TrailingZeros64(x)
			if a.Due[unit] > a.Now {
				a.Later(unit)
				continue
			}
			a.Due[unit] = Never
			if due[unit] != a.Now {
				t.Fatalf("unit %d acts in cycle %d for %d", unit, a.Now, due[unit])
			}
			delete(due, unit)
			switch other := r.IntN(130); r.IntN(8) {
			case 0:
				a.Follow(other)
				if at, there := due[other]; !there || a.Now+1 < at {
					due[other] = a.Now + 1
				}
			case 1:
				if other > unit {
					a.Join(other)
					due[other] = a.Now
				}
			case 2:
				post(other, a.Now+1+Time(r.IntN(1500)))
			}
		}
	}
	for unit, at := range due {
		if at <= a.Now {
			t.Fatalf("unit %d has not acted in cycle %d", unit, at)
		}
	}
}
