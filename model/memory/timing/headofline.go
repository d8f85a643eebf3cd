package timing

import "math"

// HeadOfLine is how long the packet at the head of an input's queue waits for its output. Outputs that are taken
// for a share of the cycles make it wait like a customer of a queue with random arrivals and constant service
// (Karol, Hluchyj and Morgan, 1987). Requests are timed before others that contend with them, so that they meet
// less contention than on the machine (docs/model, choice 22).
type HeadOfLine struct {
	waits [129]Time // by taken cycles of 128, in parts of a cycle
}

// waitParts are the parts of a cycle in which waits are added up.
const (
	waitShift = 8
	waitParts = 1 << waitShift
)

// mostOwed is the most that is made good: the cycles that loads are seen of.
const mostOwed = 128 * waitParts

// NewHeadOfLine returns the waits of a crossbar of so many inputs and outputs.
func NewHeadOfLine(inputs, outputs int) *HeadOfLine {
	h := &HeadOfLine{}
	c := float64(inputs) / float64(outputs)
	most := 1 + c - math.Sqrt(1+float64(c*c)) // the share at which all inputs have a queue
	for n := range h.waits {
		share := min(float64(n)/128, most)
		h.waits[n] = Time(math.Round(waitParts * share / (2 * (1 - share))))
	}
	return h
}

// Held returns for how many cycles a packet holds its input that may go to an output from t on. It is at least its own
// wait, and more where packets before it have waited less than the mean. A packet that has waited longer is made good
// by those after it.
func (h *HeadOfLine) Held(output *Reservations, t, waits Time, owed *Time) Time {
	n := -1
	if output.ratio == nil {
		n = output.loadNear(t >> 6)
	}
	if n < 0 {
		n = output.load(t)
	}
	o := *owed + h.waits[n] - waits<<waitShift
	if o < waitParts { // nothing more
		*owed = max(o, -mostOwed)
		return waits
	}
	*owed = o & (waitParts - 1)
	return waits + o>>waitShift
}
