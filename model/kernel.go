package model

import (
	"errors"
	"fmt"
	"io"

	"gpureplay/model/clock"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// kernels has the kernels of the trace that are on the machine, and the memory of earlier
// ones for reuse.
type kernels struct {
	*core
	runs      []*kernelRun // by slot
	freeRuns  []uint64
	spareCTAs []*ctaRun
	order     uint64 // of the kernel launched last
	unfolds   bool   // CTAs that only hold their places are read too
	crowded   func() Crowded
}

// kernelRun is one kernel on its way through the machine: pending in the KMU,
// then in the distributor, until its last CTA has ended.
type kernelRun struct {
	KernelView
	host.Kernel
	tk       trace.Kernel
	code     *program.Code
	seen     exec.Kernel // as SMs know it
	next     uint64      // linear index of the next native CTA to place; gated: how many have been
	at       uint32      // gated: the CTA that its cursor comes to
	native   uint64      // CTAs of its own grid
	done     uint64
	posted   Time   // when stores are acknowledged that do not keep their CTAs
	fused    *fused // it holds the threadblocks of these tasks; nil: its own
	narrow   bool   // it is a narrow task
	inferred Time   // for how long a CTA holds its place at least
	work     trace.Inferred
	ending   bool          // evKernelEnd has been posted
	released bool          // it has given back its entry and its queue
	launch   *childLaunch  // the request that it comes from; nil: the host's
	merged   *MergedLaunch // whose first request launch is; nil: it is alone
	children int           // children of its CTAs that have not ended
	groups   clock.FIFO[JoinedGroup]
	cursor   trace.Cursor[trace.CTA]
	pending  *ctaRun  // read ahead from the cursor
	followed bool     // the kernel behind it may enter
	begun    bool     // all its CTAs have, and events that wait for it know
	waves    *waves   // nil: all of its CTAs are simulated
	alone    bool     // no other kernel has been in the distributor with it
	smCTAs   []uint16 // CTAs of this kernel on each SM
	smSince  []Time   // when the first of them came
	rec      KernelRecord
}

// ctaRun is one CTA: the state that its SM keeps, and the machine's.
type ctaRun struct {
	exec.CTA
	kernel     *kernelRun
	group      *groupRun      // aggregated: its group
	level      int            // 0: of a kernel of the host; 1: of a child of one
	finished   bool           // it has ended, but children have not
	asked      bool           // for children
	swq        int            // stream of its children, where they share one; 0: none yet
	task       *Task          // whose threadblock it is, on a persistent CTA or in a fused kernel
	persistent *PersistentCTA // nil: on an SM itself

	points      []exec.Points // room for its warps'
	untriggered int           // warps that have a trigger and have not passed it
}

// of is the machine's side of a CTA.
func of(c *exec.CTA) *ctaRun { return c.Owner.(*ctaRun) }

// ownGrid stands for a kernel's own CTAs where a group of it is expected.
const ownGrid = -1

// first is the part of k that is placed next: its own grid, then the groups that joined it,
// in order of arrival.
func (k *kernelRun) first() int {
	if k.next < k.native {
		return ownGrid
	}
	return 0
}

// readAt returns a CTA of a grid, at which its cursor is.
func (m *kernels) readAt(k *kernelRun, id uint64) (*ctaRun, error) {
	c := m.takeCTA()
	if k.pending == nil && k.cursor != nil {
		p := m.takeCTA()
		switch err := k.cursor.Next(&p.Trace); {
		case errors.Is(err, io.EOF):
			k.cursor = nil
			m.spareCTAs = append(m.spareCTAs, p)
		case err != nil:
			return nil, fmt.Errorf("kernel %d, CTA %d: %w", k.ID, id, err)
		default:
			k.pending = p
		}
	}
	if k.pending != nil && uint64(k.pending.Trace.ID) == id {
		m.spareCTAs = append(m.spareCTAs, c)
		c, k.pending = k.pending, nil
	} else {
		c.clear(uint32(id))
	}
	if k.next++; k.next == k.native {
		k.cursor = nil
	}
	c.reset(k, uint32(id))
	m.expand(k, c)
	return c, nil
}

// clear makes c a CTA that the trace does not hold.
func (c *ctaRun) clear(id uint32) {
	a := &c.Trace
	a.ID, a.SM, a.Warps, a.Ranges, a.Touches, a.Counts = id, -1, a.Warps[:0], a.Ranges[:0], a.Touches[:0], a.Counts[:0]
}

// reset makes c the CTA of k with an index, before its first instruction.
func (c *ctaRun) reset(k *kernelRun, id uint32) {
	c.Reset(&k.seen, k.code, CTARecord{Kernel: k.ID, CTA: id, Child: NoKernel})
	c.kernel, c.Hold = k, k.inferred
	c.group, c.level, c.finished, c.asked, c.swq, c.task, c.persistent = nil, 0, false, false, 0, nil, nil
}

func (m *kernels) takeCTA() *ctaRun {
	if n := len(m.spareCTAs); n > 0 {
		c := m.spareCTAs[n-1]
		m.spareCTAs = m.spareCTAs[:n-1]
		return c
	}
	c := new(ctaRun)
	c.Owner = c
	return c
}

// launch makes a kernel of the trace known to the machine.
func (m *kernels) launch(id uint32, st *host.Stream) (*kernelRun, error) {
	k := m.takeRun()
	if err := m.tr.Kernel(id, &k.tk); err != nil {
		return nil, err
	}
	k.code = m.lib.Code(k.tk.Function)
	k.seen.Resources = m.cfg.CTAResources(&k.tk)
	total := k.tk.Grid.Count()
	ctas, limit := m.cfg.Residency(&k.tk)
	if total > 0 && ctas == 0 {
		return nil, fmt.Errorf("kernel %d (%s): a CTA of %d threads, %d registers a thread and %d bytes of shared memory "+
			"fits no SM of %s (%s): choose another preset or raise the limit with --set", id,
			m.prog.Functions[k.tk.Function].Name, k.tk.Block.Count(), k.tk.Registers, k.tk.SharedBytes, m.cfg.Name, limit)
	}
	m.order++
	k.is(KernelView{ID: id, Order: m.order, Function: k.tk.Function, Stream: k.tk.Stream, CTAs: total, Left: total})
	k.Number, k.Recorded = k.Order, k.tk.Recorded
	k.In, k.native = st, total
	if st != nil {
		k.HWQ = m.policy.Admission.Queue(st.Seen, m.queues())
	}
	k.rec = m.kernelRecord(k)
	k.infer(m)
	if k.tk.CTAs > 0 {
		k.cursor = m.tr.CTAsOf(&k.tk, 0)
	}
	return k, nil
}

// kernelRecord opens the record of a kernel whose header has been read.
func (m *kernels) kernelRecord(k *kernelRun) KernelRecord {
	return KernelRecord{
		ID: k.ID, Function: m.prog.Functions[k.tk.Function].Name, Short: m.tr.ShortName(k.tk.Function),
		Parent: NoKernel, Stream: k.tk.Stream,
		Fidelity: k.tk.Fidelity, Grid: k.tk.Grid, Block: k.tk.Block, Registers: k.tk.Registers,
		SharedBytes: k.tk.SharedBytes, CTAs: k.CTAs, Recorded: k.tk.Recorded,
		Programmatic: k.tk.Flags&trace.KernelProgrammatic != 0,
		Arrive:       Unset, Dispatch: Unset, FirstCTA: Unset, LastCTA: Unset, End: Unset,
	}
}

// is sets the view of k that policies have, and the one that SMs have.
func (k *kernelRun) is(v KernelView) {
	k.KernelView = v
	k.seen.ID, k.seen.Order, k.seen.Header, k.seen.Traffic = v.ID, v.Order, &k.tk, &k.rec.Work.Traffic
}

func (m *kernels) takeRun() *kernelRun {
	if n := len(m.freeRuns); n > 0 {
		k := m.runs[m.freeRuns[n-1]]
		m.freeRuns = m.freeRuns[:n-1]
		*k = kernelRun{Kernel: host.Kernel{Slot: k.Slot}, smCTAs: k.smCTAs, smSince: k.smSince, groups: k.groups}
		return k
	}
	k := &kernelRun{Kernel: host.Kernel{Slot: uint64(len(m.runs))}}
	k.smCTAs, k.smSince = make([]uint16, len(m.sms)), make([]Time, len(m.sms))
	m.runs = append(m.runs, k)
	return k
}

// expand makes the program of a CTA that needs one.
func (m *kernels) expand(k *kernelRun, c *ctaRun) {
	if k.work == trace.InferredNothing || len(c.Trace.Warps) > 0 || k.work.Held() && !m.unfolds {
		return
	}
	c.Counted = m.lib.Expand(&c.Counts, &k.tk, k.work, &c.Trace)
}

// came and went keep the time in which a kernel has CTAs on an SM; sm holds the first.
func (k *kernelRun) came(sm int, t Time) { k.smSince[sm] = t }

func (k *kernelRun) went(sm int, t Time, warps int) {
	d := uint64(t - k.smSince[sm])
	k.rec.Work.ActiveSMCycles += d
	k.rec.Work.PlaceCycles += d * uint64(warps)
}

// launch returns the request that a CTA comes from, or nil.
func (c *ctaRun) launch() *childLaunch {
	if c.group != nil {
		return c.group.launch
	}
	return c.kernel.launch
}

// infer prepares a kernel whose work is inferred, if it is.
//
// A kernel whose work is inferred from its recorded duration takes it when it
// runs alone on the GPU that it was captured on ([Options].Captured; this
// machine, if nil). Each CTA holds its place for as many cycles as hold finds for
// that GPU, and for as many on this machine (docs/model, "Traces with less in them"
// and choice 18). A kernel without a duration holds each CTA for one cycle;
// one without a grid is a single CTA that needs nothing of an SM. The tables say which figures are
// inferred.
func (k *kernelRun) infer(m *kernels) {
	k.work = trace.InferredOf(&k.tk)
	k.rec.Inferred = k.work
	if !k.work.Held() {
		return
	}
	from := m.captured()
	room := uint64(1)
	if k.CTAs == 0 {
		k.native, k.CTAs, k.Left = 1, 1, 1
		k.seen.Resources = hardware.Resources{}
	} else if m.crowded().Has(k.ID) {
		room = CrowdedCTAs(k.CTAs, from)
		k.native, k.CTAs, k.Left = room, room, room
		k.seen.Resources = hardware.Resources{}
	} else {
		resident, _ := from.Residency(&k.tk)
		room = uint64(max(1, resident) * from.SM.Count)
	}
	k.inferred = 1
	if k.work == trace.InferredTime {
		k.inferred = hold(from, host.Cycles(k.tk.Recorded.DurationNs, from), k.CTAs, room)
	}
}
