// Package collector is the pipeline of an SM with operand collectors, as GPGPU-Sim has it
// (opndcoll_rfu_t; docs/model, "Collectors"). Each sub-core has an input register for each
// pipe, collector units, register banks and an output register before each pipe.
//
// An instruction passes these stages in order:
//
//	issue       Issue: the input register of its pipe; bypass where nothing is in its way
//	allocate    step.go, allocate: a free collector unit of its sub-core
//	read        step.go, move: a register of each bank at a time
//	dispatch    step.go, move: the output register before its pipe
//	execute     buses.go, execute: the pipe, if a result bus is free; memory: takeMemory
//	write back  writeback.go, Write: results of memory go into their banks
//
// GPGPU-Sim moves an instruction by one stage a cycle. Here all stages of an instruction
// that nothing delays fall into the cycle of issue, so times are less by these stages.
package collector
