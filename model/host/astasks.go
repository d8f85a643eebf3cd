package host

import (
	"fmt"
	"slices"

	"gpureplay/trace"
	"gpureplay/trace/container"
)

// AsTasks says whether the host's launches are run as narrow tasks.
type AsTasks uint8

const (
	NotTasks         AsTasks = iota // launches are launches
	TasksIndependent                // every launch is a task that waits for none
	// every launch is a task that waits for those that its stream, events and the host wait for
	TasksInStreams
)

// String is the word that chooses it.
func (a AsTasks) String() string { return [...]string{"no", "independent", "streams"}[a] }

// Assumption names the assumption behind running launches as tasks, as a sentence.
func (a AsTasks) Assumption() string {
	const common = "each kernel launch of the capture is run as a narrow task, all of them there at the start; the " +
		"capture's copies, host work and idle times are left out, since the trace does not say which task they belong to"
	switch a {
	case TasksIndependent:
		return common + "; tasks are taken to be independent of each other, which the capture does not say"
	case TasksInStreams:
		return common + "; a task waits for the one before it in its stream and for what events and the host's " +
			"synchronisations make it wait for"
	}
	return ""
}

// ParseAsTasks reads the word of an [AsTasks]; "" is independent. It returns an error for an unknown word.
func ParseAsTasks(word string) (AsTasks, error) {
	for _, a := range []AsTasks{NotTasks, TasksIndependent, TasksInStreams} {
		if word == a.String() {
			return a, nil
		}
	}
	return NotTasks, fmt.Errorf("--as-tasks=%s: want independent or streams", word)
}

// LaunchOrder finds the launches that a launch depends on when launches are run as tasks.
type LaunchOrder struct {
	last   map[uint64]uint32   // per stream: the kernel launched last
	extra  map[uint64][]uint32 // per stream: further kernels that its next one waits for
	events map[uint64][]uint32 // kernels that an event waits for
	kernel trace.Kernel
}

func (l *LaunchOrder) Init() {
	l.last, l.extra, l.events = make(map[uint64]uint32), make(map[uint64][]uint32), make(map[uint64][]uint32)
}

// Convert turns an operation of a capture into one of a program of tasks. A wait is for the task of op.Kernel and
// the tasks of op.Deps. ok: it has one. It returns an error if the trace cannot be read.
func (l *LaunchOrder) Convert(tr *container.Reader, as AsTasks, op *trace.HostOp) (ok bool, err error) {
	independent := as == TasksIndependent
	switch op.Kind {
	case trace.OpSpawn, trace.OpWaitTask, trace.OpSyncDevice:
		return true, nil
	case trace.OpLaunch:
		if err := tr.Kernel(op.Kernel, &l.kernel); err != nil {
			return false, err
		}
		op.Kind, op.ArrivalNs, op.InBytes, op.InCopies, op.OutBytes, op.Deps = trace.OpSpawn, 0, 0, 0, 0, op.Deps[:0]
		op.Sync = Synchronises(&tr.Program().Functions[l.kernel.Function])
		if !independent {
			op.Deps = append(op.Deps, l.behind(op.Stream)...)
			delete(l.extra, op.Stream)
			l.last[op.Stream] = op.Kernel
		}
		return true, nil
	case trace.OpEventRecord:
		l.events[op.Event] = l.behind(op.Stream)
	case trace.OpStreamWait:
		l.extra[op.Stream] = append(l.extra[op.Stream], l.events[op.Event]...)
	case trace.OpSyncStream, trace.OpSyncEvent:
		waits := l.events[op.Event]
		if op.Kind == trace.OpSyncStream {
			waits = l.behind(op.Stream)
		}
		if independent || len(waits) == 0 {
			return false, nil
		}
		op.Kind, op.Kernel, op.Deps = trace.OpWaitTask, waits[0], append(op.Deps[:0], waits[1:]...)
		return true, nil
	}
	return false, nil
}

// behind lists the kernels that must have ended before the next one of a stream.
func (l *LaunchOrder) behind(stream uint64) []uint32 {
	all := slices.Clone(l.extra[stream])
	if k, had := l.last[stream]; had {
		all = append(all, k)
	}
	return all
}

// Synchronises reports whether a function has a barrier.
func Synchronises(f *trace.Function) bool {
	for i := range f.Insts {
		if f.Insts[i].Class == trace.ClassBarrier {
			return true
		}
	}
	return false
}
