package table

import (
	"gpureplay/model"
	"gpureplay/model/memory"
)

// feed passes a replay's records to its tables: for each kind of record the tables that are wanted and that listen
// to it. A kind to which none listens costs nothing, and telling never allocates.
type feed struct {
	// While it runs, each in the order of its end (see model.Observer). A
	// listener must copy what it keeps: the records are reused.
	kernels  listeners[model.KernelRecord]
	ctas     listeners[model.CTARecord]
	stages   listeners[model.StageRecord]
	launches listeners[model.LaunchRecord]
	pages    listeners[model.PageRecord]
	tasks    listeners[model.TaskRecord]
	samples  listeners[model.SampleRecord] // windows are taken only if a table listens

	// When it has ended, in this order; run comes once.
	run         listeners[Run]
	machine     listeners[Machine]
	settings    listeners[Setting]
	calls       listeners[Call]
	performance listeners[Performance]
	memory      listeners[memory.Record]
	diagnostics listeners[Diagnostic]
	audit       listeners[Audit]
	classes     listeners[Class]
	edges       listeners[Edge] // with gains, of a set without a run
}

// listeners take records R, in the order of their tables.
type listeners[R any] []func(*R)

// to adds a listener.
func (l *listeners[R]) to(f func(*R)) { *l = append(*l, f) }

func (l listeners[R]) tell(r *R) {
	for _, f := range l {
		f(r)
	}
}

// Observer returns an observer that appends a run's records to the wanted tables.
func (s *Set) Observer() model.Observer { return observer{&s.feed} }

type observer struct{ *feed }

func (o observer) Kernel(r *model.KernelRecord) { o.kernels.tell(r) }
func (o observer) CTA(r *model.CTARecord)       { o.ctas.tell(r) }
func (o observer) Stage(r *model.StageRecord)   { o.stages.tell(r) }
func (o observer) Launch(r *model.LaunchRecord) { o.launches.tell(r) }
func (o observer) Page(r *model.PageRecord)     { o.pages.tell(r) }
func (o observer) Task(r *model.TaskRecord)     { o.tasks.tell(r) }
func (o observer) Sample(r *model.SampleRecord) { o.samples.tell(r) }

// Samples reports whether a table that is wanted is made of sample windows.
func (s *Set) Samples() bool { return len(s.feed.samples) > 0 }

// Settings reports whether a table that is wanted is made of settings.
func (s *Set) Settings() bool { return len(s.feed.settings) > 0 }

// Calls reports whether a table that is wanted is made of the host's calls.
func (s *Set) Calls() bool { return len(s.feed.calls) > 0 }

// Call records one recorded call of the host.
func (s *Set) Call(r *Call) { s.feed.calls.tell(r) }

// Run records the replay's summary and the policy's own figures. [Set.Memory] records the memory's counts.
func (s *Set) Run(r *Run) { s.feed.run.tell(r) }

// Machine records the replay's machine.
func (s *Set) Machine(r *Machine) { s.feed.machine.tell(r) }

// Setting tells of one parameter.
func (s *Set) Setting(r *Setting) { s.feed.settings.tell(r) }

// Performance tells how fast the replay went.
func (s *Set) Performance(r *Performance) { s.feed.performance.tell(r) }

// Memory tells of one cache level or DRAM channel.
func (s *Set) Memory(r *memory.Record) { s.feed.memory.tell(r) }

// Diagnostic tells of one counted oddity of the trace or warning of the run.
func (s *Set) Diagnostic(r *Diagnostic) { s.feed.diagnostics.tell(r) }

// Audit tells of one violated rule.
func (s *Set) Audit(r *Audit) { s.feed.audit.tell(r) }

// Class tells of one class of kernels that repeat each other.
func (s *Set) Class(r *Class) { s.feed.classes.tell(r) }

// Edge tells of an edge with its gains, which no run has by itself.
func (s *Set) Edge(r *Edge) { s.feed.edges.tell(r) }
