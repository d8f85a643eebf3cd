package accelsim

import (
	"strings"

	"gpureplay/trace"
)

// flow follows values that were loaded from global memory through the
// registers of a warp, to see whether they become addresses.
type flow struct {
	steps  []flowStep        // by index in the trace's function
	shared bool              // a loaded value was put in shared memory
	seen   map[uint64]bool   // verdicts on warps by path and masks
	spills map[uint64]uint32 // by local address, the lanes whose value there was loaded
}

// flowStep is one static instruction as flow reads it.
type flowStep struct {
	space    trace.Space
	flags    trace.InstFlags
	mem      bool
	async    bool // the loaded data goes to shared memory
	crosses  bool // values go from lane to lane
	width    uint32
	address  int16   // register; -1: none
	uniforms []int16 // more registers of an address
	dst, src []int16
}

const (
	flowRegs  = 512     // general, then uniform registers
	maxSeen   = 1 << 14 // verdicts kept
	maxSpills = 1 << 12 // local addresses kept
)

func newFlow() flow { return flow{seen: map[uint64]bool{}, spills: map[uint64]uint32{}} }

// add takes an instruction that was just added to the trace.
func (f *flow) add(in *trace.Inst, s *static) {
	t := flowStep{space: in.Space, flags: in.Flags, mem: s.mem, async: s.ldgsts, width: s.width, address: -1}
	switch base, _, _ := strings.Cut(in.Opcode, "."); base {
	case "SHFL", "MATCH", "MOVM", "REDUX", "CREDUX", "VOTE":
		t.crosses = true
	}
	for _, r := range in.Src {
		i, ok := flowReg(r)
		if !ok {
			continue
		}
		if t.mem && !s.bulk {
			switch {
			case i >= 256:
				t.uniforms = append(t.uniforms, i)
				continue
			case t.address < 0 || s.ldgsts && len(t.src) == 1 && len(t.dst) == 0:
				t.address = i
			}
		}
		t.src = append(t.src, i)
	}
	for _, r := range in.Dst {
		i, ok := flowReg(r)
		if !ok {
			continue
		}
		n := int16(1)
		if t.mem {
			n = int16(min(max(t.width, 4), 64) / 4)
		} else if strings.Contains(in.Opcode, ".WIDE") || strings.Contains(in.Opcode, ".64") {
			n = 2
		}
		for j := range n {
			if i+j < flowRegs {
				t.dst = append(t.dst, i+j)
			}
		}
	}
	f.steps = append(f.steps, t)
}

// flowReg numbers the registers that carry addresses.
func flowReg(r trace.Reg) (int16, bool) {
	switch kind := r & 0xff00; {
	case r.Zero():
		return 0, false
	case kind == trace.RegGeneral:
		return int16(r & 0xff), true
	case kind == trace.RegUniform:
		return 256 + int16(r&0xff), true
	}
	return 0, false
}

// indirect reports whether an address of the warp's global accesses depends on
// a value that it loaded from global memory.
func (f *flow) indirect(w *trace.Warp) bool {
	key := f.hash(w)
	verdict, ok := f.seen[key]
	if ok {
		return verdict
	}
	before := f.shared
	verdict = f.follow(w)
	if f.shared != before || len(f.seen) >= maxSeen {
		clear(f.seen) // verdicts without that taint
	} else {
		f.seen[key] = verdict
	}
	return verdict
}

// hash is of the warp's path and masks.
func (f *flow) hash(w *trace.Warp) uint64 {
	h := uint64(len(w.Path))
	for _, i := range w.Path {
		h = (h ^ uint64(i)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	for _, m := range w.Masks {
		h = (h ^ uint64(m.At)<<32 ^ uint64(m.Mask)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// loaded holds for each register the lanes whose value was loaded.
type loaded [flowRegs]uint32

func (l *loaded) of(regs []int16) (lanes uint32) {
	for _, r := range regs {
		lanes |= l[r]
	}
	return lanes
}

// follow goes through the warp, lane by lane.
func (f *flow) follow(w *trace.Warp) bool {
	var regs loaded
	clear(f.spills)
	run, mem := 0, 0
	for at, i := range w.Path {
		for run+1 < len(w.Masks) && int(w.Masks[run+1].At) <= at {
			run++
		}
		t := &f.steps[i]
		var a *trace.Access
		if t.mem {
			a = &w.Mem[mem]
			mem++
		}
		mask := w.Masks[run].Mask
		if mask == 0 {
			continue
		}
		if t.mem && t.space == trace.SpaceGlobal && (t.address >= 0 && regs[t.address]&mask != 0 ||
			regs.of(t.uniforms) != 0) {
			return true
		}
		lanes := f.mark(t, a, &regs, mask)
		for _, r := range t.dst {
			regs[r] = regs[r]&^mask | lanes&mask
			if r >= 256 { // one register of the whole warp
				regs[r] = spread(lanes & mask)
			}
		}
	}
	return false
}

// spread marks all lanes if any is.
func spread(lanes uint32) uint32 {
	if lanes != 0 {
		return ^uint32(0)
	}
	return 0
}

// mark records the lanes in which an instruction writes data from global memory; stores mark their target.
func (f *flow) mark(t *flowStep, a *trace.Access, regs *loaded, mask uint32) uint32 {
	value := regs.of(t.src)
	if !t.mem {
		if t.crosses {
			return spread(value)
		}
		return value
	}
	value &= mask
	switch t.space {
	case trace.SpaceGlobal, trace.SpaceTexture:
		f.shared = f.shared || t.async
		if t.flags&trace.InstLoad != 0 {
			return mask
		}
	case trace.SpaceShared:
		f.shared = f.shared || value != 0 && t.flags&trace.InstStore != 0
		if f.shared {
			return mask
		}
	case trace.SpaceLocal:
		if t.flags&trace.InstStore == 0 {
			return f.spills[a.Base]
		}
		if len(f.spills) < maxSpills {
			f.spills[a.Base] = f.spills[a.Base]&^mask | value
		}
	}
	return 0
}
