package model

import (
	"fmt"
)

// nextCTA returns the next CTA of a group of k, or of its own grid.
func (u *ctaScheduler) nextCTA(k *kernelRun, group int) (*ctaRun, error) {
	if group == ownGrid {
		c, err := u.readCTA(k)
		if err == nil && k.launch != nil {
			c.level = k.launch.parent.level + 1
		}
		return c, err
	}
	p := k.groups.At(group)
	if p.run == nil {
		run, err := u.children.makeRun(p.launch)
		if err != nil {
			return nil, err
		}
		p.run = &groupRun{launch: p.launch, first: p.first, run: run, left: uint64(p.launch.ctas)}
	}
	g := p.run
	c, err := u.readCTA(g.run)
	if err != nil {
		return nil, err
	}
	if g.run.next == g.run.native {
		k.groups.Remove(group)
		u.kernels.freeRuns = append(u.kernels.freeRuns, g.run.Slot)
	}
	c.kernel, c.Kernel, c.group, c.level = k, &k.seen, g, g.launch.parent.level+1
	c.Rec.Kernel, c.Rec.Child = k.ID, g.launch.child
	return c, nil
}

// readCTA returns the next CTA of a grid in linear order, in a buffer of its
// own. A CTA that the trace does not hold has no warps.
func (u *ctaScheduler) readCTA(k *kernelRun) (*ctaRun, error) {
	if k.fused != nil {
		return k.fused.nextCTA(k)
	}
	if u.gated(k) {
		return u.gatedCTA(k)
	}
	return u.kernels.readAt(k, k.next)
}

// gated reports whether the CTAs of k are let go one by one.
func (u *ctaScheduler) gated(k *kernelRun) bool { return u.gate != nil && k.In != nil }

// gatedCTA returns the CTA of k that its dependency lets go.
func (u *ctaScheduler) gatedCTA(k *kernelRun) (*ctaRun, error) {
	id, ok := u.gate.Next(k.Order)
	if !ok {
		panic(fmt.Sprintf("%T lets no CTA of kernel %d go", u.gate, k.ID))
	}
	if id != k.at && k.tk.CTAs > 0 {
		if k.pending != nil {
			u.kernels.spareCTAs = append(u.kernels.spareCTAs, k.pending)
			k.pending = nil
		}
		var err error
		if k.cursor, err = u.tr.CTAs(k.ID, id); err != nil {
			return nil, err
		}
	}
	k.at = id + 1
	c, err := u.kernels.readAt(k, uint64(id))
	if err == nil {
		u.gate.Placed(k.Order, id, u.now)
		u.mark(k, c)
	}
	return c, err
}
