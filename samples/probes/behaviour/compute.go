package behaviour

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

// chains adds n instructions of some opcodes in chains of dependent ones that take
// turns: one chain leaves no parallelism within the warp, many leave much.
func (k *maker) chains(n, chains int, opcodes ...string) []samples.Op {
	regs := make([]trace.Reg, chains)
	for i := range regs {
		regs[i] = k.Reg()
	}
	ops := make([]samples.Op, n)
	for i := range ops {
		r := regs[i%chains]
		src := []trace.Reg{r, k.value(), k.value()}
		ops[i] = k.op(pick(k, opcodes...), r, src[:1+k.r.IntN(3)]...)
	}
	k.values = append(k.values, regs...)
	return ops
}

// always is a step without addresses that every warp does.
func always(ops []samples.Op) step {
	return func(w *samples.Warp, _ place) { w.Do(ops...) }
}

func alu(k *maker) step {
	sets := [][]string{
		{"IADD3", "IMAD", "LOP3.LUT", "SHF.R.U32.HI"},
		{"FADD", "FMUL", "FFMA"},
		{"FFMA", "IADD3", "FADD", "IMAD", "LOP3.LUT"},
		{"HFMA2", "HADD2", "HMUL2"},
		{"FFMA", "MOV", "SEL", "I2F", "IMAD.WIDE", "SHFL.BFLY", "PRMT", "HFMA2"},
	}
	return always(k.chains(4+k.r.IntN(40), 1+k.r.IntN(8), pick(k, sets...)...))
}

func fp64(k *maker) step {
	return always(k.chains(2+k.r.IntN(10), 1+k.r.IntN(4),
		pick(k, []string{"DFMA", "DADD", "DMUL"}, []string{"DFMA", "FFMA", "IADD3"})...))
}

func sfu(k *maker) step {
	return always(k.chains(2+k.r.IntN(12), 1+k.r.IntN(4),
		pick(k, []string{"MUFU.RCP", "MUFU.EX2"}, []string{"MUFU.SIN", "FMUL", "FADD"})...))
}

func tensor(k *maker) step {
	return always(k.chains(2+k.r.IntN(12), 1+k.r.IntN(4),
		pick(k, []string{"HMMA.1688.F32"}, []string{"HMMA.1688.F32", "HFMA2", "IADD3"})...))
}

// texture fetches without addresses, as captures have them, and constants.
func texture(k *maker) step {
	var ops []samples.Op
	for range 1 + k.r.IntN(4) {
		v := k.Reg()
		if k.r.IntN(3) == 0 {
			k.cost++
			ops = append(ops, k.Param("LDC", v))
		} else {
			k.cost++
			ops = append(ops, k.Fetch("TEX.SCR.LL", v, k.value(), k.index))
		}
		k.values = append(k.values, v)
	}
	return always(append(ops, k.chains(k.r.IntN(8), 2, "FFMA", "FADD")...))
}

// unequal gives the warps of a CTA different work.
func unequal(k *maker) step {
	ops := k.chains(2+k.r.IntN(6), 1+k.r.IntN(3), "FFMA", "IADD3")
	most := 1 + k.r.IntN(6)
	k.cost += len(ops) * most / 2
	return func(w *samples.Warp, at place) {
		for range 1 + (at.warp*7+at.turn)%most {
			w.Do(ops...)
		}
	}
}

func barrier(k *maker) step {
	k.cost++
	return always([]samples.Op{k.Barrier(0)})
}

// divergent has some lanes do one thing, the others another, and perhaps nothing
// in some warps.
func divergent(k *maker) step {
	split, one := k.op("BSSY", samples.NoReg), k.chains(2+k.r.IntN(10), 1+k.r.IntN(3), "FFMA", "FADD", "IADD3")
	two, join := k.chains(2+k.r.IntN(10), 1+k.r.IntN(3), "IMAD", "LOP3.LUT", "FMUL"), k.op("BSYNC", samples.NoReg)
	v, ptr, data := k.Reg(), k.Reg(), k.array(1<<20)
	address, load := k.op("IMAD.WIDE", ptr, k.index), k.load("LDG.E", 4, v, ptr)
	skip := k.r.IntN(4)
	return func(w *samples.Warp, at place) {
		w.Do(split)
		mask := k.r.Uint32()
		if k.r.IntN(4) < skip {
			mask = 0
		}
		w.Under(mask, func() { w.Do(one...) })
		w.Under(^mask, func() {
			w.Do(two...)
			w.Do(address)
			first := (at.warp + at.turn*977) * 32
			w.Mem(load, func(lane int) uint64 { return data.At((first + lane) % data.Len) })
		})
		w.Do(join)
	}
}

// fence orders stores before later accesses.
func fence(k *maker) step {
	data, ptr, v := k.array(1<<20), k.Reg(), k.Reg()
	ops := []samples.Op{k.op("MEMBAR.SC.GPU", samples.NoReg), k.op("IMAD.WIDE", ptr, k.index)}
	load := k.load("LDG.E.STRONG.GPU", 4, v, ptr)
	return func(w *samples.Warp, at place) {
		w.Do(ops...)
		w.Affine(load, data.At(at.warp*32%data.Len), 4)
	}
}
