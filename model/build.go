package model

import (
	"gpureplay/model/clock"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/model/memory"
	"gpureplay/model/memory/engine"
	"gpureplay/model/program"
	"gpureplay/trace/container"
	"sync"
)

// New builds a machine for one replay of tr. It returns an error if the configuration is invalid, or if the policy
// cannot run the trace.
func New(tr *container.Reader, opt Options) (*Machine, error) {
	if err := opt.Config.Validate(); err != nil {
		return nil, err
	}
	m := &Machine{core: newCore(tr, &opt), stepped: Unset, tick: opt.Tick, skips: opt.Sampler, waves: opt.Waves}
	m.acting = make([]uint64, (opt.Config.SM.Count+63)/64)
	t := program.NewTiming(&m.cfg.Exec, &m.cfg.SM)
	m.sms = newSMs(m, m.cfg.SM.Count, &t)
	m.sampler.init(opt.Sample, m.obs, m.mem, m.state)
	m.kernels = &kernels{core: &m.core}
	m.kernels.crowded = sync.OnceValue(func() Crowded { return CrowdedIn(tr, m.captured()) })
	m.children = newLaunchUnit(&m.core, m.kernels)
	m.kmu = newKMU(&m.core)
	m.ctas = newCTAScheduler(&m.core, m.kernels)
	m.ctas.forwarding.on = opt.FastForward && m.policy.Dependency == nil && m.policy.Tasks == nil &&
		opt.AsTasks == host.NotTasks && m.prog.Totals.ChildLaunches == 0
	m.tasks = newTasks(&m.core, opt.AsTasks)
	var err error
	if m.host, err = host.New(m.cfg, tr, hostDevice{m}, m.policy.Host, opt.Timing); err != nil {
		return nil, err
	}
	m.connect()
	if err := m.startDependency(); err != nil {
		return nil, err
	}
	m.host.Submit = newSubmission(m)
	if m.access != nil { // it has read the program in its order
		m.host.AsOne()
	}
	return m, nil
}

// newCore makes the part that all units share.
func newCore(tr *container.Reader, opt *Options) core {
	m := core{
		cfg: opt.Config, policy: opt.Policy, tr: tr, prog: tr.Program(), obs: opt.Observer, untold: opt.FastForward,
		wheel: clock.NewWheel(opt.Config.SM.Count), mem: engine.New(opt.Config), lib: program.NewLibrary(tr, opt.Config),
		cut: never - 1, captured: opt.Captured,
	}
	if m.obs == nil {
		m.obs = Discard{}
	}
	m.placed, _ = m.obs.(PlacementObserver)
	m.swapped, _ = m.obs.(SuspensionObserver)
	if w, ok := m.obs.(memory.Watcher); ok {
		m.mem.Watch(w)
	}
	if m.captured == nil {
		m.captured = func() *hardware.Config { return opt.Config }
	}
	if opt.MaxCycles > 0 {
		m.cut = opt.MaxCycles
	}
	return m
}

// connect gives each unit the units that it hands work to.
func (m *Machine) connect() {
	m.kmu.host, m.kmu.ctas, m.kmu.children = m.host, m.ctas, m.children
	m.children.kmu, m.children.ctas = m.kmu, m.ctas
	m.ctas.kmu, m.ctas.children, m.ctas.tasks, m.ctas.sampler = m.kmu, m.children, m.tasks, &m.sampler
	m.tasks.host, m.tasks.kernels, m.tasks.ctas = m.host, m.kernels, m.ctas
	m.tasks.view, m.ctas.pass.View = View{m}, View{m}
	m.children.start(View{m})
}

// startDependency binds the policy's dependency.
func (m *Machine) startDependency() error {
	x := DependencyMachine{View{m}}
	if m.ctas.gate, _ = m.policy.Dependency.(CTADependency); m.ctas.gate != nil {
		m.ctas.gate.Start(&x)
		m.ctas.held = map[heldBy][]accessWaiter{}
		m.host.Gate = hostGate{m.ctas.gate, m.kernels}
		if m.ctas.resident, _ = m.ctas.gate.(ResidentDependency); m.ctas.resident != nil {
			if err := m.ctas.resident.Reside(&ResidentMachine{PersistentMachine(x)}); err != nil {
				return err
			}
		}
		if m.ctas.warps, _ = m.ctas.gate.(WarpDependency); m.ctas.warps != nil {
			m.host.Gate = warpGate{hostGate{m.ctas.gate, m.kernels}, m.ctas}
		}
	}
	if m.access, _ = m.policy.Dependency.(AccessDependency); m.access != nil {
		m.ctas.access, m.kernels.unfolds = m.access, true
		m.held = &AccessMachine{x, make(map[int32][]accessWaiter)}
		return m.access.Start(m.held)
	}
	return nil
}
