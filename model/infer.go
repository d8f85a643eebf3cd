package model

import "gpureplay/trace"

// Kernels of which a trace has no CTA (profiler captures) are replayed at kernel
// fidelity: the work of a CTA is inferred so that the kernel takes its recorded
// duration when it runs alone on the GPU that it was captured on
// ([Options].Captured; this machine, if nil). A CTA then holds its place for
//
//	duration / waves, waves = ceil(CTAs / (CTAs that fit the captured GPU))
//
// cycles of the captured GPU, and for as many cycles on this machine (model.md,
// "Traces with less in them"; MODEL.md, choice 18). A kernel without a duration
// holds each CTA for one cycle; one without a grid is a single CTA that needs
// nothing of an SM. The fidelity stands in every table.

// infer prepares a kernel without CTAs.
func (k *kernelRun) infer(m *Machine) {
	from := m.captured
	var duration Time
	if r := k.tk.Recorded; r != nil && r.DurationNs > 0 {
		duration = nsToCycles(r.DurationNs, from)
	}
	if k.total == 0 {
		k.native, k.total, k.Left = 1, 1, 1
		k.res = Resources{}
		k.inferred = max(1, duration)
		return
	}
	resident, _ := from.Residency(&k.tk)
	room := uint64(max(1, resident) * from.SM.Count)
	waves := (k.total + room - 1) / room
	k.inferred = max(1, duration/Time(waves))
}

// noCTAs reports whether a trace says only that a kernel ran.
func noCTAs(k *trace.Kernel) bool {
	return k.CTAs == 0 && (k.Fidelity == trace.FidelityKernel || k.Fidelity == trace.FidelityNone)
}
