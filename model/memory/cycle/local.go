package cycle

import "gpureplay/model/memory"

// kind is the kind of an instruction that stays on its SM.
type kind uint8

const (
	leaves   kind = iota // nothing comes back: an access of no lane, a store to shared memory
	fixed                // cycles, and the latency of shared memory
	returned             // and the write-back port
)

// Constant is of [memory.Port].
func (u *Unit) Constant(t Time) (done Time, load int32) { return u.local(fixed, 1, t) }

// Nothing is of [memory.Port].
func (u *Unit) Nothing(t Time) (done Time, load int32) { return u.local(leaves, 1, t) }

// Shared is of [memory.Port]. The result of a load takes the write-back register.
func (u *Unit) Shared(cycles Time, loads bool, t Time) (done Time, load int32) {
	switch {
	case !loads:
		return u.local(leaves, cycles, t)
	case len(u.stalled) > 0:
		return u.local(returned, cycles, t)
	}
	u.enqueueShared(&u.through, u.Begin(t, cycles)+cycles)
	return memory.Unknown, u.numbered()
}

// local times an instruction that stays on its SM, unless it is behind one that waits.
func (u *Unit) local(k kind, cycles, t Time) (done Time, load int32) {
	if len(u.stalled) > 0 {
		h := u.queueUp()
		*h = stalledInst{own: h.own, kind: k, cycles: cycles, access: access{load: memory.NoLoad}}
		u.promise(h)
		return memory.Unknown, u.numbered()
	}
	return u.onSM(&u.through, k, cycles, t), u.numbered()
}

// onSM times an instruction that stays on its SM, from when the unit takes it.
func (u *Unit) onSM(p *access, k kind, cycles, t Time) Time {
	start := u.Begin(t, cycles)
	switch k {
	case leaves:
		return start + cycles - 1 + u.left
	case returned:
		u.enqueueShared(p, start+cycles)
		return memory.Unknown
	}
	return start + cycles - 1 + u.SharedLatency()
}
