package exec

import (
	"gpureplay/model/clock"
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// Time is in cycles of the SM clock.
type Time = clock.Time

// Kernel is the kernel of a CTA as an SM sees it.
type Kernel struct {
	ID        uint32
	Order     uint64 // program order
	Header    *trace.Kernel
	Resources hardware.Resources // of a CTA
	Traffic   *memory.Traffic    // of its accesses
	Ahead     bool               // its CTA that comes has warps that wait for the kernel before it

	apart uint64 // bytes between the words of a thread's local memory; 0: not known yet
	share uint64 // CTAs on an SM that this is for
}

// CTA is one CTA on an SM.
type CTA struct {
	Trace    trace.CTA
	Owner    any // the device's side of it
	Kernel   *Kernel
	Code     *program.Code
	Counted  bool // its warps execute the program
	Counts   program.Counts
	Prologue func(w *Warp) // inserts the code that w executes before its program; nil: none
	Hold     Time          // for how long it holds its place at least
	Posts    bool          // its stores do not keep it on its SM
	Points   []Points      // of its warps; nil: they have none
	Rec      Record

	SM          *SM
	ThreadInsts uint64
	Live        int // warps that have not exited
	Waiting     int // live warps that wait at a barrier
	Children    int // that have not ended, as the device counts them
	Syncing     int // live warps that wait for them

	until    Time // the end of its hold
	lastAt   Time // cycle of the last issue; Unset: none yet
	acked    Time // its last result is there, or its last store acknowledged, if that keeps it
	posted   Time // and of its stores, if it posts them
	open     int  // accesses with an unknown completion time
	barriers [16]barrier
	slots    uint64 // warp slots of the SM
	kept     uint64 // and those of warps that have exited, which it keeps
	synced   uint64 // slots of warps that wait for children
	saved    []Warp // while it is suspended
}

// Points are the steps of a warp's path at which it waits, and with which it passes its trigger. [NoPoint]: it has
// none.
type Points struct{ Wait, Trigger int32 }

// NoPoint is the step of a point that a warp does not have.
const NoPoint = -1

// barrier is one named barrier of a CTA.
type barrier struct {
	waiting uint64 // warp slots
	last    Time   // arrival of the latest
}

// Record is one CTA, emitted when it ends.
type Record struct {
	Kernel     uint32
	CTA        uint32 // linear index in its grid (native) or in its group (aggregated)
	Resident   bool   // of a task on a persistent CTA, which holds the resources
	Child      uint32 // aggregated: kernel id in the trace of the request; NoKernel if native
	SM         uint32
	Held       bool // nothing is known of it but for how long it holds its place
	Dispatch   Time // placed on the SM
	Start      Time // first instruction issued
	End        Time
	WarpInsts  uint64
	Active     Time            // cycles in which one of its warps issued
	StallTimes [NumStalls]Time // cycles in which none did, by reason
}

// Stall is why a resident CTA had no warp that could issue in a cycle.
type Stall uint8

const (
	StallPageNotReady Stall = iota // a page has not been transferred
	StallPageNotOwned              // a page belongs to an earlier kernel
	StallMemory                    // operands come from memory
	StallIssue                     // a warp could issue but its scheduler chose another, or operands come from an ALU
	StallBarrier
	StallLaunch // a device launch call holds the warp
	StallChild  // waiting for children
	NumStalls   = iota
)

// Reset makes c a CTA of k before its first instruction, with a record that it opens.
func (c *CTA) Reset(k *Kernel, code *program.Code, rec Record) {
	c.Kernel, c.Code, c.Rec = k, code, rec
	c.Counted, c.Prologue, c.Hold, c.Posts, c.posted, c.Points = false, nil, 0, false, 0, nil
	c.ThreadInsts, c.Live, c.Waiting, c.Children, c.Syncing = 0, 0, 0, 0, 0
	c.until, c.lastAt, c.acked, c.open, c.slots, c.kept, c.synced = 0, clock.Unset, 0, 0, 0, 0, 0
	c.saved = c.saved[:0]
	c.barriers = [16]barrier{}
}

// place opens the record of a CTA that comes to an SM.
func (c *CTA) place(s *SM, t Time) {
	c.SM = s
	c.Rec.SM, c.Rec.Dispatch, c.Rec.Start, c.Rec.End = uint32(s.ID), t, clock.Unset, clock.Unset
	c.Rec.WarpInsts, c.Rec.Active, c.Rec.StallTimes = 0, 0, [NumStalls]Time{}
}

// program returns the program of warp i of c.
func (c *CTA) program(i int) program.Frame {
	if c.Counted {
		return c.Counts.Program(i)
	}
	return program.NewFrame(c.Code, &c.Trace.Warps[i])
}

// Posted is when the last of the stores is acknowledged that do not keep it on its SM.
func (c *CTA) Posted() Time { return c.posted }

// Suspended reports whether it is off its SM, to wait for children.
func (c *CTA) Suspended() bool { return len(c.saved) > 0 }

// stall books the cycles since the CTA's last issue, up to t, on a reason.
func (c *CTA) stall(t Time, why Stall) {
	from := c.lastAt + 1
	if c.lastAt == clock.Unset {
		from = c.Rec.Dispatch
	}
	if t > from {
		c.Rec.StallTimes[why] += t - from
	}
}

// active books a cycle in which a warp issues that had a reason to wait.
func (c *CTA) active(waited Stall, t Time) {
	if c.lastAt == clock.Unset {
		c.Rec.Start = t
	}
	c.stall(t, waited)
	c.Rec.Active++
	c.lastAt = t
}
