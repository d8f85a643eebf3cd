package table

import "gpureplay/model"

// Observer returns what appends a run's records to the tables that are wanted.
func (s *Set) Observer() model.Observer { return observer{s} }

type observer struct{ set *Set }

func (o observer) Kernel(r *model.KernelRecord) { o.set.kernels.append(r) }
func (o observer) CTA(r *model.CTARecord)       { o.set.ctas.append(r) }
func (o observer) Stage(r *model.StageRecord)   { o.set.stages.append(r) }
func (o observer) Launch(r *model.LaunchRecord) { o.set.launches.append(r) }
func (o observer) Page(r *model.PageRecord)     { o.set.pages.append(r) }
func (o observer) Task(r *model.TaskRecord)     { o.set.tasks.append(r) }
func (o observer) Sample(r *model.SampleRecord) { o.set.timeline.append(r) }

// Run appends the row of runs, and the policy's own figures to metrics. The
// rows of memory are appended by [Set.Memory].
func (s *Set) Run(r *Run) {
	s.runs.append(r)
	for i := range r.Extra {
		s.metrics.append(&r.Extra[i])
	}
}

// Performance appends the row of performance.
func (s *Set) Performance(r *Performance) { s.performance.append(r) }

// Memory appends one cache level or DRAM channel.
func (s *Set) Memory(r *model.MemoryRecord) { s.memory.append(r) }

// Diagnostic appends one counted oddity of the trace or warning of the run.
func (s *Set) Diagnostic(r *Diagnostic) { s.diagnostics.append(r) }

// Audit appends one violated rule.
func (s *Set) Audit(r *Audit) { s.audit.append(r) }
