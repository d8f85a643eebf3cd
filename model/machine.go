package model

import (
	"gpureplay/model/hardware"
	"gpureplay/model/host"
)

// Options configure a run.
type Options struct {
	Config      *hardware.Config
	Policy      *Policy
	Captured    func() *hardware.Config // GPU of the capture, called when a kernel's work is inferred; nil: Config
	Observer    Observer                // nil: none
	Sample      Time                    // width of a timeline window; 0: none; SampleAuto
	Timing      host.Timing             // of the host and its copies
	AsTasks     host.AsTasks            // whether launches of the host are run as narrow tasks
	Sampler     KernelSampler           // skips kernels that repeat; nil: all are simulated
	Waves       KernelSampler           // skips waves of equal CTAs; nil, or Sampler is: all are simulated
	FastForward bool                    // CTAs with nothing but a time are placed in one loop, unseen by observers

	MaxCycles Time                         // the run ends in that cycle at the latest; 0: when its program ends
	Tick      func(now Time, insts uint64) // called every 65,536 steps with the instructions issued; nil: never
}

// Machine replays one trace under one policy, once.
type Machine struct {
	core
	kernels  *kernels
	kmu      *kmu
	ctas     *ctaScheduler
	children *launchUnit
	tasks    *tasks
	host     *host.Host
	access   AccessDependency // nil: kernels wait for those before them, or for their CTAs
	held     *AccessMachine   // and its handle, with the warps that it keeps back
	sampler  sampler
	skips    KernelSampler // nil: every kernel is simulated
	waves    KernelSampler // nil: every wave of its CTAs is
	skipped  []uint32      // kernels since the last simulated one that would have changed the L2

	acting  []uint64 // SMs of the current cycle
	stepped Time     // the last cycle in which they acted
	tick    func(Time, uint64)
}
