package capture

import (
	"fmt"

	"gpureplay/model/host"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Trust grades a capture.
type Trust uint8

const (
	Believable Trust = iota // its records agree with each other
	WithCare                // some of its records are missing or wrong
	Doubtful                // so many are that its times say little
)

// String returns the words of the verdict: "with care".
func (t Trust) String() string { return [...]string{"yes", "with care", "no"}[t] }

// Finding is one fact about a capture's records.
type Finding struct {
	Name  string // "calls paired"
	Value string
	Trust Trust // that this fact alone allows
}

// Verdict says whether a capture can be believed.
type Verdict struct {
	Findings []Finding
	Trust    Trust // the least of the findings
}

// Shares of records beyond which a capture is to be taken with care, or doubtful.
const (
	careShare  = 0.01
	doubtShare = 0.10
)

// Judge checks the records of a capture against each other, by the converter's counts. ok is false for a
// trace without recorded times. It fails if the trace is damaged.
func Judge(r *container.Reader) (v Verdict, ok bool, err error) {
	times, err := host.ReadCapture(r)
	if err != nil || !times.Timed {
		return v, false, err
	}
	counts := map[string]uint64{}
	for _, d := range r.Program().Diagnostics {
		counts[d.Name] += d.Count
	}
	work, called, err := countWork(r)
	if err != nil {
		return v, false, err
	}
	v.pairing(work, called)
	v.note("clock offset", counts["clock_offset"], "activities moved to the host's clock", "none")
	v.note("host threads", counts["host_threads"], "threads", "1 thread")
	v.faults("impossible times", work, counts, "overrun", "negative_duration", "event_without_end")
	v.note("overlaps in a stream", counts["stream_overlap"], "kernels", "none")
	v.faults("lost records", work+counts["call_without_activity"], counts, "call_without_activity", "lost_time",
		"unknown_duration", "cut_short", "bad_row", "bad_value", "event_without_time", "record_without_time",
		"replayed_dispatch", "whole_graph")
	for _, f := range v.Findings {
		v.Trust = max(v.Trust, f.Trust)
	}
	return v, true, nil
}

// countWork counts kernels, copies and memory sets, and how many of them have a call.
func countWork(r *container.Reader) (work, called uint64, err error) {
	var k trace.Kernel
	for op, err := range trace.Each(r.HostOps()) {
		if err != nil {
			return 0, 0, err
		}
		at := op.Recorded
		switch {
		case op.Kind == trace.OpLaunch:
			if err := r.Kernel(op.Kernel, &k); err != nil {
				return 0, 0, err
			}
			at = k.Recorded
		case !op.Kind.IsCopy():
			continue
		}
		if work++; at != nil && at.HostNs >= 0 {
			called++
		}
	}
	return work, called, nil
}

// pairing adds the share of work with a call. Without any call the host is unknown, as of a
// profiler of the device alone.
func (v *Verdict) pairing(work, called uint64) {
	f := Finding{Name: "calls paired", Value: fmt.Sprintf("%d of %d kernels and copies", called, work)}
	switch missing := share(work-called, work); {
	case called == 0:
		f.Value, f.Trust = "none: the device alone was recorded, the host's times are unknown", WithCare
	case missing > doubtShare:
		f.Trust = WithCare
	}
	v.Findings = append(v.Findings, f)
}

// note adds a fact that takes nothing from the trust: the converter has corrected it.
func (v *Verdict) note(name string, n uint64, unit, none string) {
	f := Finding{Name: name, Value: none}
	if n > 0 {
		f.Value = fmt.Sprintf("%d %s", n, unit)
	}
	v.Findings = append(v.Findings, f)
}

// faults adds the sum of counters, as a share of the capture's work.
func (v *Verdict) faults(name string, of uint64, counts map[string]uint64, counters ...string) {
	f, sum := Finding{Name: name, Value: "none"}, uint64(0)
	for _, c := range counters {
		if n := counts[c]; n > 0 {
			if sum == 0 {
				f.Value = ""
			} else {
				f.Value += ", "
			}
			f.Value += fmt.Sprintf("%d %s", n, c)
			sum += n
		}
	}
	switch part := share(sum, of); {
	case part > doubtShare:
		f.Trust = Doubtful
	case sum > 0 && (part > careShare || counts["cut_short"] > 0):
		f.Trust = WithCare
	}
	v.Findings = append(v.Findings, f)
}

func share(n, of uint64) float64 { return float64(n) / float64(max(1, of)) }
