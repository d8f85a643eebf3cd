package model

import (
	"context"
	"fmt"

	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/trace"
)

// Options are what a run needs beside the machine.
type Options struct {
	Config   *hardware.Config
	Policy   *Policy
	Captured func() *hardware.Config // GPU that the trace was captured on, asked for when work of a kernel is inferred; nil: Config
	Observer Observer                // nil: nobody watches
	Sample   Time                    // width of a timeline window; 0: none; SampleAuto
	Timing   Timing                  // of the host and its copies
	AsTasks  AsTasks                 // whether launches of the host are run as narrow tasks
	Bulk     bool                    // CTAs of which nothing is known but their time are not told of, and may be placed together

	MaxCycles Time                         // the run ends in that cycle, if its program does not before; 0: with its program
	Tick      func(now Time, insts uint64) // called now and then while it runs, with the instructions issued; nil: nobody asks
}

// Machine replays one trace under one policy, once.
type Machine struct {
	cfg       *hardware.Config
	policy    *Policy
	tr        *trace.Reader
	prog      *trace.Program
	obs       Observer
	placed    PlacementObserver  // nil: the observer does not watch placements
	accessed  AccessObserver     // nil: nor accesses
	swapped   SuspensionObserver // nil: nor suspensions
	issued    InstObserver       // nil: nor instructions
	now       Time
	queue     queue
	wheel     *wheel
	sms       []*sm
	mem       *memory.System
	asking    []*sm         // whose accesses of this cycle are not timed
	units     []*memory.LSU // of these
	kmu       *kmu
	ctas      *ctaScheduler
	children  *children
	host      *host
	access    AccessDependency // nil: kernels wait for those before them, or
	gate      CTADependency    // nil: not for their CTAs
	waiting   map[int32][]accessWaiter
	tasks     *tasks
	metrics   metrics
	use       utilisation
	codes     []*code // per function, nil until first used
	counted   []*code // the same, as counted instructions execute it
	touching  *code   // that of accesses to what is touched
	runs      []*kernelRun
	freeRuns  []uint64
	spareCTAs []*ctaRun
	order     uint64
	bulk      bool // CTAs that are held are not told of
	sum       Summary
	sampler   sampler
	acting    []uint64 // SMs of the current cycle
	stepped   Time     // the last cycle in which they acted
	err       error    // met by an SM; ends the run after the cycle
	captured  func() *hardware.Config
	last      Time // cycle in which the run is cut off
	tick      func(Time, uint64)
}

// New builds a machine for one replay of tr.
func New(tr *trace.Reader, opt Options) (*Machine, error) {
	if err := opt.Config.Validate(); err != nil {
		return nil, err
	}
	m := &Machine{cfg: opt.Config, policy: opt.Policy, tr: tr, prog: tr.Program(), obs: opt.Observer}
	if m.obs == nil {
		m.obs = nobody{}
	}
	m.placed, _ = m.obs.(PlacementObserver)
	if m.captured = opt.Captured; m.captured == nil {
		m.captured = func() *hardware.Config { return m.cfg }
	}
	m.accessed, _ = m.obs.(AccessObserver)
	m.swapped, _ = m.obs.(SuspensionObserver)
	m.issued, _ = m.obs.(InstObserver)
	n := m.cfg.SM.Count
	m.wheel = newWheel(n)
	m.acting = make([]uint64, (n+63)/64)
	m.mem = memory.New(m.cfg)
	if w, ok := m.obs.(memory.Watcher); ok {
		m.mem.Watch(w)
	}
	t := newTiming(&m.cfg.Exec, &m.cfg.SM)
	for i := range n {
		m.sms = append(m.sms, newSM(m, i, &t))
	}
	m.kmu = newKMU(m)
	m.ctas = &ctaScheduler{m: m, posted: Unset, pace: newCTAPace(m.cfg.KMU.CTAsPerCycle)}
	m.ctas.bulk.on = opt.Bulk && m.policy.Dependency == nil && m.policy.Tasks == nil && opt.AsTasks == NotTasks && m.prog.Totals.ChildLaunches == 0
	m.bulk = opt.Bulk
	m.stepped = Unset
	m.ctas.pass.m = m
	m.ctas.works, _ = m.policy.CTA.(WorkScheduler)
	m.use = newUtilisation(m)
	m.children = newChildren(m)
	m.host = newHost(m)
	m.host.timing, m.host.graphs.on = opt.Timing, m.policy.Host == HostGraph
	if m.policy.Host == HostCaptured || opt.Timing.Host == TimesRecorded {
		var err error
		if m.host.capture, err = ReadCapture(tr); err != nil {
			return nil, err
		}
	}
	m.tasks = newTasks(m, opt.AsTasks)
	m.codes = make([]*code, len(m.prog.Functions))
	m.sampler.init(opt.Sample)
	if m.tick, m.last = opt.Tick, never-1; opt.MaxCycles > 0 {
		m.last = opt.MaxCycles
	}
	if err := m.startDependency(); err != nil {
		return nil, err
	}
	m.host.mode = newSubmission(m)
	return m, nil
}

// Run replays the trace to its end, or to the last cycle that was asked for. An
// error names what went wrong: a damaged trace, a kernel that fits no SM, a
// cancelled context (the summary is then that of the run so far), or work that can
// never move (and then what waits for what).
func (m *Machine) Run(ctx context.Context) (*Summary, error) {
	m.queue.post(0, evHost, 0, 0)
	for steps := uint64(0); ; steps++ {
		if steps&0xffff == 0 {
			if end, err := m.pause(ctx); end {
				sum, _ := m.cutShort(m.now)
				return sum, err
			}
		}
		t := min(m.queue.next(), m.wheel.next())
		if t == never {
			break
		}
		if t > m.last {
			return m.cutShort(m.last)
		}
		if t >= horizon {
			return nil, fmt.Errorf("cycle %d: the program goes on beyond cycle %d, the last that is replayed: look for impossible times and sizes in the trace (replay inspect --events), or rates of the machine", m.now, horizon-1)
		}
		if t < m.now {
			panic(fmt.Sprintf("an event of cycle %d is handled in cycle %d", t, m.now))
		}
		m.sampler.advance(m, t)
		m.now, m.wheel.now = t, t
		for m.queue.next() == t {
			if err := m.handle(m.queue.pop()); err != nil {
				return nil, err
			}
		}
		m.stepSMs(t)
		if m.err != nil {
			return nil, m.err
		}
	}
	if err := m.stuck(); err != nil {
		return nil, err
	}
	return m.finish()
}

// handle lets the unit that an event is for act.
func (m *Machine) handle(e event) error {
	m.sum.Events++
	switch e.kind() {
	case evHost:
		return m.host.run(e.t)
	case evCopyEnd:
		return m.host.copyEnded(e.a, e.t)
	case evArrive:
		return m.kmu.arrive(m.runs[e.a], e.t)
	case evChild:
		return m.children.arrived(e.a, e.t)
	case evGroups:
		return m.children.groupsFound(e.a, e.t)
	case evDispatch:
		return m.kmu.dispatched(m.runs[e.a], e.t)
	case evRelease:
		return m.ctas.release(m.runs[e.a], e.t)
	case evKernelEnd:
		return m.kernelEnded(m.runs[e.a], e.t)
	case evAccess:
		return m.access.Event(e.a, e.b, e.t)
	case evTask:
		return m.tasks.event(e.a, e.b, e.t)
	case evCTAs:
		return m.ctas.run(e.t)
	case evSM:
		m.wake(int(e.a), e.t)
	}
	return nil
}

// stepSMs lets the SMs of cycle t act, in index order.
func (m *Machine) stepSMs(t Time) {
	if !m.wheel.take(t, m.acting) {
		return
	}
	if m.stepped == t {
		panic(fmt.Sprintf("SMs act twice in cycle %d", t))
	}
	m.stepped = t
	for w, word := range m.acting {
		for ; word != 0; word &= word - 1 {
			id := w<<6 + trailing(word)
			if m.wheel.due[id] != t {
				continue
			}
			m.sum.Events++
			m.wheel.due[id] = never
			if next := m.sms[id].step(t); next != never {
				m.wake(id, next)
			}
		}
	}
	if len(m.asking) > 0 {
		m.timeAccesses(t)
	}
}

// wake makes an SM act at t, unless it acts before.
func (m *Machine) wake(id int, t Time) {
	if m.wheel.due[id] < t {
		return
	}
	m.wheel.due[id] = t
	if t-m.now < wheelSlots {
		m.wheel.add(t, id)
	} else {
		m.queue.post(t, evSM, uint64(id), 0)
	}
}

// launch makes a kernel of the trace known to the machine.
func (m *Machine) launch(id uint32, st *stream) (*kernelRun, error) {
	k := m.takeRun()
	if err := m.tr.Kernel(id, &k.tk); err != nil {
		return nil, err
	}
	k.code = m.code(k.tk.Function)
	k.res = m.cfg.CTAResources(&k.tk)
	total := k.tk.Grid.Count()
	ctas, limit := m.cfg.Residency(&k.tk)
	if total > 0 && ctas == 0 {
		return nil, fmt.Errorf("kernel %d (%s): a CTA of %d threads, %d registers a thread and %d bytes of shared memory fits no SM of %s (%s): choose another preset or raise the limit with --set",
			id, m.prog.Functions[k.tk.Function].Name, k.tk.Block.Count(), k.tk.Registers, k.tk.SharedBytes, m.cfg.Name, limit)
	}
	m.order++
	k.KernelView = KernelView{ID: id, Order: m.order, Function: k.tk.Function, Stream: k.tk.Stream, Left: total}
	k.stream, k.parent, k.native, k.total = st, NoKernel, total, total
	if st != nil {
		k.hwq = m.policy.Admission.Queue(st.seen, len(m.kmu.queues))
	}
	k.rec = m.kernelRecord(k)
	k.infer(m)
	if k.tk.CTAs > 0 {
		var err error
		if k.cursor, err = m.tr.CTAs(id, 0); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// kernelRecord opens the record of a kernel whose header has been read.
func (m *Machine) kernelRecord(k *kernelRun) KernelRecord {
	return KernelRecord{
		ID: k.ID, Function: m.prog.Functions[k.tk.Function].Name, Parent: NoKernel, Stream: k.tk.Stream,
		Fidelity: k.tk.Fidelity, Grid: k.tk.Grid, Block: k.tk.Block, Registers: k.tk.Registers,
		SharedBytes: k.tk.SharedBytes, CTAs: k.total, Recorded: k.tk.Recorded,
		Arrive: Unset, Dispatch: Unset, FirstCTA: Unset, LastCTA: Unset, End: Unset,
	}
}

// code returns a function prepared for the issue model.
func (m *Machine) code(fn uint32) *code {
	if m.codes[fn] == nil {
		m.codes[fn] = prepare(&m.prog.Functions[fn], &m.cfg.SM)
	}
	return m.codes[fn]
}

func (m *Machine) takeRun() *kernelRun {
	if n := len(m.freeRuns); n > 0 {
		k := m.runs[m.freeRuns[n-1]]
		m.freeRuns = m.freeRuns[:n-1]
		*k = kernelRun{slot: k.slot, smCTAs: k.smCTAs, smSince: k.smSince, groups: k.groups}
		return k
	}
	k := &kernelRun{slot: uint64(len(m.runs)), smCTAs: make([]uint16, len(m.sms)), smSince: make([]Time, len(m.sms))}
	m.runs = append(m.runs, k)
	return k
}

// fail notes an error met where none can be returned; the run ends with the
// first.
func (m *Machine) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// kernelEnded completes a kernel in every unit that holds it.
func (m *Machine) kernelEnded(k *kernelRun, t Time) error {
	k.rec.End = t
	m.sum.Kernels++
	if k.work != trace.InferredNothing {
		m.sum.KernelsInferred++
	}
	m.sum.Cycles = max(m.sum.Cycles, t)
	if k.fused == nil {
		m.obs.Kernel(&k.rec)
	} else {
		m.sum.Kernels-- // its tasks count
		m.queue.post(t, evTask, 0, runtimeEvents+uint64(k.fused.event))
	}
	if k.rec.FirstCTA != Unset {
		m.obs.Stage(&StageRecord{Stage: StageKernel, Kernel: k.ID, Array: trace.NoArray, Start: k.rec.FirstCTA, End: t})
	}
	if !k.released {
		m.ctas.remove(k)
		if err := m.kmu.complete(k, t); err != nil {
			return err
		}
	}
	m.freeRuns = append(m.freeRuns, k.slot)
	if k.launch != nil {
		m.children.ended(k.launch, t, t)
		return nil
	}
	if m.access != nil {
		if err := m.access.Completed(k.Order, t); err != nil {
			return err
		}
		return m.host.run(t)
	}
	return m.host.kernelEnded(k, t)
}

// finish gathers the summary.
func (m *Machine) finish() (*Summary, error) {
	m.sampler.finish(m)
	if m.ctas.bulk.k != nil { // the run was cut off
		m.ctas.settle(m.ctas.bulk.ahead)
	}
	for _, s := range m.sms {
		s.settle(m.sum.Cycles)
		m.sum.ActiveWarpCycles += s.warpCycles
		m.sum.ActiveSMCycles += s.activeCycles
		m.sum.IssueSlots += s.activeCycles * uint64(len(s.sched)*max(1, m.cfg.SM.IssueWidth))
		m.sum.IssuedInsts += s.issued
		m.sum.ThreadInsts += s.threadInsts
	}
	m.sum.WarpInsts = m.sum.IssuedInsts
	m.sum.Memory = m.mem.Records()
	m.children.finish()
	m.tasks.report()
	m.sum.Extra = m.metrics.list()
	return &m.sum, nil
}

// stage tells of an interval of the host's program.
func (m *Machine) stage(kind StageKind, array uint32, start, end Time, bytes uint64) {
	m.tellStage(&StageRecord{Stage: kind, Kernel: NoKernel, Array: array, Start: start, End: end, Bytes: bytes})
}

func (m *Machine) tellStage(r *StageRecord) {
	m.sum.Cycles = max(m.sum.Cycles, r.End)
	m.obs.Stage(r)
}

// nobody is the observer of a run that nobody watches.
type nobody struct{}

func (nobody) Kernel(*KernelRecord) {}
func (nobody) CTA(*CTARecord)       {}
func (nobody) Stage(*StageRecord)   {}
func (nobody) Launch(*LaunchRecord) {}
func (nobody) Page(*PageRecord)     {}
func (nobody) Task(*TaskRecord)     {}
func (nobody) Sample(*SampleRecord) {}
