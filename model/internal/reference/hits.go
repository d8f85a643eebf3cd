package reference

import (
	"gpureplay/model"
	"gpureplay/trace"
)

// roomFor: where an L1's queue has two places, one is for stores.
func (x *nNetwork) roomFor(k *nPacket) int {
	if k.kind == trace.InstLoad {
		return max(1, x.m.cfg.L1.MissQueue-1)
	}
	return x.m.cfg.L1.MissQueue
}

// hasRoom: a bank holds as many requests as its latency is long.
func (x *nNetwork) hasRoom(sm, bank int) bool {
	room := max(1, x.m.cfg.L1.Latency)
	if bank == len(x.banks[sm])-1 {
		room = max(room, x.m.cfg.L1.BypassLatency)
	}
	return len(x.banks[sm][bank]) < room
}

// banksEmpty reports whether nothing is in the banks of an SM's L1: a hit is known to be one then, since nothing
// takes its line before it is at the head.
func (x *nNetwork) banksEmpty(sm int) bool {
	for _, bank := range x.banks[sm][:x.m.cfg.L1.Banks] {
		if len(bank) > 0 {
			return false
		}
	}
	return true
}

// leaveBank lets one request go from a bank in cycle t, a miss or store to the L1's queue.
func (x *nNetwork) leaveBank(sm, bank int, t model.Time) {
	at, left := &x.banks[sm][bank], &x.left[sm][bank]
	if len(*at) == 0 || max((*at)[0].ready, *left+1) > t {
		return
	}
	if k := (*at)[0]; k.look(t) {
		*at, *left = (*at)[1:], t
	}
}
