// Package pdl is programmatic dependent launch: kernels of a stream that overlap within their CTAs.
package pdl

import (
	"slices"
	"strings"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/trace"
)

// Places says where kernels trigger and wait whose paths do not say it.
type Places struct {
	Trigger string // none, begin, last-load or end
	Wait    string // first-dependent or begin
	All     bool   // all launches are programmatic; else those with the attribute, where the trace has any
	Moved   bool   // kernels trigger at Trigger, whether their paths say where or not
}

// Unit lets kernels follow each other. It is a [model.WarpDependency].
type Unit struct {
	at      Places
	m       *model.DependencyMachine
	kernels map[uint64]*kernel // on the GPU and not completed, by program order
	last    map[uint64]*kernel // the one that entered last, by stream
	points  []exec.Points
	stated  map[uint32]bool     // kernels launched with the attribute; nil: all count as such
	behind  map[uint64][]uint64 // kernels of other streams that one follows which has not been opened
}

// kernel is a kernel on the GPU.
type kernel struct {
	*model.KernelView
	before    []*kernel // that its warps wait for: those that have not completed
	ends      bool      // warps without a wait do so before they exit: one of these is of another stream
	next      uint32    // CTA
	passed    []bool    // CTAs that have triggered or ended
	left      int       // the others
	triggers  bool
	completed bool
	touched   *footprint // by the kernel before it; nil: not needed
}

// New returns the unit.
func New(at Places) *Unit {
	return &Unit{at: at, kernels: map[uint64]*kernel{}, last: map[uint64]*kernel{},
		behind: map[uint64][]uint64{}}
}

// Window is of [model.Dependency]: two kernels of a stream.
func (u *Unit) Window() int { return 2 }

// Waits is of [model.CTADependency].
func (u *Unit) Waits() bool { return true }

// Start is of [model.CTADependency].
func (u *Unit) Start(m *model.DependencyMachine) {
	u.m = m
	if u.at.All {
		return
	}
	var k trace.Kernel
	for id := range uint32(m.Program().Totals.Kernels) {
		if err := m.Kernel(id, &k); err != nil {
			m.Fail(err)
			return
		}
		if k.Flags&trace.KernelProgrammatic == 0 {
			continue
		}
		if u.stated == nil {
			u.stated = map[uint32]bool{}
		}
		u.stated[id] = true
	}
}

// Programmatic is of [model.WarpDependency].
func (u *Unit) Programmatic(k *model.KernelView) bool { return u.stated == nil || u.stated[k.ID] }

// Opened is of [model.CTADependency].
func (u *Unit) Opened(v *model.KernelView, _ model.Time) error {
	k := &kernel{KernelView: v, passed: make([]bool, v.CTAs), left: int(v.CTAs)}
	if x := u.last[v.Stream]; x != nil && !x.completed {
		k.before = append(k.before, x)
	}
	for _, order := range u.behind[v.Order] {
		if x := u.kernels[order]; x != nil && !slices.Contains(k.before, x) {
			k.before, k.ends = append(k.before, x), true
		}
	}
	delete(u.behind, v.Order)
	var header trace.Kernel
	if err := u.m.Kernel(v.ID, &header); err != nil {
		return err
	}
	f := &u.m.Program().Functions[header.Function]
	k.triggers = u.at.Trigger != "none" || u.says(f)
	if len(k.before) > 0 && u.at.Wait == "first-dependent" && !has(f, acqBulk) {
		k.touched = newFootprint()
		for _, x := range k.before {
			if err := u.m.CTAs(x.ID, func(c *trace.CTA) { k.touched.add(u.function(x), c) }); err != nil {
				return err
			}
		}
	}
	u.kernels[v.Order], u.last[v.Stream] = k, k
	return nil
}

func (u *Unit) function(k *kernel) *trace.Function { return &u.m.Program().Functions[k.Function] }

// Next is of [model.CTADependency].
func (u *Unit) Next(order uint64) (cta uint32, ok bool) {
	k := u.kernels[order]
	return k.next, int(k.next) < len(k.passed)
}

// Placed is of [model.CTADependency].
func (u *Unit) Placed(order uint64, _ uint32, _ model.Time) { u.kernels[order].next++ }

// Ended is of [model.CTADependency].
func (u *Unit) Ended(order uint64, cta uint32, t model.Time) { u.Triggered(order, cta, t) }

// Triggered is of [model.WarpDependency].
func (u *Unit) Triggered(order uint64, cta uint32, _ model.Time) {
	if k := u.kernels[order]; !k.passed[cta] {
		k.passed[cta] = true
		k.left--
	}
}

// Follows is of [model.WarpDependency].
func (u *Unit) Follows(order uint64) bool {
	k := u.kernels[order]
	return k != nil && k.triggers && k.left == 0
}

// Reached is of [model.WarpDependency]. A kernel that waits itself lets none follow: no third one of a chain enters.
func (u *Unit) Reached(order uint64, port trace.Port) bool {
	if k := u.kernels[order]; port == trace.PortBegun {
		return k != nil && int(k.next) == len(k.passed)
	}
	return u.Follows(order) && !u.Holds(order)
}

// Behind is of [model.WarpDependency].
func (u *Unit) Behind(order uint64, kernels []uint64) { u.behind[order] = kernels }

// Holds is of [model.WarpDependency].
func (u *Unit) Holds(order uint64) bool { return len(u.kernels[order].before) > 0 }

// Completed is of [model.CTADependency].
func (u *Unit) Completed(order uint64, _ model.Time) {
	done := u.kernels[order]
	if done == nil {
		return
	}
	done.completed = true
	delete(u.kernels, order)
	if u.last[done.Stream] == done {
		delete(u.last, done.Stream)
	}
	for _, x := range u.kernels {
		x.before = slices.DeleteFunc(x.before, func(k *kernel) bool { return k == done })
	}
}

// The instructions of a programmatic launch in SASS.
const (
	preExit = "PREEXIT" // griddepcontrol.launch_dependents
	acqBulk = "ACQBULK" // griddepcontrol.wait
)

func is(in *trace.Inst, opcode string) bool {
	name, _, _ := strings.Cut(in.Opcode, ".")
	return name == opcode
}

func has(f *trace.Function, opcode string) bool {
	for i := range f.Insts {
		if is(&f.Insts[i], opcode) {
			return true
		}
	}
	return false
}

// Points is of [model.WarpDependency].
func (u *Unit) Points(order uint64, c *trace.CTA) []exec.Points {
	k := u.kernels[order]
	if !k.triggers && len(k.before) == 0 {
		return nil
	}
	u.points = u.points[:0]
	for i := range c.Warps {
		u.points = append(u.points, u.pointsOf(k, &c.Warps[i]))
	}
	return u.points
}

func (u *Unit) pointsOf(k *kernel, w *trace.Warp) exec.Points {
	f, p := u.function(k), exec.Points{Wait: exec.NoPoint, Trigger: exec.NoPoint}
	if len(k.before) > 0 {
		if p.Wait = u.wait(k, f, w); p.Wait == exec.NoPoint && k.ends {
			p.Wait = int32(max(0, len(w.Path)-1))
		}
	}
	if k.triggers {
		p.Trigger = u.trigger(f, w)
	}
	return p
}

// step returns the first step of a path with an opcode; -1: there is none.
func step(f *trace.Function, w *trace.Warp, opcode string) int32 {
	for i, at := range w.Path {
		if is(&f.Insts[at], opcode) {
			return int32(i)
		}
	}
	return -1
}

// says reports whether a function's warps trigger where their paths have it.
func (u *Unit) says(f *trace.Function) bool { return !u.at.Moved && has(f, preExit) }

// trigger returns the step with which a warp triggers. Behind the last one: when it exits.
func (u *Unit) trigger(f *trace.Function, w *trace.Warp) int32 {
	exits := int32(len(w.Path))
	if u.says(f) {
		if at := step(f, w, preExit); at >= 0 {
			return at
		}
		return exits
	}
	switch u.at.Trigger {
	case "begin":
		return 0
	case "last-load":
		for i := len(w.Path) - 1; i >= 0; i-- {
			if in := &f.Insts[w.Path[i]]; in.Mem() && in.Space == trace.SpaceGlobal && in.Flags&trace.InstLoad != 0 {
				return int32(i)
			}
		}
		return 0
	}
	return exits
}

// wait returns the step before which a warp waits.
func (u *Unit) wait(k *kernel, f *trace.Function, w *trace.Warp) int32 {
	if at := step(f, w, acqBulk); at >= 0 {
		return at
	}
	if k.touched == nil {
		return 0
	}
	mem := 0
	for i, at := range w.Path {
		in := &f.Insts[at]
		if !in.Mem() {
			continue
		}
		a := &w.Mem[mem]
		mem++
		if in.Space == trace.SpaceGlobal && k.touched.conflicts(in, a, w.Lists) {
			return int32(i)
		}
	}
	return exec.NoPoint
}
