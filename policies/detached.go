package policies

import (
	"gpureplay/model"
)

func init() {
	LaunchControls.Register(Option[model.LaunchControl]{
		Name: "detached", Title: "marked launches are kernels that no parent waits for, " +
			"into a fire-and-forget or a tail stream",
		Source: "CUDA C++ Programming Guide, CUDA Dynamic Parallelism (CDP2)",
		Params: []Param{
			detachedStream,
			{"cdp2-pending", "2048", "launches that have not begun, at most; a further one fails " +
				"(cudaLimitDevRuntimePendingLaunchCount)"},
		},
		New: func(a Args) (model.LaunchControl, error) {
			tail, err := a.Either("detached-stream", "fire-and-forget", "tail")
			if err != nil {
				return nil, err
			}
			pending, err := a.Integer("cdp2-pending", 1, 1<<30)
			return newDetached(tail, limits{pending: int(pending)}), err
		},
	})
	LaunchControls.Register(Option[model.LaunchControl]{
		Name: "device-graph", Title: "marked launches are graphs that the device launches, fire-and-forget or tail",
		Source: "CUDA C++ Programming Guide, device graph launch",
		Params: []Param{detachedStream},
		New: func(a Args) (model.LaunchControl, error) {
			tail, err := a.Either("detached-stream", "fire-and-forget", "tail")
			return newDetached(tail, limits{course: 120, tails: 255, selves: 1}), err
		},
	})
	const doc = "Launches return at once, and no parent waits for a child: a join of the trace waits for nothing. A " +
		"fire-and-forget child begins when it can. Tail children begin when their parent kernel has ended, one after " +
		"another, each with its own tails. A launch beyond a limit fails: it is counted, and the parent's lanes do its work. "
	Register(Policy{
		Name: "cdp2", Title: "CUDA Dynamic Parallelism of today: launches without a join, fire-and-forget or tail",
		Source:    "CUDA C++ Programming Guide, CUDA Dynamic Parallelism (CDP2)",
		Doc:       doc + "2,048 launches may be pending.",
		Baselines: []string{"cdp"}, Launch: "detached", Needs: needsBodies,
	})
	Register(Policy{
		Name: "device-graph", Title: "child kernels as graphs that the device launches, fire-and-forget or tail",
		Source: "CUDA C++ Programming Guide, device graph launch",
		Doc: doc + "A graph launches 120 fire-and-forget graphs in its course, and has 255 pending tail launches, one of " +
			"them of itself.",
		Baselines: []string{"cdp"}, Launch: "device-graph", Needs: needsBodies,
	})
}

var detachedStream = Param{"detached-stream", "fire-and-forget", "stream of device launches: fire-and-forget or tail"}

// limits are of launches; 0: none.
type limits struct {
	pending int // of all that have not begun
	course  int // of one kernel, into the fire-and-forget stream
	tails   int // of one kernel, that have not begun
	selves  int // of these, of the kernel's own function
}

// detached is a launch control without joins.
type detached struct {
	tail bool
	most limits
	m    *model.LaunchMachine

	latency model.Time
	courses map[uint32]*course // of kernels that have launched something, by kernel
	byChild map[uint32]*course // the course that a tail child belongs to, until a CTA of it has ended
	byOrder map[uint64]*course // the same from then on, by program order
}

// course is one execution of a kernel, and its tail launches.
type course struct {
	kernel   uint32
	launched int // tails begin when it has ended: until then all are pending
	selves   int
	kept     []model.KeptLaunch
	parent   *course // whose tail it is; nil: none
}

func newDetached(tail bool, most limits) *detached {
	return &detached{tail: tail, most: most, courses: map[uint32]*course{}, byChild: map[uint32]*course{},
		byOrder: map[uint64]*course{}}
}

// NeverJoins is of [model.NeverJoins].
func (d *detached) NeverJoins() {}

// Start is of [model.LaunchKeeper].
func (d *detached) Start(m *model.LaunchMachine) { d.m = m }

// Before is of [model.LaunchKeeper]: launches need no other code.
func (d *detached) Before(*model.LaunchCall) *model.AddedCode { return nil }

// Decide is of [model.LaunchControl].
func (d *detached) Decide(r *model.LaunchRequest) (model.Decision, string) {
	if !r.Marked {
		return model.Inline, "unmarked"
	}
	c := d.courses[r.Parent]
	if c == nil {
		c = &course{kernel: r.Parent}
		d.courses[r.Parent] = c
	}
	self := d.tail && d.most.selves > 0 && r.Child.Function == d.m.FunctionOf(r.Parent)
	if over(r.Pending, d.most.pending) || !d.tail && over(c.launched, d.most.course) ||
		d.tail && over(c.launched, d.most.tails) || self && over(c.selves, d.most.selves) {
		d.m.Count("device_launches_failed")
		return model.Inline, "failed"
	}
	c.launched++
	if !d.tail {
		return model.DeviceKernel, "fire-and-forget"
	}
	if self {
		c.selves++
	}
	d.latency = max(1, r.Overhead)
	return model.Keep, "tail"
}

// over reports whether a limit is reached.
func over(n, most int) bool { return most > 0 && n >= most }

// Called is of [model.LaunchKeeper].
func (d *detached) Called(c *model.LaunchCall) {
	x := d.courses[c.CTA.Kernel]
	x.kept = append(x.kept, c.Kept...)
}

// CTAEnded is of [model.LaunchKeeper].
func (d *detached) CTAEnded(c model.CTAName, _ model.Time) {
	if x := d.byChild[c.Kernel]; x != nil {
		delete(d.byChild, c.Kernel)
		d.byOrder[c.Order] = x
	}
	if x := d.courses[c.Kernel]; x != nil {
		x.parent, d.byOrder[c.Order] = d.above(x, c.Order), x
	}
}

// above is the course that a kernel is a tail of, whose own course is x.
func (d *detached) above(x *course, order uint64) *course {
	if on := d.byOrder[order]; on != x {
		return on
	}
	return x.parent
}

// KernelEnded is of [model.LaunchKeeper]: the next tail of the kernel begins, or the next of the kernel that it was a
// tail of.
func (d *detached) KernelEnded(order uint64, t model.Time) {
	x := d.byOrder[order]
	delete(d.byOrder, order)
	for ; x != nil; x = x.parent {
		if len(x.kept) > 0 {
			next := x.kept[0]
			x.kept = x.kept[1:]
			d.byChild[next.Child] = x
			d.m.LaunchAt(&model.MergedLaunch{Requests: []model.KeptLaunch{next}, Reason: "tail"}, t+d.latency)
			return
		}
		delete(d.courses, x.kernel)
	}
}
