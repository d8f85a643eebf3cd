package audit

import (
	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/trace/container"
)

// Run holds the facts of a run that an auditor needs before it.
type Run struct {
	Trace         *container.Reader
	Machine       *hardware.Config
	Policy        *model.Policy
	WarpScheduler string // its name, on the machine
	AsTasks       host.AsTasks
	CopiesAsTimed bool                    // copies take the time that was recorded
	HostAsTimed   bool                    // calls take their recorded time, and kernels overlap as recorded
	Captured      func() *hardware.Config // GPU of the capture; nil: Machine
}

// New returns the auditor of a run. It fails where the trace cannot be read.
func New(run *Run) (*Auditor, error) {
	p := run.Policy
	a, err := newAuditor(run.Trace, run.Machine, p, run.AsTasks)
	if err != nil {
		return nil, err
	}
	switch d := p.Dependency.(type) {
	case model.AccessDependency:
		a.hazards.shift = d.Grain(run.Machine)
	case model.CTADependency:
		a.hazards.byCTA()
		if _, ok := d.(model.WarpDependency); ok {
			a.chain = newChainBook(a)
			a.chain.follows()
		}
	}
	a.own = p.Audits(run.Trace, run.Machine, a.fail)
	a.entries = tableEntries(p)
	a.issues.picks = newPicks(a, run.WarpScheduler, p)
	a.captured, a.freed = p.Host == host.Captured, p.Host == host.Freed
	a.timed = a.captured || run.CopiesAsTimed
	a.overlaps = a.captured || run.HostAsTimed && !a.freed && !p.Host.Serial()
	a.origin = run.Machine
	if run.Captured != nil {
		a.origin = run.Captured()
	}
	a.crowded = model.CrowdedIn(run.Trace, a.origin)
	return a, nil
}

// Observers are the auditor and those that the policy brings.
func (a *Auditor) Observers() model.Observers { return append(model.Observers{a}, a.own...) }

// Watcher is an observer of a run that passes its records to the auditor's observers.
type Watcher interface {
	model.Observer
	model.PlacementObserver
	model.SuspensionObserver
}

// Beside returns the observer that the machine gets: a watcher that also receives every
// instruction and, where kernels overlap, of every access.
func (a *Auditor) Beside(w Watcher) model.Observer {
	if a.hazards != nil {
		return accessWatcher{instWatcher{w, a.memory, a.issues}, a.hazards}
	}
	return instWatcher{w, a.memory, a.issues}
}

// instWatcher is a watcher that is told of instructions, and of the memory behind them.
type instWatcher struct {
	Watcher
	*memoryBook
	issues *issues
}

// Inst makes the watcher an exec.InstObserver.
func (w instWatcher) Inst(r *exec.InstRecord) { w.issues.issued(r) }

// accessWatcher is a watcher that is told of accesses too.
type accessWatcher struct {
	instWatcher
	hazards *hazards
}

// Access makes the watcher an exec.AccessObserver.
func (w accessWatcher) Access(r *exec.AccessRecord) { w.hazards.access(r) }
