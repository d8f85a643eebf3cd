package convert

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gpureplay/convert/nvprof"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// childWriter writes kernels that launch others.
//
// CUPTI records for a child its parent's grid and the CTA that launched it, not the thread, and nothing else of the
// parent's threads. So a parent has the CTAs that launch, each with one warp whose path is a launch step for every
// 32 children (fewer if the CTA has fewer threads), child i on lane i mod 32, in the order of their starts, and the
// exit. The parent's fidelity is its warps'; its other work is unknown, which is counted. The child's threads stand
// for its items of work.
type childWriter struct {
	info     *nvprof.Info
	b        *timeline.Builder
	children *nvprof.Children
	queue    []pending
	insts    map[uint32][2]uint32 // function: its launch and exit instructions
}

// maxDescendants is how many kernels one launch of the host may lead to.
const maxDescendants = 1 << 21

// pending is a kernel of the current family that is yet to be written.
type pending struct {
	gridID   uint64
	kernel   trace.Kernel
	recorded trace.Recorded
	flags    trace.KernelFlags
}

// write writes the host's kernel k and all its descendants, breadth first, so
// that ids are dense and a child's is greater than its parent's. It reports
// false, having written nothing, if k has no children.
func (c *childWriter) write(s *timelineSink, gridID uint64, k *trace.Kernel, function uint32) (uint32, bool, error) {
	if !c.children.Has(gridID) {
		return 0, false, nil
	}
	first := s.w.NextKernel()
	next := uint64(first) + 1
	c.queue = append(c.queue[:0], pending{gridID: gridID, kernel: *k, recorded: *k.Recorded})
	for i := 0; i < len(c.queue); i++ {
		p := c.queue[i] // the slice may move
		p.kernel.Recorded = &p.recorded
		children, err := c.children.Of(p.gridID)
		if err != nil {
			return 0, false, err
		}
		if len(children) == 0 {
			if _, err := s.kernel(&p.kernel, p.flags); err != nil {
				return 0, false, err
			}
			continue
		}
		if err := c.parent(s, &p, children, uint32(next)); err != nil {
			return 0, false, err
		}
		next += uint64(len(children))
		if next > math.MaxUint32 || len(c.queue)+len(children) > maxDescendants {
			return 0, false, fmt.Errorf("more than %d kernels descend from one launch", maxDescendants)
		}
		for j := range children {
			c.queue = append(c.queue, c.child(s, &p.kernel, &children[j]))
		}
	}
	return first, true, nil
}

func (c *childWriter) child(s *timelineSink, parent *trace.Kernel, ch *nvprof.Child) pending {
	p := pending{
		gridID: ch.GridID, flags: trace.KernelChild,
		recorded: trace.Recorded{HostNs: -1, StartNs: ch.StartNs - c.b.FirstNs(), DurationNs: ch.DurationNs},
		kernel: trace.Kernel{
			Function: s.function(c.b.NameText(ch.Name)), Fidelity: trace.FidelityKernel, Device: parent.Device,
			Grid: ch.Grid, Block: ch.Block, Registers: ch.Registers, SharedBytes: ch.SharedBytes, LocalBytes: ch.LocalBytes,
			Stream: ch.Stream,
		},
	}
	if !ch.Grid.Valid() || !ch.Block.Valid() {
		p.kernel.Fidelity, p.kernel.Grid, p.kernel.Block = trace.FidelityNone, trace.Dim3{}, trace.Dim3{}
	}
	return p
}

// parent writes a kernel whose children have the ids from next on.
func (c *childWriter) parent(s *timelineSink, p *pending, children []nvprof.Child, next uint32) error {
	c.info.Parents++
	if p.kernel.Fidelity == trace.FidelityNone { // no grid: its blocks say how large it must be
		p.kernel.Grid, p.kernel.Block = trace.Dim3{1, 1, 1}, trace.Dim3{1, 1, 1}
		for i := range children {
			for axis, at := range children[i].ParentBlock {
				p.kernel.Grid[axis] = max(p.kernel.Grid[axis], min(at, math.MaxUint32-1)+1)
			}
		}
		if !p.kernel.Grid.Valid() { // no grid has blocks there: they count as misplaced
			p.kernel.Grid = trace.Dim3{1, 1, 1}
		}
	}
	p.kernel.Fidelity = trace.FidelityWarp
	s.least = min(s.least, trace.FidelityWarp)
	s.kernels++
	if _, err := s.w.BeginKernel(&p.kernel); err != nil {
		return err
	}
	for i := range children {
		if !inside(&p.kernel, children[i].ParentBlock) {
			c.info.Misplaced++
		}
	}
	slices.SortStableFunc(children, func(a, b nvprof.Child) int {
		return cmp.Compare(ctaOf(&p.kernel, a.ParentBlock), ctaOf(&p.kernel, b.ParentBlock))
	})
	insts := c.code(s, p.kernel.Function)
	lanes := int(min(p.kernel.Block.Count(), 32))
	for len(children) > 0 {
		id, n := ctaOf(&p.kernel, children[0].ParentBlock), 1
		for n < len(children) && ctaOf(&p.kernel, children[n].ParentBlock) == id {
			n++
		}
		cta := trace.CTA{ID: id, SM: -1, Warps: []trace.Warp{launchWarp(children[:n], lanes, next, insts)}}
		if err := s.w.WriteCTA(&cta); err != nil {
			return err
		}
		children, next = children[n:], next+uint32(n)
	}
	return s.w.EndKernel(p.flags | s.flagsOf(p.kernel.Function))
}

func inside(k *trace.Kernel, at trace.Dim3) bool {
	return at[0] < k.Grid[0] && at[1] < k.Grid[1] && at[2] < k.Grid[2]
}

// ctaOf is the linear index of a block; one outside the grid counts as the last.
func ctaOf(k *trace.Kernel, at trace.Dim3) uint32 {
	if !inside(k, at) {
		return uint32(min(k.Grid.Count(), math.MaxUint32) - 1)
	}
	return uint32((uint64(at[2])*uint64(k.Grid[1])+uint64(at[1]))*uint64(k.Grid[0]) + uint64(at[0]))
}

// code returns the launch and exit instructions of a function.
func (c *childWriter) code(s *timelineSink, function uint32) [2]uint32 {
	insts, ok := c.insts[function]
	if !ok {
		insts = [2]uint32{
			s.w.AddInst(function, trace.Inst{PC: 0, Opcode: "CDP.LAUNCH", Class: trace.ClassLaunch}),
			s.w.AddInst(function, trace.Inst{PC: 16, Opcode: "EXIT", Class: trace.ClassExit}),
		}
		c.insts[function] = insts
	}
	return insts
}

// launchWarp is the warp that launches children with the ids from next on.
func launchWarp(children []nvprof.Child, lanes int, next uint32, insts [2]uint32) trace.Warp {
	full := uint32(1<<lanes - 1)
	w := trace.Warp{Masks: []trace.MaskRun{{At: 0, Mask: full}}}
	for i := range children {
		step, lane := i/lanes, i%lanes
		if lane == 0 {
			w.Path = append(w.Path, insts[0])
		}
		w.Launches = append(w.Launches, trace.Launch{
			At: uint32(step), Lane: uint8(lane), Marked: true, Child: next + uint32(i),
			Workload: uint32(min(children[i].Grid.Count()*children[i].Block.Count(), math.MaxUint32)),
		})
	}
	if rest := len(children) % lanes; rest != 0 {
		last := uint32(len(w.Path) - 1)
		if last == 0 {
			w.Masks = w.Masks[:0]
		}
		w.Masks = append(w.Masks, trace.MaskRun{At: last, Mask: 1<<rest - 1})
		w.Masks = append(w.Masks, trace.MaskRun{At: last + 1, Mask: full})
	}
	w.Path = append(w.Path, insts[1])
	return w
}
