package host

import (
	"errors"
	"io"
	"slices"

	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Capture sums up the recorded times of a trace.
type Capture struct {
	Timed   bool  // something has a time
	Origin  int64 // where the host's program begins, in ns of the capture
	End     int64 // where the last of its work ends
	usual   [2]int64
	few     bool // copies that did not wait
	engines engines
	idle    []span // when the device did nothing, for longer than is usual for a launch

	// BoundaryNs is the median time from the end of a kernel to the begin of the next of its stream, of kernels
	// that had been launched by then. -1: there is none.
	BoundaryNs int64
}

// boundary is the time between two kernels of a stream, and how long the second had
// been launched when the first ended.
type boundary struct{ gap, queued int64 }

// boundary returns the median of those that were launched in time.
func (c *Capture) boundary(all []boundary) int64 {
	var gaps []int64
	for _, b := range all {
		if b.queued > c.usual[delayOfLaunch] {
			gaps = append(gaps, b.gap)
		}
	}
	if len(gaps) == 0 {
		return -1
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// The kinds of work with a usual delay from call to start.
const (
	delayOfLaunch = iota
	delayOfCopy
)

func kindOfDelay(k trace.OpKind) int {
	if k == trace.OpLaunch {
		return delayOfLaunch
	}
	return delayOfCopy
}

// fewDelays are too few for a usual delay.
const fewDelays = 8

// mostDelays bounds the memory of a median.
const mostDelays = 1 << 16

// hostTime is the time of a host thread so far, and the part in which its launch loaded code, ns.
type hostTime struct{ all, loading int64 }

// ReadCapture reads the times of a trace. Its origin is the earliest recorded call, or begin of work without a
// call. Of the first operation it is earlier by the host's time before it, except a launch's loading of code, which
// is behind its call. It fails if the trace is damaged.
func ReadCapture(tr *container.Reader) (*Capture, error) {
	c := &Capture{}
	var delays [2][]int64
	var boundaries []boundary
	var works []span
	kernels := map[uint64]bool{} // whether the last of a stream was one
	last := map[uint64]int64{}
	ops := tr.HostOps()
	var op trace.HostOp
	var k trace.Kernel
	spent := map[uint32]*hostTime{}
	for {
		switch err := ops.Next(&op); {
		case errors.Is(err, io.EOF):
			c.finish(&delays, boundaries, works)
			return c, nil
		case err != nil:
			return nil, err
		}
		by := spent[op.Thread]
		if by == nil {
			by = &hostTime{}
			spent[op.Thread] = by
		}
		r := op.Recorded
		if op.Kind == trace.OpLaunch {
			if err := tr.Kernel(op.Kernel, &k); err != nil {
				return nil, err
			}
			r = k.Recorded
		}
		if r == nil || r.StartNs < 0 {
			by.all, by.loading = by.all+op.Ns, op.Ns
			continue
		}
		if op.Kind != trace.OpLaunch || op.Ns > 0 || r.HostNs < 0 {
			by.loading = 0
		}
		c.begins(r, by.all-by.loading)
		loaded := op.Ns + by.loading
		by.loading = 0
		kind := kindOfDelay(op.Kind)
		free := kind == delayOfLaunch || c.engines.free(op.Kind, r.HostNs)
		if r.HostNs >= 0 && last[op.Stream] <= r.HostNs && free && len(delays[kind]) < mostDelays {
			delays[kind] = append(delays[kind], max(0, r.StartNs-r.HostNs))
		}
		if was := last[op.Stream]; kind == delayOfLaunch && kernels[op.Stream] && r.HostNs >= 0 && r.StartNs >= was &&
			len(boundaries) < mostDelays {
			boundaries = append(boundaries, boundary{r.StartNs - was, was - r.HostNs - loaded})
		}
		kernels[op.Stream] = kind == delayOfLaunch
		end := r.StartNs + max(0, r.DurationNs)
		if kind == delayOfCopy {
			c.engines.copied(op.Kind, r)
		}
		works = append(works, span{r.StartNs, end})
		last[op.Stream], c.End = max(last[op.Stream], end), max(c.End, end)
	}
}

// finish finds the usual delays, once all has been read.
func (c *Capture) finish(delays *[2][]int64, boundaries []boundary, works []span) {
	for i, d := range delays {
		if slices.Sort(d); len(d) > 0 {
			c.usual[i] = d[len(d)/2]
		}
	}
	c.few = len(delays[delayOfCopy]) < fewDelays
	c.BoundaryNs = c.boundary(boundaries)
	c.idle = idle(works, c.usual[delayOfLaunch])
}

// begins moves the origin to where an operation was called, or began; the host had
// worked for a time before the first.
func (c *Capture) begins(r *trace.Recorded, worked int64) {
	at := r.StartNs
	if r.HostNs >= 0 {
		at = r.HostNs
	}
	if !c.Timed {
		c.Timed, c.Origin = true, at-worked
	}
	c.Origin = min(c.Origin, at)
}

// SpanNs is from the origin to the end.
func (c *Capture) SpanNs() int64 { return c.End - c.Origin }
