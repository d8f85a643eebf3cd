package reference

import (
	"gpureplay/model"
	"gpureplay/trace"
)

// nPassing has the requests that a bank of an L1 has let go.
type nPassing struct{ left model.Time } // the last cycle in which one left it, or will

// roomFor: where an L1's queue has two places, one is for stores.
func (x *nNetwork) roomFor(k *nPacket) int {
	if k.kind == trace.InstLoad {
		return max(1, x.m.cfg.L1.MissQueue-1)
	}
	return x.m.cfg.L1.MissQueue
}

// hasRoom: a bank holds as many requests as its latency is long, and hits before them.
func (x *nNetwork) hasRoom(sm, bank int) bool {
	room := max(1, x.m.cfg.L1.Latency)
	if bank == len(x.banks[sm])-1 {
		room = max(room, x.m.cfg.L1.BypassLatency)
	}
	held := x.banks[sm][bank]
	for len(held) > 0 && held[0].leaves {
		held = held[1:]
	}
	return len(held) < room
}

// hitInBank has a hit wait behind the requests in its bank. If only hits are there, it does not wait: their times
// are known. It reports whether there was room.
func (u *nLSU) hitInBank(h *nHeld, k *nPacket, bank int, ready model.Time) bool {
	x, sm := u.n.mem.net, u.s.id
	if !x.hasRoom(sm, bank) {
		h.bank = bank
		return false
	}
	at := &x.banks[sm][bank]
	k.hit, k.ready = true, ready
	k.back = func(left model.Time) { h.done = max(h.done, left+4) }
	*at = append(*at, k)
	if x.leaveHits(sm, bank); !k.leaves {
		h.open, h.numbered = h.open+1, true
		k.back = func(left model.Time) { u.answered(h, left+4) }
	}
	return true
}

// leaveHits finds when the hits leave before which nothing else is in their bank: in their
// order, one a cycle.
func (x *nNetwork) leaveHits(sm, bank int) {
	p := &x.passing[sm][bank]
	for _, k := range x.banks[sm][bank] {
		if !k.hit {
			return
		}
		if !k.leaves {
			k.leaves, k.ready = true, max(k.ready, p.left+1)
			p.left = k.ready
			k.back(k.ready)
		}
	}
}

// leaveBank lets one request go from a bank in cycle t, a miss or store to the L1's queue.
func (x *nNetwork) leaveBank(sm, bank int, t model.Time) {
	at := &x.banks[sm][bank]
	for len(*at) > 0 && (*at)[0].hit {
		if (*at)[0].ready > t {
			return
		}
		k := (*at)[0]
		if *at = (*at)[1:]; k.ready == t {
			return
		}
	}
	if len(*at) == 0 || (*at)[0].ready > t {
		return
	}
	if k := (*at)[0]; !k.look(t) {
		return
	}
	*at = (*at)[1:]
	x.passing[sm][bank].left = t
	x.leaveHits(sm, bank)
}
