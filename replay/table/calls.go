package table

import "gpureplay/trace"

// Call is one call of the host that a capture recorded: a launch, a copy or a memset.
type Call struct {
	Op       *trace.HostOp
	Recorded *trace.Recorded
	Function string // of a launch
	Scope    string // the NVTX ranges and steps around the call, outermost first, with " / " between them
}

// callNs is a recorded time or duration; NULL where the source has none.
func callNs(name, doc string, get func(*Call) int64) column[Call] {
	return i64(name, doc, func(r *Call) (int64, bool) {
		v := get(r)
		return v, v >= 0
	})
}

func init() {
	register(table[Call]{
		Name: "calls", Row: "one call of the host that a capture recorded: a launch, a copy or a memset",
		Order: "of the host's program",
		Place: 45, Small: true,
		Columns: func() []column[Call] {
			return []column[Call]{
				text("call", "The kind of operation, as the text form of traces calls it.", false, func(r *Call) string {
					return r.Op.Kind.String()
				}),
				i64("kernel", "The kernel that it launches.", func(r *Call) (int64, bool) {
					return int64(r.Op.Kernel), r.Op.Kind == trace.OpLaunch
				}),
				text("function", "Name of the device function that it launches.", true, func(r *Call) string { return r.Function }),
				count("stream", "Its stream.", func(r *Call) uint64 { return r.Op.Stream }),
				count("thread", "The host thread that calls.", func(r *Call) uint32 { return r.Op.Thread }),
				text("scope", "The ranges around the call (NVTX, steps of a profiler), outermost first, with \" / \" "+
					"between them.", true,
					func(r *Call) string { return r.Scope }),
				count("bytes", "Bytes of a copy or a memset.", func(r *Call) uint64 { return r.Op.Bytes }),
				callNs("recorded_host_ns", "When the host called; NULL: the profiler saw the device alone.", func(r *Call) int64 {
					return r.Recorded.HostNs
				}),
				callNs("recorded_host_duration_ns", "For how long the call kept the host, beside its waits; NULL: likewise.",
					func(r *Call) int64 {
						if r.Recorded.HostNs < 0 {
							return -1
						}
						return r.Op.Ns
					}),
				callNs("recorded_start_ns", "When the work began on the device.", func(r *Call) int64 {
					return r.Recorded.StartNs
				}),
				callNs("recorded_duration_ns", "For how long it ran there.", func(r *Call) int64 { return r.Recorded.DurationNs }),
			}
		},
		From: func(f *feed, add func(*Call)) { f.calls.to(add) },
	})
}
