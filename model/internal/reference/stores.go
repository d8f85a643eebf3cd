package reference

import (
	"gpureplay/trace"
)

// posts reports whether the stores of a CTA of k do not keep it on its SM.
func (n *Machine) posts(k *nKernel, item *nItem) bool {
	c := n.cfg
	if c.SM.StoresHoldCTA || c.CycleMemory() || c.SM.Collectors() || n.over != nil || n.gate != nil {
		return false
	}
	if k.parent != nil || k.request != nil || k.task != nil || k.fused != nil || item.group != nil || item.task != nil {
		return false
	}
	for _, in := range n.prog.Functions[k.tk.Function].Insts {
		launches := in.Class == trace.ClassLaunch && !(n.captured && in.FlatLast > 0)
		if launches || in.Class == trace.ClassDeviceSync {
			return false
		}
	}
	return true
}
