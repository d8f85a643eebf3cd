package hardware

import "fmt"

// The memory engines of a machine (memory.engine). The reserve engine times an access in one call. The cycle engine is
// GPGPU-Sim's: requests queue in the L1's banks (ldst_unit::L1_latency_queue_cycle), fills serve merged requests in
// order (mshr_table::next_access), results share a write-back register (ldst_unit::writeback), inputs of the crossbar
// take turns (local_interconnect.cc, xbar_router), requests pass the ROP delay before a slice's queue
// (memory_sub_partition::full, cache_cycle) and channels schedule cycle by cycle (dram_sched.cc).
const (
	EngineReserve = "reserve"
	EngineCycle   = "cycle"
)

// The pipelines of an SM (sm.pipeline). In the direct pipeline an instruction is at its unit in the cycle in which it
// issues, EXIT takes the branch unit and a warp always has its next instruction. The collector pipeline is GPGPU-Sim's:
// operand collectors serve every unit (shader.cc, create_exec_pipeline), EXIT takes the integer unit
// (scheduler_unit::cycle) and the scheduler that acts first rotates (shader_core_ctx::issue, Issue_Prio).
const (
	PipelineDirect    = "direct"
	PipelineCollector = "collector"
)

// CycleMemory reports whether the machine has the cycle-level memory engine.
func (c *Config) CycleMemory() bool { return c.Memory.Engine == EngineCycle }

// Collectors reports whether the SM has the collector pipeline.
func (s *SMConfig) Collectors() bool { return s.Pipeline == PipelineCollector }

// replaced has the key that replaces each one of an earlier version.
var replaced = map[string]string{
	"icnt.in_turn":            "memory.engine",
	"dram.in_turn":            "memory.engine",
	"l1.look_at_head":         "memory.engine",
	"l1.mshr_order":           "memory.engine",
	"l2.queue_behind_latency": "memory.engine",
	"sm.collectors_serve":     "sm.pipeline",
	"sm.schedulers_in_turn":   "sm.pipeline",
	"sm.exit_unit":            "sm.pipeline",
	"sm.writeback_in_turn":    "memory.engine",
}

// replacedKey returns an error that names the key that replaces one of an earlier version; nil: it is none.
func replacedKey(key string) error {
	switch replaced[key] {
	case "memory.engine":
		return fmt.Errorf("%s is no longer a key: set memory.engine to %q or %q instead", key, EngineReserve, EngineCycle)
	case "sm.pipeline":
		return fmt.Errorf("%s is no longer a key: set sm.pipeline to %q or %q instead", key, PipelineDirect,
			PipelineCollector)
	}
	return nil
}
