// Package workers does pieces of work side by side: the one pool for policies, cells of
// a sweep, experiments and cases.
package workers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Pool says how many pieces go on at a time, and in which order they begin.
type Pool struct {
	Workers int // pieces at a time; 0: [Default]
	// estimate, in any unit: of several workers the costliest piece begins first; nil: in order
	Cost func(i int) float64

	// Done is told after each piece that succeeded, never twice at a time; may be nil. Name is the piece's name.
	Done func(done, total int, name string)
	Name func(i int) string
}

// busy counts the workers of all pools.
var busy atomic.Int64

// Spare reports whether a processor has no worker: a piece may then do work on the side without delaying another
// one.
func Spare() bool { return busy.Load() < int64(runtime.GOMAXPROCS(0)) }

// Do does n pieces. A piece that fails stops those that have not begun, and ends the
// context of those that go on, which is for them to heed. Of several errors the first
// piece's counts. If ctx ends before all is done, the error is its cause.
func (p Pool) Do(ctx context.Context, n int, work func(ctx context.Context, i int) error) error {
	if n > 1 { // one piece needs no look at the memory
		p.Workers = Or(p.Workers)
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	var (
		mu         sync.Mutex
		next, done int
		order      = p.order(n)
		errs       = make([]error, n)
		group      sync.WaitGroup
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == n || inner.Err() != nil {
			return 0, false
		}
		next++
		return order[next-1], true
	}
	end := func(i int, err error) {
		mu.Lock()
		defer mu.Unlock()
		if errs[i] = err; err != nil {
			stop()
			return
		}
		if done++; p.Done != nil {
			p.Done(done, n, p.Name(i))
		}
	}
	worker := func() {
		busy.Add(1)
		defer busy.Add(-1)
		for i, more := take(); more; i, more = take() {
			end(i, work(inner, i))
		}
	}
	for range min(p.Workers, n) - 1 {
		group.Go(worker)
	}
	worker() // the caller is one of them: its stack has grown, and one piece needs no other
	group.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.Cause(ctx)) {
			return err
		}
	}
	if done < n {
		return fmt.Errorf("after %d of %d runs: %w", done, n, context.Cause(inner))
	}
	return nil
}

// order is the order in which the pieces begin. One worker keeps the caller's order: the piece named first then
// ends first.
func (p Pool) order(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if p.Cost != nil && p.Workers > 1 {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Cost(b), p.Cost(a)) })
	}
	return order
}
