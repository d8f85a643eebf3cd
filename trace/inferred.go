package trace

// Inferred names the part of a kernel's work that a replay has to infer, because the trace does not have it.
type Inferred uint8

const (
	InferredNothing  Inferred = iota // every warp instruction is from the trace
	InferredOrder                    // the trace counts instructions: their order, their dependences and who executes them
	InferredAccesses                 // the trace has the bytes that CTAs touch: the instructions that touch them
	InferredTime                     // a CTA holds its place for a share of the recorded duration
	InferredAll                      // not even that is known: a CTA holds its place for a cycle
	InferredSample                   // its time is the one of kernels like it: it was not simulated
	numInferred      = iota
)

var inferredWords = [numInferred]string{"nothing", "order", "accesses", "time", "all", "sampled"}

// InferredWords are the words that values of [Inferred] print as, in order.
func InferredWords() []string { return inferredWords[:] }

// String returns the word of the tables: "order".
func (i Inferred) String() string { return inferredWords[i] }

// InferredOf returns the part of a kernel that is inferred. For a kernel without warps in the trace, a recorded
// duration goes before its counts (docs/model, choice 18).
func InferredOf(k *Kernel) Inferred {
	timed := k.Recorded != nil && k.Recorded.DurationNs > 0
	switch {
	case k.Fidelity == FidelityWarp, k.Fidelity < FidelityCTA && k.WarpInsts > 0:
		return InferredNothing
	case timed:
		return InferredTime
	case k.Fidelity < FidelityCTA, k.CTAs == 0:
		return InferredAll
	case k.WarpInsts > 0:
		return InferredOrder
	}
	return InferredAccesses
}

// Held reports whether CTAs hold their places for a time that is inferred.
func (i Inferred) Held() bool { return i >= InferredTime }
