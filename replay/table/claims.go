package table

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	folders "gpureplay/internal/durable"
)

// Claims hold the folders of several runs before the first one begins. Every process takes them in one order. So
// one of several processes that claim the same runs gets all.
type Claims struct {
	mu   sync.Mutex
	held map[string]*os.File // by the run's folder
}

// ClaimRuns claims the runs of those keys in a folder of tables; without tables it claims
// nothing. It returns an error, and holds none, where another process writes one of them.
func ClaimRuns(dir string, tables []string, keys []Key) (*Claims, error) {
	c := &Claims{held: map[string]*os.File{}}
	if len(wanted(tables)) == 0 {
		return c, nil
	}
	runs := map[string]bool{}
	for _, k := range keys {
		if _, err := k.path(); err != nil {
			return nil, err
		}
		runs[runFolder(dir, k)] = true
	}
	for _, run := range slices.Sorted(maps.Keys(runs)) {
		lock, err := folders.Claim(run)
		if err != nil {
			c.Close()
			return nil, fmt.Errorf("tables: %w", err)
		}
		if lock != nil {
			c.held[run] = lock
		}
	}
	return c, nil
}

// take hands over the lock of a run's folder, or claims one that is not held.
func (c *Claims) take(run string) (*os.File, error) {
	if c != nil {
		c.mu.Lock()
		lock := c.held[run]
		delete(c.held, run)
		c.mu.Unlock()
		if lock != nil {
			return lock, nil
		}
	}
	return folders.Claim(run)
}

// Close lets go of the runs that have not begun.
func (c *Claims) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for run, lock := range c.held {
		prune(run, 2) // and .runs
		lock.Close()
	}
	clear(c.held)
}

// runFolder is the folder of a run's manifest.
func runFolder(dir string, k Key) string {
	if dir == "" {
		dir = "."
	}
	return filepath.Join(dir, runsFolder, k.id())
}
