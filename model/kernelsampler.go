package model

import (
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// KernelSampler decides for each kernel of the host, when it enters the distributor, whether it is simulated. Another
// one decides the same of each wave of the CTAs of a kernel.
type KernelSampler interface {
	// Skip returns the cycles from the first CTA of a kernel to its end, if the kernel is not to be simulated, and
	// whether it is likely to change the contents of the L2.
	Skip(k *trace.Kernel) (cycles Time, fetches, ok bool)
	// Ran tells the cycles and the work of a simulated kernel; nil: of a wave.
	Ran(k *trace.Kernel, cycles Time, work *KernelWork)
}

// sample has the sampler decide about a kernel. A kernel that is skipped runs as one CTA that holds no part of an
// SM for the cycles that are left to it. Kernels beside others are simulated: their times depend on these.
func (m *Machine) sample(k *kernelRun) error {
	if m.skips == nil || k.launch != nil || k.fused != nil || k.narrow || k.work != trace.InferredNothing {
		return nil
	}
	k.alone = len(m.ctas.entries) == 0 && m.kmu.reserved == 1 // its own entry
	for _, other := range m.ctas.entries {
		other.alone = false
	}
	if !k.alone {
		return nil
	}
	cycles, fetches, ok := m.skips.Skip(&k.tk)
	if !ok {
		m.divide(k)
		return m.warm()
	}
	if fetches {
		m.skipped = append(m.skipped, k.ID)
	}
	k.work, k.rec.Inferred = trace.InferredSample, trace.InferredSample
	k.native, k.CTAs, k.Left, k.cursor, k.pending = 1, 1, 1, nil, nil
	k.seen.Resources = hardware.Resources{}
	k.inferred = max(1, cycles-1-Time(m.cfg.SM.CTALaunchLatency))
	return nil
}

// warm leaves in the L2 the footprints of the last skipped kernels, of as many as fill it.
func (m *Machine) warm() error {
	var last []*footprint
	bytes := uint64(0)
	for i := len(m.skipped) - 1; i >= 0 && bytes < uint64(m.cfg.L2.Bytes); i-- {
		f, err := m.footprint(m.skipped[i])
		if err != nil {
			return err
		}
		last, bytes = append(last, f), bytes+f.bytes()
	}
	for i := len(last) - 1; i >= 0; i-- {
		m.leave(last[i])
	}
	m.skipped = m.skipped[:0]
	return nil
}

// sampled gives the sampler the time of a kernel that was simulated by itself.
func (m *Machine) sampled(k *kernelRun, end Time) {
	if m.skips != nil && k.alone && k.work == trace.InferredNothing {
		m.skips.Ran(&k.tk, end-k.rec.FirstCTA, &k.rec.Work)
	}
}
