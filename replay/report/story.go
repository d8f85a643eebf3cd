package report

import (
	"context"
	"gpureplay/replay/capture"
)

// Most that the sections of captures read: ranks, and policies of each.
const (
	maxRanks   = 64
	maxStories = 8
)

// readStories reads the GPU's work in each capture and in its replays, kernel by kernel.
func (s *source) readStories(ctx context.Context, _ []compared) error {
	ranks := 0
	for _, g := range s.groups() {
		runs := g.mostFirst()[0]
		if runs[0].recordedNs == 0 || ranks == maxRanks {
			continue
		}
		ranks++
		runs[0].recorded = &capture.Activity{Recorded: true, Ns: runs[0].recordedNs}
		for _, r := range runs[:min(len(runs), maxStories)] {
			r.story = &capture.Activity{Policy: r.policy, Ns: r.ns}
		}
	}
	if ranks == 0 {
		return nil
	}
	for name, f := range map[string]func(*run, row){"kernels": (*run).kernelSpans, "stages": (*run).stageSpans,
		"calls": (*run).callSpans} {
		if err := s.eachOf(ctx, name, f); err != nil {
			return err
		}
	}
	for _, r := range s.runs {
		r.begin()
	}
	return nil
}

// cycle is a time of a run in ns; not ok where it is NULL.
func (r *run) cycle(at row, column string) (int64, bool) {
	x, ok := at.float(column)
	return int64(x * float64(r.ns) / float64(max(1, r.cycles))), ok
}

// kernelSpans takes a row of the table kernels.
func (r *run) kernelSpans(at row) {
	s := capture.Span{Name: at.text("function"), Stream: at.int("stream"), Asked: -1}
	if r.story != nil {
		from, ok1 := r.cycle(at, "first_cta_cycles")
		to, ok2 := r.cycle(at, "end_cycles")
		if ok1 && ok2 {
			one := s
			one.From, one.To = from, to
			if asked, ok := r.cycle(at, "arrive_cycles"); ok {
				one.Asked = asked
			}
			r.story.Kernels = append(r.story.Kernels, one)
		}
	}
	if r.recorded != nil {
		if asked, ok := at.float("recorded_host_ns"); ok {
			s.Asked = int64(asked)
		}
		r.recorded.Kernels = addRecorded(r.recorded.Kernels, at, s)
	}
}

// addRecorded adds a span that has a recorded time.
func addRecorded(all []capture.Span, at row, s capture.Span) []capture.Span {
	from, ok1 := at.float("recorded_start_ns")
	length, ok2 := at.float("recorded_duration_ns")
	if !ok1 || !ok2 {
		return all
	}
	s.From, s.To = int64(from), int64(from)+int64(length)
	return append(all, s)
}

// stageSpans takes a row of the table stages.
func (r *run) stageSpans(at row) {
	if r.story == nil {
		return
	}
	from, ok1 := r.cycle(at, "start_cycles")
	to, ok2 := r.cycle(at, "end_cycles")
	if name := at.text("stage"); ok1 && ok2 && (name == "h2d" || name == "d2h") {
		r.story.Copies = append(r.story.Copies, capture.Span{Name: name, From: from, To: to, Bytes: at.int("bytes")})
	}
}

// callSpans takes a row of the table calls: kernels are in the table kernels.
func (r *run) callSpans(at row) {
	if name := at.text("call"); r.recorded != nil && name != "launch" {
		r.recorded.Copies = addRecorded(r.recorded.Copies, at, capture.Span{Name: name, Bytes: at.int("bytes")})
	}
}

// begin finds where the recorded time starts: it ends with the last work.
func (r *run) begin() {
	a := r.recorded
	if a == nil {
		return
	}
	end := int64(0)
	for _, list := range [][]capture.Span{a.Kernels, a.Copies} {
		for _, s := range list {
			end = max(end, s.To)
		}
	}
	a.Start = end - a.Ns
}

// activities are the subjects of a group's page: the capture first, then its replays; nil if it is of no capture.
func (g *group) activities() (all []*capture.Activity) {
	for _, r := range g.runs {
		if r.recorded != nil {
			all = append(all, r.recorded)
		}
	}
	for _, r := range g.runs {
		if r.story != nil && all != nil {
			all = append(all, r.story)
		}
	}
	return all
}

// nameOf is how a page calls an activity.
func nameOf(a *capture.Activity) string {
	if a.Recorded {
		return "recorded"
	}
	return a.Policy
}
