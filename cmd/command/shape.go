package command

import (
	"fmt"

	"gpureplay/model/host"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// shape is the sums of the records of a trace's kernels; a profiler's capture has only these.
type shape struct {
	gridCTAs, streams, gridless uint64
	programmatic                uint64 // launches
	spanNs                      int64  // as of [host.Capture]; -1: no times
}

func shapeOf(r *container.Reader) (shape, error) {
	s := shape{spanNs: -1}
	streams := map[uint64]bool{}
	var k trace.Kernel
	for id := range r.Kernels() {
		if err := r.Kernel(uint32(id), &k); err != nil {
			return s, err
		}
		s.gridCTAs += k.Grid.Count()
		streams[k.Stream] = true
		if k.Flags&trace.KernelProgrammatic != 0 {
			s.programmatic++
		}
		if k.Grid.Count() == 0 {
			s.gridless++
		}
	}
	s.streams = uint64(len(streams))
	times, err := host.ReadCapture(r)
	if err == nil && times.Timed {
		s.spanNs = times.SpanNs()
	}
	return s, err
}

// span is the span for machines: nil where there are no times.
func (s shape) span() any {
	if s.spanNs < 0 {
		return nil
	}
	return s.spanNs
}

// String continues "12 kernels" of a trace without CTAs.
func (s shape) String() string {
	text := fmt.Sprintf(" on %s streams, %s CTAs in their grids", commas(s.streams), commas(s.gridCTAs))
	if s.gridless > 0 {
		text += fmt.Sprintf(" (%s kernels have none)", commas(s.gridless))
	}
	if s.spanNs >= 0 {
		text += fmt.Sprintf(", recorded end to end %s ms", milliseconds(s.spanNs))
	}
	return text
}

// milliseconds writes nanoseconds as milliseconds with three digits.
func milliseconds(ns int64) string { return fmt.Sprintf("%.3f", float64(ns)/1e6) }
