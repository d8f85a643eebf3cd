package behaviour

import "gpureplay/samples"

// shared writes and reads shared memory with and without bank conflicts.
func shared(k *maker) step {
	width := pick(k, 4, 4, 8, 16)
	apart := pick(k, 1, 1, 2, 3, 4, 8, 16, 32, 33) * width
	bytes := samples.WarpSize * apart
	warps := warpsOf(k.block)
	slots := max(1, min(warps, 8192/bytes))
	base := k.share(slots * bytes)
	_, ptr := k.Reg(), k.Reg() // references count on this number of registers
	pointer := k.op("IMAD", ptr, k.index)
	store := k.store(wide("STS", width), uint32(width), ptr, k.value())
	var loads []samples.Op
	for range 1 + k.r.IntN(4) {
		v := k.Reg()
		loads = append(loads, k.load(wide("LDS", width), uint32(width), v, ptr))
		k.values = append(k.values, v)
	}
	work := k.chains(1+k.r.IntN(6), 1, "FFMA", "FADD")
	sync := k.r.IntN(2) == 0
	var bar samples.Op
	if sync {
		k.cost++
		bar = k.Barrier(0)
	}
	return func(w *samples.Warp, at place) {
		w.Do(pointer)
		mine := base + uint64(w.ID%slots*bytes)
		w.Affine(store, mine, int32(apart))
		if sync {
			w.Do(bar)
		}
		for i, l := range loads {
			if i%2 == 1 {
				w.Same(l, mine) // all lanes one word
				continue
			}
			w.Affine(l, mine, int32(apart))
		}
		w.Do(work...)
	}
}

// gatherShared counts in bins of shared memory and then in memory.
func gatherShared(k *maker) step {
	bins := 1 << (2 + k.r.IntN(9))
	base := k.share(4 * bins)
	data, total := k.array(1<<22), k.array(bins)
	v, ptr := k.Reg(), k.Reg()
	address := k.op("IMAD.WIDE", ptr, k.index)
	load := k.load("LDG.E", 4, v, ptr)
	bin := k.op("LOP3.LUT", ptr, v)
	add := k.atomic("ATOMS.ADD", 4, k.Reg(), ptr, v)
	k.cost++
	bar := k.Barrier(0)
	sum := k.load("LDS", 4, v, ptr)
	out := k.atomic("RED.E.ADD.STRONG.GPU", 4, samples.NoReg, ptr, v)
	return func(w *samples.Warp, at place) {
		w.Do(address)
		first := k.fresh(at, 0, 1) * samples.WarpSize
		w.Mem(load, func(lane int) uint64 { return data.At((first + lane) % data.Len) })
		w.Do(bin)
		w.Mem(add, func(int) uint64 { return base + 4*k.r.Uint64N(uint64(bins)) })
		if at.turn == at.turns-1 {
			w.Do(bar)
			w.Mem(sum, func(lane int) uint64 { return base + 4*uint64(lane%bins) })
			w.Mem(out, func(lane int) uint64 { return total.At(lane % bins) })
		}
	}
}

// async copies from memory to shared memory past the registers, a group ahead of its use.
func async(k *maker) step {
	n, width := 1+k.r.IntN(4), pick(k, 4, 8, 16)
	bytes := samples.WarpSize * width
	slots := max(1, min(warpsOf(k.block), 16384/bytes))
	base := k.share(slots * bytes)
	data := k.array(1 << 24)
	k.sectors(n, width)
	ptr, v := k.Reg(), k.Reg()
	pointer := k.op("IMAD.WIDE", ptr, k.index)
	var copies []samples.Op
	for range n {
		copies = append(copies, k.load(wide("LDGSTS.E", width), uint32(width), samples.NoReg, ptr))
	}
	group, wait := k.op("LDGDEPBAR", samples.NoReg), k.op("DEPBAR.LE", samples.NoReg)
	k.cost++
	bar := k.Barrier(0)
	read := k.load(wide("LDS", width), uint32(width), v, ptr)
	work := k.chains(2+k.r.IntN(12), 1+k.r.IntN(3), "FFMA")
	return func(w *samples.Warp, at place) {
		w.Do(pointer)
		for i, c := range copies {
			w.Mem(c, func(lane int) uint64 {
				return data.Base + uint64((k.fresh(at, i, n)*samples.WarpSize+lane)*width)%data.Bytes()
			})
		}
		w.Do(group, wait, bar)
		w.Affine(read, base+uint64(w.ID%slots*bytes), int32(width))
		w.Do(work...)
	}
}

// tile is a step of a tiled matrix product: two tiles to shared memory, then multiply-adds from them.
func tile(k *maker) step {
	width := pick(k, 4, 8, 16)
	a, b := k.array(1<<20), k.array(1<<20)
	bytes := k.block * width
	sa, sb := k.share(bytes), k.share(bytes)
	ptr, va, vb, xa, xb := k.Reg(), k.Reg(), k.Reg(), k.Reg(), k.Reg()
	pointer := k.op("IMAD.WIDE", ptr, k.index)
	load := [2]samples.Op{k.load(wide("LDG.E", width), uint32(width), va, ptr),
		k.load(wide("LDG.E", width), uint32(width), vb, ptr)}
	put := [2]samples.Op{k.store(wide("STS", width), uint32(width), ptr, va),
		k.store(wide("STS", width), uint32(width), ptr, vb)}
	k.cost += 2
	bar, again := k.Barrier(0), k.Barrier(0)
	inner := 2 + k.r.IntN(6)
	sums := k.Regs(4)
	get := [2]samples.Op{k.load(wide("LDS", width), uint32(width), xa, ptr),
		k.load(wide("LDS", width), uint32(width), xb, ptr)}
	var fma []samples.Op
	for i := range sums {
		fma = append(fma, k.op("FFMA", sums[i], xa, xb, sums[i]))
	}
	k.cost += inner * 6
	return func(w *samples.Warp, at place) {
		w.Do(pointer)
		row, column := at.cta/8, at.cta%8
		for j, from := range []samples.Array{a, b} {
			first := (at.turn*8 + []int{row, column}[j]) * bytes
			w.Mem(load[j], func(lane int) uint64 {
				return from.Base + uint64(first+(w.ID*samples.WarpSize+lane)*width)%from.Bytes()
			})
		}
		mine := uint64(w.ID * samples.WarpSize * width)
		w.Affine(put[0], sa+mine, int32(width))
		w.Affine(put[1], sb+mine, int32(width))
		w.Do(bar)
		for i := range inner {
			w.Same(get[0], sa+uint64(i*width%bytes))
			w.Affine(get[1], sb+mine, int32(width))
			w.Do(fma...)
		}
		w.Do(again)
	}
}

// reduce sums the values of a CTA in a tree: half as many lanes each time.
func reduce(k *maker) step {
	base := k.share(4 * k.block)
	ptr, x, y := k.Reg(), k.Reg(), k.Reg()
	first := k.store("STS", 4, ptr, k.value())
	k.cost++
	bar := k.Barrier(0)
	levels := 0
	for n := k.block; n > 1; n = (n + 1) / 2 {
		levels++
	}
	k.cost += levels * 3
	load := k.load("LDS", 4, y, ptr)
	add, store := k.op("FADD", x, x, y), k.store("STS", 4, ptr, x)
	out, result := k.store("STG.E", 4, ptr, x), k.array(1<<16)
	return func(w *samples.Warp, at place) {
		thread := w.ID * samples.WarpSize
		word := func(lane int) uint64 { return base + uint64(4*(thread+lane)) }
		w.Mem(first, word)
		w.Do(bar)
		for n := k.block; n > 1; n = (n + 1) / 2 {
			half := (n + 1) / 2
			w.Under(w.Where(func(lane int) bool { return thread+lane+half < n }), func() {
				w.Mem(load, func(lane int) uint64 { return word(lane + half) })
				w.Do(add)
				w.Mem(store, word)
			})
			w.Do(bar)
		}
		w.Under(w.Where(func(lane int) bool { return thread+lane == 0 }), func() {
			w.Same(out, result.At((at.cta+at.turn)%result.Len))
		})
	}
}
