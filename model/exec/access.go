package exec

import (
	"math/bits"

	"gpureplay/model/hardware"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// access times one memory instruction that issues in cycle t and returns when a
// dependent instruction may issue (for stores: when it is acknowledged), as far as that
// is known.
func (s *SM) access(w *Warp, o *program.Op, t Time) (done Time) {
	u := &s.lsu
	var a *trace.Access
	if o.Mem {
		a = &w.Mem[w.NextMem]
		w.NextMem++
	}
	switch {
	case a == nil || o.Space == trace.SpaceConstant || o.Space == trace.SpaceNone:
		return u.Constant(t)
	case o.Space == trace.SpaceShared:
		return u.Shared(a, w.Lists, uint64(o.Width), o.Flags&trace.InstLoad != 0, t)
	case a.Count == 0:
		return u.Nothing(t) // predicated off
	case o.Space == trace.SpaceLocal:
		s.spread(w, a, o)
	case o.Flags&trace.InstAtomic != 0:
		u.Atomic(a, w.Lists, uint64(o.Width))
	default:
		u.Coalescer.Coalesce(a, w.Lists, uint64(o.Width))
	}
	if s.Accesses != nil && o.Space != trace.SpaceLocal {
		s.watch(w, o, a, t)
	}
	return u.Global(w.CTA.Kernel.Traffic, o.Space, o.Flags, t)
}

// spread gives the sectors of a local access: captures have one address for all
// lanes, the hardware interleaves the threads' words.
func (s *SM) spread(w *Warp, a *trace.Access, o *program.Op) {
	co := s.lsu.Coalescer
	co.Reset()
	base := a.Base
	if a.List != 0 {
		base = w.Lists[a.List-1]
	}
	first, apart := s.localWord(w)
	word := LocalWindow + (base>>2*apart+first)&(1<<60-1)
	for n := max(1, uint64(o.Width)/4); n > 0; n-- {
		for i := range uint64(4) {
			if lanes := w.Mask >> (8 * i) & 0xff; lanes != 0 {
				co.Append(word>>hardware.SectorShift+i, spreadLanes(lanes))
			}
		}
		word += apart
	}
	co.TakeTurns()
}

// localWord returns where word 0 of a warp's first lane lies in local memory, and how far
// apart the words of a lane are: 4 bytes for each thread that the GPU has of the kernel at
// a time, its CTAs going round the SMs (GPGPU-Sim's translate_local_memaddr). Where an SM
// has more CTAs than its share, they are far away.
func (s *SM) localWord(w *Warp) (first, apart uint64) {
	k := w.CTA.Kernel
	padded, sms := (k.Header.Block.Count()+hardware.WarpSize-1)/hardware.WarpSize*hardware.WarpSize, uint64(s.Config.SM.Count)
	if k.apart == 0 {
		k.share = uint64(max(1, s.Config.Share(k.Header)))
		k.apart = 4 * padded * k.share * sms
	}
	thread := uint64(s.Slot(w)) * hardware.WarpSize
	round, cta := thread/padded/k.share, thread/padded%k.share
	return round<<beyondShare + 4*(padded*(uint64(s.ID)+sms*cta)+thread%padded), k.apart
}

// spreadLanes returns the bits of the words of 4 bytes that eight lanes touch.
func spreadLanes(lanes uint32) (bytes uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		bytes |= 0xf << (4 * bits.TrailingZeros32(lanes))
	}
	return bytes
}

// beyondShare keeps CTAs apart from those that are an SM's share: a bit of the address.
const beyondShare = 48

// LocalWindow keeps local memory apart from every address of a trace. The low bits, which
// choose slices and banks, are those of GPGPU-Sim's LOCAL_GENERIC_START.
const LocalWindow = 1<<62 | 0x1f880000
