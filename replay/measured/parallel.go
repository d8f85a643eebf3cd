package measured

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// inParallel does n pieces of work, as many at a time as there are workers (0: as
// many as processors), and tells done of each that ends, one at a time. Of several
// errors the first piece's counts; one stops the others.
func inParallel(ctx context.Context, n, workers int, work func(ctx context.Context, i int) error, done func(done, i int)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var (
		mu          sync.Mutex
		next, ended int
		errs        = make([]error, n)
		group       sync.WaitGroup
	)
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1
	}
	for range min(workers, n) {
		group.Go(func() {
			for i := take(); i < n && ctx.Err() == nil; i = take() {
				if errs[i] = work(ctx, i); errs[i] != nil {
					stop()
					return
				}
				mu.Lock()
				ended++
				done(ended, i)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	if err := context.Cause(ctx); err != nil && ended < n {
		return fmt.Errorf("after %d of %d replays: %w", ended, n, err)
	}
	return nil
}
