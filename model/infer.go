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
// machine, if nil): each CTA holds its place for as many cycles as [Config].hold
// finds for that GPU, and for as many on this machine (model.md, "Traces with
// less in them"; MODEL.md, choice 18). A kernel without a duration holds each CTA
// for one cycle; one without a grid is a single CTA that needs nothing of an SM.
// What is inferred stands in the tables.

// infer prepares a kernel whose work is inferred, if it is.
func (k *kernelRun) infer(m *Machine) {
	k.work = InferredOf(&k.tk)
	k.rec.Inferred = k.work
	if !k.work.held() {
		return
	}
	from := m.captured()
	room := uint64(1)
	if k.total == 0 {
		k.native, k.total, k.Left = 1, 1, 1
		k.res = Resources{}
	} else {
		resident, _ := from.Residency(&k.tk)
		room = uint64(max(1, resident) * from.SM.Count)
	}
	k.inferred = 1
	if k.work == InferredTime {
		k.inferred = from.hold(nsToCycles(k.tk.Recorded.DurationNs, from), k.total, room)
	}
}

// hold returns for how long each of n CTAs holds its place, of which there are so
// many, for their kernel to take a duration from its first CTA to its end. p CTAs
// are placed in a cycle (of a fraction, up to a cycle sooner or later), each a cycle after the one before it in its place has
// ended, and the kernel ends a cycle after its last CTA. With w waves, the last CTA being the
// s-th of its wave, that is
//
//	duration = ⌊s/p⌋ + w·(hold + 1)
//
// unless places are free before all have been filled; then the CTAs come at the
// pace of placing, and duration = ⌊(n-1)/p⌋ + hold + 1. What a CTA takes to start
// is part of the hold. No CTA holds its place for less than a cycle, so that a
// kernel takes at least as long as placing its CTAs.
func (c *Config) hold(duration Time, n, room uint64) Time {
	p := newCTAPace(c.KMU.CTAsPerCycle)
	last := n - 1
	waves := Time(last/room + 1)
	hold := (duration-p.cycles(last%room))/waves - 1
	if waves > 1 && hold+1 < p.cycles(room) {
		hold = duration - p.cycles(last) - 1
	}
	return max(1, hold-Time(c.SM.CTALaunchLatency))
}
