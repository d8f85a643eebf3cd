package neutral

import (
	tables "gpureplay/replay/table/neutral"
	"gpureplay/trace"
)

// execution writes the kernels and, where no table of calls does, launches those
// that are neither children nor tasks.
func (c *converter) execution() error {
	for {
		if err := c.kernels.advance(); err != nil {
			return err
		}
		if !c.kernels.live {
			break
		}
		if err := c.kernel(&c.kernels.head); err != nil {
			return err
		}
	}
	n := c.w.NextKernel()
	for _, left := range []func(uint32) error{c.ctas.leftOver, c.ranges.leftOver, c.counts.leftOver, c.warps.leftOver,
		c.steps.leftOver,
		c.accesses.leftOver, c.launches.leftOver} {
		if err := left(n); err != nil {
			return err
		}
	}
	return nil
}

func (c *converter) kernel(r *tables.KernelRow) error {
	id := c.w.NextKernel()
	if err := c.kernels.inOrder("kernel", r.Index, int(id)); err != nil {
		return err
	}
	function, err := c.functionOf(r)
	if err != nil {
		return err
	}
	k := r.Kernel
	k.Function, k.Recorded = function, r.Times.Recorded()
	if k.Scope, err = c.scope(r.Within); err != nil {
		return c.kernels.Errorf("%w", err)
	}
	flat(&k.Grid)
	flat(&k.Block)
	flat(&k.Cluster)
	if k.Fidelity == tables.Unstated {
		k.Fidelity = c.fidelity(id, &k)
	}
	if _, err := c.w.BeginKernel(&k); err != nil {
		return c.kernels.Errorf("%w", err)
	}
	for {
		at, ok := c.next(id)
		if !ok {
			break
		}
		if err := c.cta(&k, tables.Place{Kernel: id, CTA: at.CTA}); err != nil {
			return err
		}
	}
	flags := c.flags(c.names[function])
	if c.children.has(id) {
		flags |= trace.KernelChild
	}
	if c.tasks.has(id) {
		flags |= trace.KernelTask
	}
	if err := c.w.EndKernel(flags); err != nil {
		return c.kernels.Errorf("%w", err)
	}
	if c.calls || (flags|k.Flags)&(trace.KernelChild|trace.KernelTask) != 0 {
		return nil
	}
	if err := c.w.Host(&trace.HostOp{Kind: trace.OpLaunch, Kernel: id, Stream: k.Stream, Recorded: k.Recorded,
		Scope: k.Scope}); err != nil {
		return c.kernels.Errorf("%w", err)
	}
	return nil
}

// flat makes an extent that is stated in one dimension one of three.
func flat(d *trace.Dim3) {
	if d[0] > 0 {
		d[1], d[2] = max(d[1], 1), max(d[2], 1)
	}
}

// fidelity is how much the tables know of a kernel.
func (c *converter) fidelity(id uint32, k *trace.Kernel) trace.Fidelity {
	in := func(p tables.Place, ok bool) bool { return ok && p.Kernel == id }
	switch {
	case in(c.warps.headPlace()), in(c.steps.headPlace()), in(c.accesses.headPlace()), in(c.launches.headPlace()):
		return trace.FidelityWarp
	case in(c.ctas.headPlace()), in(c.ranges.headPlace()), in(c.counts.headPlace()):
		return trace.FidelityCTA
	case k.Grid.Count() > 0:
		return trace.FidelityKernel
	}
	return trace.FidelityNone
}

// next returns the least place of a kernel at which a table stands.
func (c *converter) next(kernel uint32) (least tables.Place, ok bool) {
	see := func(p tables.Place, live bool) {
		if live && p.Kernel == kernel && (!ok || compare(p, least) < 0) {
			least, ok = p, true
		}
	}
	see(c.ctas.headPlace())
	see(c.ranges.headPlace())
	see(c.counts.headPlace())
	c.seeWarps(see)
	return least, ok
}

func (c *converter) seeWarps(see func(tables.Place, bool)) {
	see(c.warps.headPlace())
	see(c.steps.headPlace())
	see(c.accesses.headPlace())
	see(c.launches.headPlace())
}

// cta writes a CTA from all tables that stand at it.
func (c *converter) cta(k *trace.Kernel, at tables.Place) error {
	cta := trace.CTA{ID: at.CTA, SM: -1}
	if c.ctas.at(at) {
		cta.SM = c.ctas.head.SM
		if c.ctas.head.Ranges >= 0 {
			cta.Ranges = []trace.Range{}
		}
		if err := c.ctas.advance(); err != nil {
			return err
		}
		if c.ctas.at(at) {
			return c.ctas.Errorf("kernel %d, CTA %d stands there twice", at.Kernel, at.CTA)
		}
	}
	for c.ranges.at(at) {
		list := &cta.Ranges
		if c.ranges.head.Kind == 1 {
			list = &cta.Touches
		}
		if c.ranges.head.Array >= uint32(len(c.arrays)) {
			return c.ranges.Errorf("array %d, but the table arrays has %d", c.ranges.head.Array, len(c.arrays))
		}
		if len(*list) == maxRows {
			return c.ranges.Errorf("more than %d ranges of one CTA", maxRows)
		}
		*list = append(*list, c.ranges.head.Range)
		if err := c.ranges.advance(); err != nil {
			return err
		}
	}
	counts, err := c.count(k, at)
	if err != nil {
		return err
	}
	cta.Counts = counts
	c.steppedCTA = 0
	for {
		place, ok := at, false
		c.seeWarps(func(p tables.Place, live bool) {
			if live && p.Kernel == at.Kernel && p.CTA == at.CTA && (!ok || p.Warp < place.Warp) {
				place, ok = p, true
			}
		})
		if !ok {
			break
		}
		w, err := c.warp(k, place)
		if err != nil {
			return err
		}
		cta.Warps = append(cta.Warps, w)
	}
	if err := c.w.WriteCTA(&cta); err != nil {
		return c.kernels.Errorf("%w", err)
	}
	return nil
}
