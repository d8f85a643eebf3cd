package pagoda

import "fmt"

// MTBConfig is the shape of a MasterKernel threadblock.
type MTBConfig struct {
	Executors     int // executor warps: 31
	Barriers      int // named barriers: 16
	SharedBytes   int // shared memory for tasks: 32 KB
	SmallestBlock int // of shared memory: 512 B
	ScanRows      int // entries that a scan reads at once, one a lane; 0 or 1: one after another, as line 3 has it

	// The scheduler warp that finds a successor's entry schedules the predecessor
	// itself, on its own MTB (the artifact); false: it releases it to the
	// scheduler warp of the predecessor's column (algorithm 1).
	Successor bool
}

// PaperMTB is the threadblock of the paper.
func PaperMTB() MTBConfig {
	return MTBConfig{Executors: 31, Barriers: 16, SharedBytes: 32 << 10, SmallestBlock: 512}
}

// Admits reports, as an error in one sentence, why a task could never run: it requests more than an MTB has. Tasks
// whose threadblocks do not synchronise may have any number of warps; they take executors in turns.
func (cfg MTBConfig) Admits(t Task) error {
	switch {
	case t.Blocks == 0 || t.Threads == 0:
		return fmt.Errorf("task %d has no threads", t.Kernel)
	case uint64(t.Blocks)*uint64(t.WarpsPerBlock()) > 1<<31:
		return fmt.Errorf("task %d has %d threadblocks of %d threads, more than a narrow task can count", t.Kernel,
			t.Blocks, t.Threads)
	case int64(t.SharedBytes) > int64(cfg.SharedBytes):
		return fmt.Errorf("task %d needs %d bytes of shared memory per threadblock, an MTB has %d", t.Kernel,
			t.SharedBytes, cfg.SharedBytes)
	case t.Sync && int(t.WarpsPerBlock()) > cfg.Executors:
		return fmt.Errorf("task %d synchronises threadblocks of %d warps, an MTB has %d executor warps", t.Kernel,
			t.WarpsPerBlock(), cfg.Executors)
	}
	return nil
}
