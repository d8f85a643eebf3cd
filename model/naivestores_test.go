package model_test

import (
	"fmt"
	"strings"

	"gpureplay/trace"
)

// storesHold says whether stores keep CTAs of a random machine. The values drawn so far decide
// it: one more draw would make other traces of all seeds.
func storesHold(drawn []string) string {
	return fmt.Sprintf("sm.stores_hold_cta=%v", len(strings.Join(drawn, ""))%2 == 0)
}

// posts reports whether the stores of a CTA of k do not keep it on its SM.
func (n *naive) posts(k *nKernel, item *nItem) bool {
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
