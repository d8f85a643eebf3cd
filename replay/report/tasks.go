package report

import "context"

// readLatency reads how long the tasks of the runs that are shown take.
func (s *source) readLatency(ctx context.Context, _ []compared) error {
	return s.eachOf(ctx, "tasks", func(x *run, r row) {
		if ns, ok := r.float("latency_ns"); ok && x.over != nil {
			x.latency.add(int64(ns))
		}
	})
}

// latencies are the plots of how long tasks take.
func (s *source) latencies(_ []*group, shown []compared) (all []figure) {
	for _, c := range shown {
		if f, ok := c.distribution("Latency of tasks", "µs", 1e-3, func(r *run) *spread { return &r.latency }); ok {
			f.Note += " From the host's request to the output on the host."
			all = append(all, f)
		}
	}
	return all
}
