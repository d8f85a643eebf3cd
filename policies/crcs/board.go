// Package crcs keeps kernels that depend on each other in order access by access. A warp's global access goes ahead
// when every page that it touches is ready and owned by its kernel (CRCS/PPCS paper, sections 3 and 4). The package
// has the page table with its reference counters, the profilers that count, the prelude that fills pages, and the
// write-back of pages to the host.
package crcs

import (
	"math/bits"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// Board is the scoreboard of kernels that overlap, a [model.AccessDependency].
type Board struct {
	Exact        bool // counts from the pages that a CTA touches, not from its conservative ranges
	CounterBits  int  // of a reference counter; 0: unbounded
	Sectors      bool // pages are sectors of 32 B, whatever host.page_bytes says
	ProfilerCost bool // the pre-profiler and the post-profiler take time
	Order        Order
	Seed         uint64 // of the random orders
	Fault        Fault

	*unit // of the run
}

// Order is the order in which the prelude initialises the pages of arrays.
type Order uint8

const (
	Interleaved  Order = iota // one page of each array in turn, of those that are read side by side
	Sequential                // one array after another
	Random                    // any page of any array
	RandomArrays              // one array after another, any page of each
)

// A Fault breaks the scoreboard on purpose, so that a test can show that an auditor
// finds it.
type Fault uint8

const (
	NoFault     Fault = iota
	SkipRelease       // the first release of a page's last count is lost
	EarlyOwner        // a CTA releases its pages when its warps have exited, not when its stores are acknowledged
	EarlyReady        // every page is taken for ready as soon as it has been read
	IgnoreOwner       // the scoreboard does not look at owners
	SharedSM          // CTAs of different kernels may share an SM
)

// Start is of [model.AccessDependency].
func (b *Board) Start(m *model.AccessMachine) (err error) {
	b.unit, err = newUnit(m, b)
	return err
}

// Window is of [model.Dependency]: all kernels that the host launches.
func (b *Board) Window() int { return 0 }

// Apart is of [model.AccessDependency]: nothing keeps the L1 of an SM coherent that
// holds CTAs of two kernels (section 4.3).
func (b *Board) Apart() bool { return b.Fault != SharedSM }

// Grain is of [model.AccessDependency].
func (b *Board) Grain(c *hardware.Config) uint {
	if b.Sectors {
		return hardware.SectorShift
	}
	return uint(bits.Len(uint(c.Host.PageBytes - 1)))
}

// Event is of [model.AccessDependency].
func (b *Board) Event(what, arg uint64, t model.Time) error { return b.event(what, arg, t) }

// Issue is of [model.AccessDependency].
func (b *Board) Issue(op *trace.HostOp, t model.Time) (busy model.Time, wait bool, err error) {
	return b.issue(op, t)
}

// Blocked is of [model.AccessDependency].
func (b *Board) Blocked(order uint64, sectors []uint64) (page int32, why exec.Stall) {
	return b.pages.blocked(order, sectors)
}

// Exited is of [model.AccessDependency]: the post-profiler finds the pages that a CTA
// gives back, and takes its time.
func (b *Board) Exited(order uint64, c *trace.CTA, t model.Time) (held model.Time) {
	k := b.kernels[order]
	if k == nil || k.irregular() {
		return 0
	}
	held = b.pages.leave(k, c)
	if b.Fault == EarlyOwner {
		b.pages.giveBack(k, c.ID, t)
	}
	return held
}

// Ended is of [model.AccessDependency].
func (b *Board) Ended(order uint64, cta uint32, t model.Time) {
	if k := b.kernels[order]; k != nil {
		b.pages.giveBack(k, cta, t)
	}
}

// Completed is of [model.AccessDependency].
func (b *Board) Completed(order uint64, t model.Time) error { return b.completed(order, t) }

// Owned is of [model.AccessDependency].
func (b *Board) Owned(order uint64) int { return int(b.pages.ownedBy(order).input) }

// Stuck is of [model.AccessDependency].
func (b *Board) Stuck(waits []model.AccessWait, add func(string, ...any)) { b.stuck(waits, add) }

// View is a CTA scheduler's view of pages; all is zero where no [Board] keeps them.
type View struct {
	Launches  uint64 // kernels that the host launches in the whole program
	Prelude   bool   // it is still reading or sending input
	Available int    // pages that it has brought to the device
	Ready     int    // pages whose ready bit is set: those, and those that it does not bring
	pages     *pageTable
	kernels   []*model.KernelView
}

// ViewOf returns the state of pages now.
func ViewOf(v *model.CTAView) View {
	b, ok := v.Dependency().(*Board)
	if !ok {
		return View{}
	}
	p := b.pages
	return View{b.launches, b.prelude.running(), int(p.available.input), int(p.available.ready), p, v.Kernels}
}

// Owned is how many of the available pages v.Kernels[k] owns, and of those that are ready.
func (x *View) Owned(k int) (available, ready int) {
	if x.pages == nil {
		return 0, 0
	}
	of := x.pages.ownedBy(x.kernels[k].Order)
	return int(of.input), int(of.ready)
}
