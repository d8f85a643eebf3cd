package policies

import "gpureplay/model"

// ccqs is SPAWN's child CTA queuing system: the metrics that its controller
// reads, as registers of the grid management unit would hold them (SPAWN paper,
// section IV.B).
type ccqs struct {
	n        int64 // child CTAs that have entered and have not finished
	finished int64
	total    int64 // their execution times
	running  int64 // child CTAs on SMs

	window  model.Time // start of the current window
	area    int64      // running CTAs summed over its cycles so far
	at      model.Time
	nCon    int64 // of the window before
	held    int64 // of the last window in which it was not 0
	warps   int64 // child warps that finished in the window
	warpSum int64
	tWarp   int64 // of the last window in which one finished

	last changes // of the latest cycle in which something ended
	most int64   // largest time that a counter holds; 0: any
}

// changes are one cycle's changes of the registers. They are seen from the next cycle on, so that a request sees
// the same whatever SM it comes from: SMs act one after another in a cycle (docs/policies, choice 12 of the child
// launches).
type changes struct {
	at              model.Time
	ctas, cta       int64 // that ended, and how long they ran together
	warps, warpTime int64
}

// ccqsWindow is the width of a window: 2^10 cycles, so that the mean is a shift.
const ccqsWindow = 1 << ccqsShift

const ccqsShift = 10

// queueMetrics are the controller's registers about the child CTAs under way.
type queueMetrics struct {
	N     int64 // child CTAs that have entered and have not finished
	NCon  int64 // mean concurrent child CTAs of the last window
	Held  int64 // the same of the last window in which it was not 0; 0: there was none
	TCTA  int64 // mean execution time of the finished child CTAs, cycles; 0: none yet
	TWarp int64 // mean execution time of child warps of the last window in which one finished
}

// metrics returns the registers at the start of cycle t.
func (q *ccqs) metrics(t model.Time) queueMetrics {
	q.roll(t)
	m := queueMetrics{N: q.n, NCon: q.nCon, Held: q.held, TWarp: q.tWarp}
	if q.finished > 0 {
		m.TCTA = q.total / q.finished
	}
	return m
}

// roll brings the registers to the start of cycle t.
func (q *ccqs) roll(t model.Time) {
	if c := q.last; c.at < t && c.ctas+c.warps > 0 {
		q.last = changes{}
		q.pass(c.at)
		q.running -= c.ctas
		q.n -= c.ctas
		q.finished += c.ctas
		q.total += c.cta
		q.warps += c.warps
		q.warpSum += c.warpTime
	}
	q.pass(t)
}

// pass closes the windows that end at or before t.
func (q *ccqs) pass(t model.Time) {
	for t >= q.window+ccqsWindow {
		end := q.window + ccqsWindow
		q.nCon = (q.area + q.running*(end-q.at)) >> ccqsShift
		q.area, q.at, q.window = 0, end, end
		if q.warps > 0 {
			q.tWarp = q.warpSum / q.warps
			q.warps, q.warpSum = 0, 0
		}
		q.hold()
		if skip := (t - q.window) / ccqsWindow; skip > 1 { // windows in which nothing changes
			q.nCon = q.running
			q.hold()
			q.window += (skip - 1) * ccqsWindow
			q.at = q.window
		}
	}
	q.area += q.running * (t - q.at)
	q.at = t
}

// hold keeps the mean of a window in which children ran.
func (q *ccqs) hold() {
	if q.nCon > 0 {
		q.held = q.nCon
	}
}

func (q *ccqs) enter(ctas int64) { q.n += ctas }

func (q *ccqs) started(t model.Time) {
	q.roll(t)
	q.running++
}

func (q *ccqs) ended(t, took model.Time) {
	q.roll(t)
	q.last.at = t
	q.last.ctas++
	q.last.cta += q.counted(took)
}

func (q *ccqs) warpEnded(t, took model.Time) {
	q.roll(t)
	q.last.at = t
	q.last.warps++
	q.last.warpTime += q.counted(took)
}

// counted is a time as the counter of a CTA or a warp holds it: it stops at the
// largest number of its bits.
func (q *ccqs) counted(took model.Time) int64 {
	if q.most > 0 {
		return min(took, q.most)
	}
	return took
}
