package exec

import (
	"math/bits"

	"gpureplay/model/hardware"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// memRequest is the request of a memory instruction of a warp to the load/store unit.
type memRequest struct {
	a     *trace.Access // nil: the trace has none
	lists []uint64
	mask  uint32 // lanes of a warp
	slot  int    // where its warp is, if its access is to local memory
	// of a held access to shared memory: for how many cycles it keeps the load/store unit
	cycles Time
}

// ask fills in the request of o, the next instruction of w.
func (x *memRequest) ask(s *SM, w *Warp, o *program.Op) {
	x.a, x.lists, x.mask, x.cycles = nil, w.Lists, w.Mask, 0
	if o.Mem {
		x.a = &w.Mem[w.NextMem]
		w.NextMem++
	}
	if o.Space == trace.SpaceLocal {
		x.slot = s.Slot(w)
	}
}

// global reports whether it goes to global or texture memory.
func (x *memRequest) global(o *program.Op) bool {
	return x.a != nil && x.a.Count > 0 && (o.Space == trace.SpaceGlobal || o.Space == trace.SpaceTexture)
}

// access times one memory instruction that issues in cycle t. It returns when a dependent instruction may issue
// (for stores: when it is acknowledged), or [memory.Unknown] and the number of the access.
func (s *SM) access(w *Warp, o *program.Op, t Time) (done Time, load int32) {
	var x memRequest
	x.ask(s, w, o)
	if s.Accesses != nil && x.global(o) {
		s.watch(w, o, x.a, t)
	}
	return s.timed(&x, o, w.CTA, t)
}

// timed times a request of instruction o of CTA c. The request reaches the load/store unit
// in cycle t. It returns the same as access.
func (s *SM) timed(x *memRequest, o *program.Op, c *CTA, t Time) (done Time, load int32) {
	u := s.port
	switch a := x.a; {
	case a == nil || o.Space == trace.SpaceConstant || o.Space == trace.SpaceNone:
		return u.Constant(t)
	case o.Space == trace.SpaceShared:
		return u.Shared(s.sharedCycles(a, x.lists, uint64(o.Width)), o.Flags&trace.InstLoad != 0, t)
	case a.Count == 0:
		return u.Nothing(t) // predicated off
	case o.Space == trace.SpaceLocal:
		s.spread(x, o, c.Kernel)
	case o.Flags&trace.InstAtomic != 0:
		s.co.Atomic(a, x.lists, uint64(o.Width))
	default:
		s.co.Coalesce(a, x.lists, uint64(o.Width))
	}
	return u.Global(c.Kernel.Traffic, o.Space, o.Flags, t)
}

// sharedCycles returns for how many cycles an access to shared memory keeps the load/store unit.
func (s *SM) sharedCycles(a *trace.Access, lists []uint64, width uint64) Time {
	if s.shared.InRow(a, width) {
		return 1
	}
	return Time(s.shared.Cycles(a, lists, width))
}

// spread gives the sectors of a local access: captures have one address for all
// lanes, the hardware interleaves the threads' words.
func (s *SM) spread(x *memRequest, o *program.Op, k *Kernel) {
	co := s.co
	co.Reset()
	base := x.a.Base
	if x.a.List != 0 {
		base = x.lists[x.a.List-1]
	}
	first, apart := s.localWord(x.slot, k)
	word := LocalWindow + (base>>2*apart+first)&(1<<60-1)
	part := uint32(0xf) // bytes of a word
	if o.Width < 4 {
		part = 0xf & ((1<<o.Width - 1) << (base & 3))
	}
	for n := max(1, uint64(o.Width)/4); n > 0; n-- {
		for i := range uint64(4) {
			if lanes := x.mask >> (8 * i) & 0xff; lanes != 0 {
				co.Append(word>>hardware.SectorShift+i, spreadLanes(lanes, part))
			}
		}
		word += apart
	}
	co.TakeTurns()
}

// localWord returns where word 0 of the first lane of the warp in a slot lies in local memory, and how far apart
// the words of a lane are. They are 4 bytes apart for each thread that the GPU has of the kernel at a time, its
// CTAs going round the SMs (GPGPU-Sim's translate_local_memaddr). Where an SM has more CTAs than its share, they
// are far away.
func (s *SM) localWord(slot int, k *Kernel) (first, apart uint64) {
	padded := (k.Header.Block.Count() + hardware.WarpSize - 1) / hardware.WarpSize * hardware.WarpSize
	sms := uint64(s.Config.SM.Count)
	if k.apart == 0 {
		k.share = uint64(max(1, s.Config.Share(k.Header)))
		k.apart = 4 * padded * k.share * sms
	}
	thread := uint64(slot) * hardware.WarpSize
	round, cta := thread/padded/k.share, thread/padded%k.share
	return round<<beyondShare + 4*(padded*(uint64(s.Config.NumberInPort(s.ID))+sms*cta)+thread%padded), k.apart
}

// spreadLanes returns the bits of the bytes that eight lanes touch, a part of a word of 4 bytes each.
func spreadLanes(lanes, part uint32) (bytes uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		bytes |= part << (4 * bits.TrailingZeros32(lanes))
	}
	return bytes
}

// beyondShare keeps CTAs apart from those that are an SM's share: a bit of the address.
const beyondShare = 48

// LocalWindow keeps local memory apart from every address of a trace. The rest of it, which chooses slices and banks,
// is GPGPU-Sim's LOCAL_GENERIC_START. The window is a multiple of 3, 5, 7 and their products, so that it drops out
// where as many channels, times a power of two, divide addresses.
const LocalWindow = 3*5*7<<56 + 0x1f880000
