package model

import "gpureplay/trace"

// Inferred says what a replay has to infer of a kernel's work, because the trace
// does not have it.
type Inferred uint8

const (
	InferredNothing  Inferred = iota // every warp instruction is from the trace
	InferredOrder                    // the trace counts instructions: their order, their dependences and who executes them
	InferredAccesses                 // the trace says what CTAs touch: the instructions that do
	InferredTime                     // a CTA holds its place for a share of the recorded duration
	InferredAll                      // not even that is known: a CTA holds its place for a cycle
	numInferred      = iota
)

var inferredWords = [numInferred]string{"nothing", "order", "accesses", "time", "all"}

// InferredWords are the words that values of [Inferred] print as, in order.
func InferredWords() []string { return inferredWords[:] }

// String returns the word of the tables: "order".
func (i Inferred) String() string { return inferredWords[i] }

// InferredOf says what is inferred of a kernel. Of one whose warps the trace does
// not have, a recorded duration goes before its counts (MODEL.md, choice 18).
func InferredOf(k *trace.Kernel) Inferred {
	timed := k.Recorded != nil && k.Recorded.DurationNs > 0
	switch {
	case k.Fidelity == trace.FidelityWarp, k.Fidelity < trace.FidelityCTA && k.WarpInsts > 0:
		return InferredNothing
	case timed:
		return InferredTime
	case k.Fidelity < trace.FidelityCTA, k.CTAs == 0:
		return InferredAll
	case k.WarpInsts > 0:
		return InferredOrder
	}
	return InferredAccesses
}

// held reports whether CTAs hold their places for a time that is inferred.
func (i Inferred) held() bool { return i >= InferredTime }

// A kernel whose work is inferred from its recorded duration takes it when it
// runs alone on the GPU that it was captured on ([Options].Captured; this
// machine, if nil). A CTA then holds its place for
//
//	duration / waves, waves = ceil(CTAs / (CTAs that fit the captured GPU))
//
// cycles of the captured GPU, and for as many cycles on this machine (model.md,
// "Traces with less in them"; MODEL.md, choice 18). A kernel without a duration
// holds each CTA for one cycle; one without a grid is a single CTA that needs
// nothing of an SM. What is inferred stands in the tables.

// infer prepares a kernel whose work is inferred, if it is.
func (k *kernelRun) infer(m *Machine) {
	k.work = InferredOf(&k.tk)
	k.rec.Inferred = k.work
	if !k.work.held() {
		return
	}
	from := m.captured
	var duration Time
	if k.work == InferredTime {
		duration = nsToCycles(k.tk.Recorded.DurationNs, from)
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
