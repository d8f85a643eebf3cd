package workers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
)

// All pieces are done, no more than the workers at a time; each is told once.
func TestAllAreDone(t *testing.T) {
	for _, workers := range []int{1, 2, 7, 100} {
		var now, most, told atomic.Int64
		did := make([]atomic.Int64, 50)
		p := Pool{Workers: workers, Name: func(i int) string { return fmt.Sprint(i) }, Done: func(done, total int, _ string) {
			if told.Add(1) != int64(done) || total != len(did) {
				t.Errorf("%d workers: told of %d of %d as the %dth", workers, done, total, told.Load())
			}
		}}
		err := p.Do(t.Context(), len(did), func(_ context.Context, i int) error {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			did[i].Add(1)
			now.Add(-1)
			return nil
		})
		if err != nil || most.Load() > int64(workers) || told.Load() != int64(len(did)) {
			t.Errorf("%d workers: %v, %d at a time, %d told", workers, err, most.Load(), told.Load())
		}
		for i := range did {
			if n := did[i].Load(); n != 1 {
				t.Errorf("%d workers: piece %d was done %d times", workers, i, n)
			}
		}
	}
}

// The costliest piece begins first, of equals the first; one worker keeps the order.
func TestOrder(t *testing.T) {
	costs := []float64{1, 3, 2, 3, 1}
	for workers, want := range map[int][]int{1: {0, 1, 2, 3, 4}, 2: {1, 3, 2, 0, 4}} {
		p := Pool{Workers: workers, Cost: func(i int) float64 { return costs[i] }}
		if got := p.order(len(costs)); !slices.Equal(got, want) {
			t.Errorf("%d workers begin %v, want %v", workers, got, want)
		}
	}
}

// With two workers on four pieces of 10, 9, 14 and 13 the schedule by cost ends at 23,
// which is half of all; in the order given it ends at 24.
func TestLongestFirst(t *testing.T) {
	costs := []float64{10, 9, 14, 13}
	p := Pool{Workers: 2, Cost: func(i int) float64 { return costs[i] }}
	ends := []float64{0, 0}
	for _, i := range p.order(len(costs)) {
		free := 0
		if ends[1] < ends[0] {
			free = 1
		}
		ends[free] += costs[i]
	}
	if got := slices.Max(ends); got != 23 {
		t.Errorf("the schedule ends at %v, want 23", got)
	}
}

// The first piece's error counts, also where another failed before it. Waiting pieces do not begin, and running
// ones are cancelled.
func TestErrors(t *testing.T) {
	var begun atomic.Int64
	second := make(chan struct{})
	err := Pool{Workers: 2}.Do(t.Context(), 10, func(ctx context.Context, i int) error {
		begun.Add(1)
		if i == 1 {
			close(second)
			return errors.New("second")
		}
		<-second
		<-ctx.Done()
		return errors.New("first")
	})
	if err == nil || err.Error() != "first" || begun.Load() != 2 {
		t.Errorf("%v with %d begun, want first with 2", err, begun.Load())
	}
	err = Pool{Workers: 2}.Do(t.Context(), 2, func(ctx context.Context, i int) error {
		if i == 1 {
			return errors.New("second")
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if err == nil || err.Error() != "second" {
		t.Errorf("%v, want the error that stopped the first piece", err)
	}
}

// A context that ends stops the pieces, and the error says how far they were.
func TestInterrupted(t *testing.T) {
	ctx, end := context.WithCancelCause(t.Context())
	why := errors.New("signal")
	err := Pool{Workers: 1}.Do(ctx, 5, func(ctx context.Context, i int) error {
		if i == 2 {
			end(why)
			return fmt.Errorf("piece: %w", context.Cause(ctx))
		}
		return nil
	})
	if !errors.Is(err, why) || err.Error() != "after 2 of 5 runs: signal" {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := (Pool{Workers: 1}).Do(ctx, 1, func(context.Context, int) error { cancel(); return nil }); err != nil {
		t.Errorf("all was done, and then: %v", err)
	}
}

// There is a run for each half gigabyte, at least one, and no more than processors.
func TestBounded(t *testing.T) {
	for _, c := range []struct {
		processors int
		free       uint64
		want       int
	}{{8, 0, 8}, {8, 1, 1}, {8, 1 << 30, 2}, {8, 64 << 30, 8}} {
		if got := bounded(c.processors, c.free); got != c.want {
			t.Errorf("%d processors and %d bytes: %d runs, want %d", c.processors, c.free, got, c.want)
		}
	}
}
