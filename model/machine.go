package model

import (
	"gpureplay/model/hardware"
	"gpureplay/model/host"
)

// Options are what a run needs beside the machine.
type Options struct {
	Config      *hardware.Config
	Policy      *Policy
	Captured    func() *hardware.Config // GPU that the trace was captured on, asked for when work of a kernel is inferred; nil: Config
	Observer    Observer                // nil: nobody watches
	Sample      Time                    // width of a timeline window; 0: none; SampleAuto
	Timing      host.Timing             // of the host and its copies
	AsTasks     host.AsTasks            // whether launches of the host are run as narrow tasks
	FastForward bool                    // equal CTAs of which only the time is known are placed together, and observers are not called for them

	MaxCycles Time                         // the run ends in that cycle, if its program does not before; 0: with its program
	Tick      func(now Time, insts uint64) // called now and then while it runs, with the instructions issued; nil: nobody asks
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
	depends  *DependencyMachine
	sampler  sampler

	acting  []uint64 // SMs of the current cycle
	stepped Time     // the last cycle in which they acted
	tick    func(Time, uint64)
}
