package model

import (
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// KernelSampler decides for each kernel of the host, when it enters the distributor, whether it is simulated.
type KernelSampler interface {
	// Skip returns the cycles from the first CTA of a kernel to its end, if the kernel is not to be simulated.
	Skip(k *trace.Kernel) (cycles Time, ok bool)
	// Ran tells the cycles of a simulated kernel.
	Ran(k *trace.Kernel, cycles Time)
}

// sample has the sampler decide about a kernel. A kernel that is skipped runs as one CTA that holds no part of an
// SM for the cycles that are left to it. Kernels beside others are simulated: their times depend on these.
func (m *Machine) sample(k *kernelRun) {
	if m.skips == nil || k.launch != nil || k.fused != nil || k.narrow || k.work != trace.InferredNothing {
		return
	}
	k.alone = len(m.ctas.entries) == 0 && m.kmu.reserved == 1 // its own entry
	for _, other := range m.ctas.entries {
		other.alone = false
	}
	if !k.alone {
		return
	}
	cycles, ok := m.skips.Skip(&k.tk)
	if !ok {
		return
	}
	k.work, k.rec.Inferred = trace.InferredSample, trace.InferredSample
	k.native, k.CTAs, k.Left, k.cursor, k.pending = 1, 1, 1, nil, nil
	k.seen.Resources = hardware.Resources{}
	k.inferred = max(1, cycles-1-Time(m.cfg.SM.CTALaunchLatency))
}

// sampled gives the sampler the time of a kernel that was simulated by itself.
func (m *Machine) sampled(k *kernelRun, end Time) {
	if m.skips != nil && k.alone && k.work == trace.InferredNothing {
		m.skips.Ran(&k.tk, end-k.rec.FirstCTA)
	}
}
