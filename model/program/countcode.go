package program

import (
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// How much goes on together in a warp with known counts alone. Each is near the median of four captures that have
// registers: go test -run ChainsOfCaptures -v ./replay prints them.
const (
	countChains = 3 // chains of dependent instructions
	countBurst  = 2 // loads that issue before one is waited for
)

// countVariants is how many instructions stand for one that is counted. The static part of an instruction has its
// registers, which differ between chains and between loads of a burst.
const countVariants = countChains * countBurst

// countCode returns the variants of a function's instructions. Variants of instruction i begin at i·countVariants:
// v % countChains is the chain, v / countChains the place in the burst.
func (u *Library) countCode(fn uint32) *Code {
	if u.counted == nil {
		u.counted = make([]*Code, len(u.prog.Functions))
	}
	if u.counted[fn] == nil {
		insts := u.prog.Functions[fn].Insts
		c := newCountCode(len(insts), &u.cfg.SM)
		for i := range insts {
			c.addVariants(&insts[i], uint32(i))
		}
		u.counted[fn] = c
	}
	return u.counted[fn]
}

// touchCode returns the variants of a load and a store of 4 bytes a lane.
func (u *Library) touchCode() *Code {
	if u.touching == nil {
		c := newCountCode(2, &u.cfg.SM)
		for _, flag := range [2]trace.InstFlags{trace.InstLoad, trace.InstStore} {
			c.addVariants(&trace.Inst{Class: trace.ClassMemory, Space: trace.SpaceGlobal, Flags: flag, Width: touchWidth},
				NoInst)
		}
		u.touching = c
	}
	return u.touching
}

func newCountCode(insts int, sm *hardware.SMConfig) *Code {
	c := newCode(insts*countVariants, sm)
	c.Insts = make([]uint32, 0, insts*countVariants)
	return c
}

// addVariants adds the variants of an instruction. A load reads the end of a chain and writes its register of the
// burst. Barriers, fences, synchronisations and exits read nothing. Other instructions read the end of their chain
// and all loads, and write the end of their chain, if they write a register at all.
func (c *Code) addVariants(in *trace.Inst, index uint32) {
	for v := range trace.Reg(countVariants) {
		chain, loaded := trace.RegGeneral+v%countChains, trace.RegGeneral+countChains+v/countChains
		x := *in
		x.Dst, x.Src = nil, nil
		switch in.Class {
		case trace.ClassBarrier, trace.ClassFence, trace.ClassDeviceSync, trace.ClassLaunch, trace.ClassExit:
		case trace.ClassMemory:
			if in.Flags&trace.InstLoad != 0 {
				x.Dst, x.Src = []trace.Reg{loaded}, []trace.Reg{chain}
				break
			}
			x.Src = chainEnds(chain)
		case trace.ClassControl:
			x.Src = chainEnds(chain)
		default:
			x.Dst, x.Src = []trace.Reg{chain}, chainEnds(chain)
		}
		c.add(&x)
		c.Insts = append(c.Insts, index)
	}
}

// chainEnds lists the end of a chain and the loads of a burst.
func chainEnds(chain trace.Reg) []trace.Reg {
	regs := []trace.Reg{chain}
	for b := range trace.Reg(countBurst) {
		regs = append(regs, trace.RegGeneral+countChains+b)
	}
	return regs
}

// loads reports whether the instruction brings something from memory.
func (o *Op) loads() bool { return o.Class == trace.ClassMemory && o.Flags&trace.InstLoad != 0 }
