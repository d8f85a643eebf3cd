package policies

import (
	"fmt"
	"math"

	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// TraceProfile are what a trace holds, as far as a policy may need it.
type TraceProfile struct {
	Fidelity      trace.Fidelity
	Kernels       uint64
	MemInsts      uint64
	ChildLaunches uint64
	Arrays        int
	FileReads     int
	Tasks         uint64
	TaskShared    uint32 // most shared memory of a threadblock of a task
	TaskSyncWarps uint32 // most warps of one that synchronises
	TaskSyncs     uint64 // tasks whose threadblocks synchronise
	TaskDeps      uint64 // tasks that wait for others
	CopiesIn      uint64 // from the host to the device
	CopiesOut     uint64 // and back
	CopiesAnyhow  uint64 // of these, of no known array
	Inferred      uint64 // kernels of which no work is known, or whose duration goes before it
	NoGrid        uint64 // of these, without a grid
	Timed         uint64 // of these, with a recorded duration
	Counted       uint64 // kernels of which instructions are counted, but no warps known
	Touching      uint64 // kernels of which only what their CTAs touch is known
	TimedCTAs     uint64 // kernels with CTAs whose duration goes before what they do
	Uncounted     uint64 // kernels whose instructions are not counted
	Bodiless      uint64 // children whose warps are not known
	NotStarted    uint64 // kernels that neither the host nor a kernel does
	Starts        uint64 // kernels and host operations with a recorded start
	Grids         uint64 // CTAs of kernels whose time is not inferred, which run one by one
	Unrecorded    uint64 // waits for events that nobody has recorded so far
	SameName      uint64 // arrays of a name that one before them has
	Calls         uint64 // kernels and host operations with a recorded time of the host's call
}

// ProfileTrace reads a trace's facts: its program and its host operations, launches taken for narrow tasks where
// they are run as such. It returns an error if the trace cannot be read.
func ProfileTrace(r *container.Reader, as host.AsTasks) (*TraceProfile, error) {
	p := r.Program()
	f := &TraceProfile{
		Fidelity: p.Meta.Fidelity, Kernels: p.Totals.Kernels, MemInsts: p.Totals.MemInsts,
		ChildLaunches: p.Totals.ChildLaunches, Arrays: len(p.Arrays),
	}
	if err := f.kernels(r); err != nil {
		return nil, err
	}
	f.arrays(p.Arrays)
	started, recorded := uint64(0), map[uint64]bool{}
	for op, err := range trace.Each(r.HostOps()) {
		if err != nil {
			return nil, err
		}
		f.times(op.Recorded)
		if (op.Kind == trace.OpCopyH2D || op.Kind == trace.OpCopyD2H) && op.Array == trace.NoArray {
			f.CopiesAnyhow++
		}
		if op.Kind == trace.OpLaunch || op.Kind == trace.OpSpawn {
			started++
		}
		switch op.Kind {
		case trace.OpEventRecord:
			recorded[op.Event] = true
		case trace.OpStreamWait, trace.OpSyncEvent:
			if !recorded[op.Event] {
				f.Unrecorded++
			}
		case trace.OpCopyH2D:
			f.CopiesIn++
		case trace.OpCopyD2H:
			f.CopiesOut++
		case trace.OpFileRead:
			f.FileReads++
		case trace.OpLaunch:
			if as == host.NotTasks {
				continue
			}
			fallthrough
		case trace.OpSpawn:
			if err := f.task(r, op, as); err != nil {
				return nil, err
			}
		}
	}
	f.NotStarted -= min(f.NotStarted, started)
	return f, nil
}

func (f *TraceProfile) arrays(list []trace.Array) {
	seen := map[string]bool{}
	for _, a := range list {
		if seen[a.Name] {
			f.SameName++
		}
		seen[a.Name] = a.Name != ""
	}
}

// kernels adds what the kernels themselves say.
func (f *TraceProfile) kernels(r *container.Reader) error {
	var k trace.Kernel
	for id := range uint32(r.Kernels()) {
		if err := r.Kernel(id, &k); err != nil {
			return err
		}
		f.times(k.Recorded)
		f.inferred(&k)
		if k.Flags&trace.KernelChild == 0 {
			f.NotStarted++ // less those of the host, each of which is started once
		}
	}
	return nil
}

func (f *TraceProfile) inferred(k *trace.Kernel) {
	of := trace.InferredOf(k)
	if of < trace.InferredTime {
		f.Grids += min(k.Grid.Count(), math.MaxUint64-f.Grids)
	}
	if of != trace.InferredNothing && k.Flags&trace.KernelChild != 0 {
		f.Bodiless++
	}
	if of > trace.InferredOrder && k.WarpInsts == 0 {
		f.Uncounted++
	}
	if of == trace.InferredTime && k.CTAs > 0 {
		f.TimedCTAs++
	}
	switch of {
	case trace.InferredOrder:
		f.Counted++
	case trace.InferredAccesses:
		f.Touching++
	case trace.InferredTime, trace.InferredAll:
		f.Inferred++
		if of == trace.InferredTime {
			f.Timed++
		}
		if k.Grid.Count() == 0 {
			f.NoGrid++
		}
	}
}

func (f *TraceProfile) times(r *trace.Recorded) {
	if r == nil {
		return
	}
	if r.StartNs >= 0 {
		f.Starts++
	}
	if r.HostNs >= 0 {
		f.Calls++
	}
}

// Diagnostics are what a run of the trace has to warn of.
func (f *TraceProfile) Diagnostics() []trace.Diagnostic {
	var all []trace.Diagnostic
	for _, d := range []trace.Diagnostic{
		{Name: "kernel_not_launched", Severity: trace.DataLoss, Count: f.NotStarted,
			Help: "kernels that nothing starts, so that they do not run; a launch among the host's operations starts one " +
				"(in the text form: launch, and the kernel's number)"},
		{Name: "event_not_recorded", Severity: trace.Info, Count: f.Unrecorded,
			Help: "waits for events that nothing before them records: there is nothing to wait for, as in CUDA; a capture " +
				"that began later may have missed the record"},
		{Name: "array_name_twice", Severity: trace.Info, Count: f.SameName,
			Help: "arrays that have the name of one before them; tables tell them apart by their numbers"},
	} {
		if d.Count > 0 {
			all = append(all, d)
		}
	}
	return all
}

// Missing says in sentences what the trace does not have, and what follows.
func (f *TraceProfile) Missing() []string {
	var all []string
	add := func(lacks bool, sentence string) {
		if lacks {
			all = append(all, sentence)
		}
	}
	add(f.NotStarted > 0, fmt.Sprintf("launches of %d of %d kernels: these never run", f.NotStarted, f.Kernels))
	add(f.Inferred > 0, fmt.Sprintf("instructions of %d of %d kernels: their work is inferred from durations",
		f.Inferred, f.Kernels))
	add(f.NoGrid > 0, fmt.Sprintf("grids of %d kernels: each is one CTA that needs nothing of an SM", f.NoGrid))
	add(f.Timed < f.Inferred, fmt.Sprintf("durations of %d of these kernels: each of their CTAs holds its place "+
		"for one cycle", f.Inferred-f.Timed))
	add(f.Counted > 0, fmt.Sprintf("warps of %d of %d kernels: their instructions are counted for each CTA, and "+
		"order, dependences and addresses inferred", f.Counted, f.Kernels))
	add(f.Touching > 0, fmt.Sprintf("instructions of %d of %d kernels: their CTAs make the stated accesses and "+
		"nothing else", f.Touching, f.Kernels))
	add(f.MemInsts == 0 && f.Touching == 0 && f.TimedCTAs == 0, "memory accesses: caches, DRAM and pages see nothing")
	add(f.Arrays == 0, "arrays: no page is known, and policies that work on pages do not apply")
	add(f.FileReads == 0, "file reads: the prelude does not read input from storage")
	add(f.CopiesIn == 0, "copies to the device: input is there from the start")
	add(f.CopiesOut == 0, "copies back: nothing waits for output")
	add(f.CopiesAnyhow > 0,
		fmt.Sprintf("arrays of copies: %d copies are of no known array, and no page waits for them", f.CopiesAnyhow))
	add(f.ChildLaunches == 0, "child launches: launch policies have nothing to decide")
	add(f.Tasks == 0, "narrow tasks: task runtimes have nothing to run")
	add(f.Starts == 0, "recorded start times: --policy=captured cannot hold work back, and no timeline can be compared")
	add(f.Calls == 0, "recorded times of the host's calls: launches are issued one after another, as fast as the host can")
	return all
}

// task adds a task to the facts.
func (f *TraceProfile) task(r *container.Reader, op *trace.HostOp, as host.AsTasks) error {
	var k trace.Kernel
	if err := r.Kernel(op.Kernel, &k); err != nil {
		return err
	}
	f.Tasks++
	f.TaskShared = max(f.TaskShared, k.SharedBytes)
	if op.Sync || op.Kind == trace.OpLaunch && host.Synchronises(&r.Program().Functions[k.Function]) {
		f.TaskSyncs++
		f.TaskSyncWarps = max(f.TaskSyncWarps, uint32(min((k.Block.Count()+hardware.WarpSize-1)/hardware.WarpSize, 1<<20)))
	}
	if len(op.Deps) > 0 || op.Kind == trace.OpLaunch && as == host.TasksInStreams {
		f.TaskDeps++
	}
	return nil
}
