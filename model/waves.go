package model

import (
	"gpureplay/trace"
)

// leastWaves is how many waves a kernel has more than, if some of them are not simulated.
const leastWaves = 20

// waves are the waves of a kernel of equal CTAs: with each, as many end as fit on the SMs. Those that the sampler
// skips are left out of the grid, and the kernel ends as much later.
type waves struct {
	sampler KernelSampler
	ctas    uint64 // of a wave
	insts   uint64 // warp instructions of each CTA
	end     Time   // of the latest
	asked   bool   // the sampler has asked for the next one
	skipped Time   // cycles of those left out
}

// divide has the waves of a kernel sampled that has enough of them. Its CTAs are equal if each has its share of the
// kernel's instructions: the first one that has not ends it.
func (m *Machine) divide(k *kernelRun) {
	fit, _ := m.cfg.Residency(&k.tk)
	ctas := uint64(fit * m.cfg.SM.Count)
	if m.waves == nil || k.native <= leastWaves*ctas || uint64(k.tk.CTAs) != k.native || k.tk.WarpInsts%k.native != 0 {
		return
	}
	k.waves = &waves{sampler: m.waves, ctas: ctas, insts: k.tk.WarpInsts / k.native}
}

// waveEnded takes note of a CTA of a divided kernel that ended in cycle t. It returns an error if the trace is damaged.
func (u *ctaScheduler) waveEnded(k *kernelRun, c *ctaRun, t Time) error {
	w := k.waves
	if c.Rec.WarpInsts != w.insts || !k.alone {
		w.sampler = nil
	}
	if w.sampler == nil || k.done%w.ctas != 0 {
		return nil
	}
	if w.asked {
		w.sampler.Ran(&k.tk, t-w.end, nil)
	}
	w.end, w.asked = t, false
	left := k.Left
	for k.Left >= 2*w.ctas { // the last ones end in their own way
		cycles, _, ok := w.sampler.Skip(&k.tk)
		if w.asked = !ok; w.asked {
			break
		}
		k.Left -= w.ctas
		w.skipped += cycles
	}
	if left == k.Left {
		return nil
	}
	k.rec.Inferred = trace.InferredSample
	k.next += left - k.Left
	k.CTAs -= left - k.Left
	if k.pending != nil {
		u.kernels.spareCTAs = append(u.kernels.spareCTAs, k.pending)
	}
	var err error
	k.pending = nil
	k.cursor, err = u.tr.CTAs(k.ID, uint32(k.next))
	return err
}

// later is how many cycles after its last CTA a kernel ends, for the waves that are left out.
func (w *waves) later() Time {
	if w == nil {
		return 0
	}
	return w.skipped
}
