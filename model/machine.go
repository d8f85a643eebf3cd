package model

import (
	"context"
	"fmt"
	"math/bits"

	"gpureplay/model/clock"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/model/memory"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// Options are what a run needs beside the machine.
type Options struct {
	Config   *hardware.Config
	Policy   *Policy
	Captured func() *hardware.Config // GPU that the trace was captured on, asked for when work of a kernel is inferred; nil: Config
	Observer Observer                // nil: nobody watches
	Sample   Time                    // width of a timeline window; 0: none; SampleAuto
	Timing   host.Timing             // of the host and its copies
	AsTasks  host.AsTasks            // whether launches of the host are run as narrow tasks
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
	swapped   SuspensionObserver // nil: nor suspensions
	now       Time
	queue     clock.Queue
	wheel     *clock.Wheel
	sms       []*exec.SM
	mem       *memory.System
	asking    []*exec.SM    // whose accesses of this cycle are not timed
	units     []*memory.LSU // of these
	kmu       *kmu
	ctas      *ctaScheduler
	children  *children
	host      *host.Host
	access    AccessDependency // nil: kernels wait for those before them, or
	gate      CTADependency    // nil: not for their CTAs
	waiting   map[int32][]accessWaiter
	tasks     *tasks
	metrics   metrics
	use       utilisation
	lib       *program.Library
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
	m.swapped, _ = m.obs.(SuspensionObserver)
	n := m.cfg.SM.Count
	m.wheel = clock.NewWheel(n)
	m.acting = make([]uint64, (n+63)/64)
	m.mem = memory.New(m.cfg)
	if w, ok := m.obs.(memory.Watcher); ok {
		m.mem.Watch(w)
	}
	t := program.NewTiming(&m.cfg.Exec, &m.cfg.SM)
	m.lib = program.NewLibrary(tr, m.cfg)
	m.sms = newSMs(m, n, &t)
	m.kmu = newKMU(m)
	m.ctas = &ctaScheduler{m: m, posted: Unset, pace: clock.NewPace(m.cfg.KMU.CTAsPerCycle)}
	m.ctas.bulk.on = opt.Bulk && m.policy.Dependency == nil && m.policy.Tasks == nil && opt.AsTasks == host.NotTasks && m.prog.Totals.ChildLaunches == 0
	m.bulk = opt.Bulk
	m.stepped = Unset
	m.ctas.pass.m = m
	m.ctas.works, _ = m.policy.CTA.(WorkScheduler)
	m.use = newUtilisation(m)
	m.children = newChildren(m)
	var err error
	if m.host, err = host.New(m.cfg, tr, onDevice{m}, m.policy.Host, opt.Timing); err != nil {
		return nil, err
	}
	m.tasks = newTasks(m, opt.AsTasks)
	m.sampler.init(opt.Sample)
	if m.tick, m.last = opt.Tick, never-1; opt.MaxCycles > 0 {
		m.last = opt.MaxCycles
	}
	if err := m.startDependency(); err != nil {
		return nil, err
	}
	m.host.Submit = newSubmission(m)
	return m, nil
}

// Run replays the trace to its end, or to the last cycle that was asked for. An
// error names what went wrong: a damaged trace, a kernel that fits no SM, a
// cancelled context (the summary is then that of the run so far), or work that can
// never move (and then what waits for what).
func (m *Machine) Run(ctx context.Context) (*Summary, error) {
	m.queue.Post(0, evHost, 0, 0)
	for steps := uint64(0); ; steps++ {
		if steps&0xffff == 0 {
			if end, err := m.pause(ctx); end {
				sum, _ := m.cutShort(m.now)
				return sum, err
			}
		}
		t := min(m.queue.Next(), m.wheel.Next())
		if t == never {
			break
		}
		if t > m.last {
			return m.cutShort(m.last)
		}
		if t >= host.Horizon {
			return nil, fmt.Errorf("cycle %d: the program goes on beyond cycle %d, the last that is replayed: look for impossible times and sizes in the trace (replay inspect --events), or rates of the machine", m.now, host.Horizon-1)
		}
		if t < m.now {
			panic(fmt.Sprintf("an event of cycle %d is handled in cycle %d", t, m.now))
		}
		m.sampler.advance(m, t)
		m.now, m.wheel.Now = t, t
		for m.queue.Next() == t {
			if err := m.handle(m.queue.Pop()); err != nil {
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

// What an event is about: the kinds, in the order in which a cycle handles them.
const (
	evHost      clock.Kind = iota // the host goes on
	evCopyEnd                     // a = stream: its copy has ended
	evArrive                      // a = kernel slot: reaches the KMU
	evChild                       // a = number of a request: reaches the KMU
	evGroups                      // a = number of a call: its groups reach the CTA scheduler
	evDispatch                    // a = kernel slot: enters the distributor
	evRelease                     // a = kernel slot: it only waits for children
	evKernelEnd                   // a = kernel slot: its last CTA has ended
	evAccess                      // a = what, b = of what: for the dependency that works on accesses
	evTask                        // a = argument, b = what: for the narrow tasks and their runtime
	evCTAs                        // the CTA scheduler looks again
	evSM                          // a = SM: wakes, farther ahead than the wheel reaches
)

// handle lets the unit that an event is for act.
func (m *Machine) handle(e clock.Event) error {
	m.sum.Events++
	switch e.Kind() {
	case evHost:
		return m.host.Run(e.T)
	case evCopyEnd:
		return m.host.CopyEnded(e.A, e.T)
	case evArrive:
		return m.kmu.arrive(m.runs[e.A], e.T)
	case evChild:
		return m.children.arrived(e.A, e.T)
	case evGroups:
		return m.children.groupsFound(e.A, e.T)
	case evDispatch:
		return m.kmu.dispatched(m.runs[e.A], e.T)
	case evRelease:
		return m.ctas.release(m.runs[e.A], e.T)
	case evKernelEnd:
		return m.kernelEnded(m.runs[e.A], e.T)
	case evAccess:
		return m.access.Event(e.A, e.B, e.T)
	case evTask:
		return m.tasks.event(e.A, e.B, e.T)
	case evCTAs:
		return m.ctas.run(e.T)
	case evSM:
		m.wake(int(e.A), e.T)
	}
	return nil
}

// stepSMs lets the SMs of cycle t act, in index order.
func (m *Machine) stepSMs(t Time) {
	if !m.wheel.Take(t, m.acting) {
		return
	}
	if m.stepped == t {
		panic(fmt.Sprintf("SMs act twice in cycle %d", t))
	}
	m.stepped = t
	for w, word := range m.acting {
		for ; word != 0; word &= word - 1 {
			id := w<<6 + bits.TrailingZeros64(word)
			if m.wheel.Due[id] != t {
				continue
			}
			m.sum.Events++
			m.wheel.Due[id] = never
			if next := m.sms[id].Step(t); next != never {
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
	if m.wheel.Due[id] < t {
		return
	}
	m.wheel.Due[id] = t
	if t-m.now < clock.WheelSlots {
		m.wheel.Add(t, id)
	} else {
		m.queue.Post(t, evSM, uint64(id), 0)
	}
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
		m.queue.Post(t, evTask, 0, runtimeEvents+uint64(k.fused.event))
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
	m.freeRuns = append(m.freeRuns, k.Slot)
	if k.launch != nil {
		m.children.ended(k.launch, t, t)
		return nil
	}
	if m.access != nil {
		if err := m.access.Completed(k.Order, t); err != nil {
			return err
		}
		return m.host.Run(t)
	}
	return m.host.KernelEnded(&k.Kernel, k.rec.FirstCTA, t)
}

// finish gathers the summary.
func (m *Machine) finish() (*Summary, error) {
	m.sampler.finish(m)
	if m.ctas.bulk.k != nil { // the run was cut off
		m.ctas.settle(m.ctas.bulk.ahead)
	}
	for _, s := range m.sms {
		s.Settle(m.sum.Cycles)
		m.sum.ActiveWarpCycles += s.WarpCycles
		m.sum.ActiveSMCycles += s.ActiveCycles
		m.sum.IssueSlots += s.ActiveCycles * uint64(s.Schedulers()*max(1, m.cfg.SM.IssueWidth))
		m.sum.IssuedInsts += s.Issued
		m.sum.ThreadInsts += s.ThreadInsts
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
