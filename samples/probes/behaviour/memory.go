package behaviour

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

// load, store and atomic add a memory instruction of a turn.
func (k *maker) load(opcode string, width uint32, dst trace.Reg, addr ...trace.Reg) samples.Op {
	k.cost++
	return k.Load(opcode, width, dst, addr...)
}

func (k *maker) store(opcode string, width uint32, src ...trace.Reg) samples.Op {
	k.cost++
	return k.Store(opcode, width, src...)
}

func (k *maker) atomic(opcode string, width uint32, dst trace.Reg, src ...trace.Reg) samples.Op {
	k.cost++
	return k.Atomic(opcode, width, dst, src...)
}

// wide returns an opcode for accesses of a width of bytes.
func wide(opcode string, width int) string {
	switch width {
	case 8:
		return opcode + ".64"
	case 16:
		return opcode + ".128"
	}
	return opcode
}

// sectors counts the sectors that accesses of a turn move: an eighth of an instruction for each sector of 32 B,
// which other simulators take about as long for.
func (k *maker) sectors(accesses, each int) { k.cost += accesses * each / 8 }

// loads adds several loads of a turn through one pointer and their consumers: each by itself, or all together.
func (k *maker) loads(opcode string, width, n int) (pointer samples.Op, loads, uses []samples.Op) {
	ptr, sum := k.Reg(), k.Reg()
	pointer = k.op("IMAD.WIDE", ptr, k.index)
	for range n {
		v := k.Reg()
		loads = append(loads, k.load(wide(opcode, width), uint32(width), v, ptr))
		uses = append(uses, k.op("FADD", sum, sum, v))
	}
	k.values = append(k.values, sum)
	return pointer, loads, uses
}

// read is a step that loads n times, from where address says.
func (k *maker) read(opcode string, width, n int, address func(at place, i, lane int) uint64) step {
	pointer, loads, uses := k.loads(opcode, width, n)
	together := k.r.IntN(3) > 0
	return func(w *samples.Warp, at place) {
		w.Do(pointer)
		for i := range loads {
			w.Mem(loads[i], func(lane int) uint64 { return address(at, i, lane) })
			if !together {
				w.Do(uses[i])
			}
		}
		if together {
			w.Do(uses...)
		}
	}
}

// warps is the number of the kernel's warps.
func (k *maker) warps() int { return k.grid * warpsOf(k.block) }

// fresh numbers the accesses of all warps so that each has a place of its own: in a
// turn they lie side by side, and turns one after another.
func (k *maker) fresh(at place, i, n int) int { return (at.turn*n+i)*k.warps() + at.warp }

// stride reads words that lie apart, each once.
func stride(k *maker) step {
	width, n := pick(k, 4, 4, 8, 16), 1+k.r.IntN(6)
	apart := max(width, pick(k, 8, 16, 32, 36, 64, 128, 128, 132, 256, 512, 1024))
	data := k.array(1 << 24)
	k.sectors(n, min(apart, 32))
	return k.read("LDG.E", width, n, func(at place, i, lane int) uint64 {
		return data.Base + uint64(k.fresh(at, i, n)*samples.WarpSize+lane)*uint64(apart)%(data.Bytes()-16)&^uint64(width-1)
	})
}

// walk reads rows of an array, a lane each, from one end to the other: a load needs 32
// sectors, which loads of the warps beside it or those after it need too.
func walk(k *maker) step {
	width, n := pick(k, 4, 4, 8), 1+k.r.IntN(8)
	row := pick(k, 128, 256, 512, 1024)
	data := k.array(1 << (14 + k.r.IntN(10)))
	warps := pick(k, 1, warpsOf(k.block)) // that share rows
	k.sectors(n, width)
	return k.read("LDG.E", width, n, func(at place, i, lane int) uint64 {
		step := ((at.turn*n+i)*warps + at.warp%warps) * width
		rows := samples.WarpSize * (at.warp/warps + step/row*(k.warps()/warps))
		return data.Base + uint64((rows+lane)*row+step%row)%data.Bytes()
	})
}

// stream reads an array from one end to the other.
func stream(k *maker) step {
	width, n := pick(k, 4, 8, 16), 1+k.r.IntN(6)
	data := k.array(1 << 24)
	k.sectors(n, width)
	return k.read("LDG.E", width, n, func(at place, i, lane int) uint64 {
		return data.Base + uint64((k.fresh(at, i, n)*samples.WarpSize+lane)*width)%data.Bytes()
	})
}

// streamStore writes an array from one end to the other.
func streamStore(k *maker) step {
	width, n := pick(k, 4, 8, 16), 1+k.r.IntN(4)
	data, ptr := k.array(1<<24), k.Reg()
	k.sectors(n, width)
	pointer := k.op("IMAD.WIDE", ptr, k.index)
	var stores []samples.Op
	for range n {
		stores = append(stores, k.store(wide("STG.E", width), uint32(width), ptr, k.value()))
	}
	return func(w *samples.Warp, at place) {
		w.Do(pointer)
		for i := range stores {
			w.Mem(stores[i], func(lane int) uint64 {
				return data.Base + uint64((k.fresh(at, i, n)*samples.WarpSize+lane)*width)%data.Bytes()
			})
		}
	}
}

// reuseL1 reads data that the CTA has read before.
func reuseL1(k *maker) step {
	width, n := pick(k, 4, 8, 16), 1+k.r.IntN(6)
	words := 256 << k.r.IntN(5)
	data := k.array(words * k.grid)
	k.sectors(n, width/2)
	return k.read("LDG.E", width, n, func(at place, i, lane int) uint64 {
		chunk := (at.turn*n + i + at.warp) * samples.WarpSize * width
		return data.At(at.cta*words) + uint64(chunk+lane*width)%uint64(words*4)
	})
}

// reuseL2 reads other CTAs' data, in another order.
func reuseL2(k *maker) step {
	width, n := pick(k, 4, 8, 16), 1+k.r.IntN(6)
	data := k.array(1 << (14 + k.r.IntN(6)))
	odd := 2*k.r.IntN(64) + 1
	k.sectors(n, width)
	return k.read("LDG.E", width, n, func(at place, i, lane int) uint64 {
		chunk := (k.fresh(at, i, n) * odd) * samples.WarpSize * width
		return data.Base + uint64(chunk+lane*width)%data.Bytes()
	})
}

// gather reads words at random.
func gather(k *maker) step {
	width, n := pick(k, 4, 4, 8), 1+k.r.IntN(4)
	data := k.array(1 << (12 + k.r.IntN(14)))
	k.sectors(n, samples.WarpSize)
	return k.read("LDG.E", width, n, func(place, int, int) uint64 {
		return data.Base + k.r.Uint64N(data.Bytes()/uint64(width))*uint64(width)
	})
}

// strong reads past the L1.
func strong(k *maker) step {
	n := 1 + k.r.IntN(3)
	data := k.array(1 << (12 + k.r.IntN(10)))
	k.sectors(n, 4)
	return k.read("LDG.E.STRONG.GPU", 4, n, func(at place, i, lane int) uint64 {
		return data.At((k.fresh(at, i, n)*samples.WarpSize + lane) % data.Len)
	})
}

// scatter writes words at random.
func scatter(k *maker) step {
	n := 1 + k.r.IntN(3)
	data, ptr := k.array(1<<(12+k.r.IntN(13))), k.Reg()
	k.sectors(n, samples.WarpSize)
	pointer := k.op("IMAD.WIDE", ptr, k.value())
	var stores []samples.Op
	for range n {
		stores = append(stores, k.store("STG.E", 4, ptr, k.value()))
	}
	return func(w *samples.Warp, at place) {
		w.Do(pointer)
		for _, s := range stores {
			w.Mem(s, func(int) uint64 { return data.At(k.r.IntN(data.Len)) })
		}
	}
}

// chase follows pointers: each load needs the one before.
func chase(k *maker) step {
	ptr := k.Reg()
	data := k.array(1 << (10 + k.r.IntN(14)))
	n := 4 + k.r.IntN(16)
	var loads []samples.Op
	for range n {
		loads = append(loads, k.load("LDG.E.64", 8, ptr, ptr))
	}
	k.cost += k.most / 6 // few turns: each takes long
	return func(w *samples.Warp, at place) {
		for _, l := range loads {
			w.Mem(l, func(int) uint64 { return data.Base + k.r.Uint64N(data.Bytes()/8)*8 })
		}
	}
}

// atomic adds to bins at random.
func atomic(k *maker) step {
	bins := k.array(64 << k.r.IntN(15))
	ptr, n := k.Reg(), 1+k.r.IntN(3)
	k.sectors(n, samples.WarpSize)
	k.cost += n * 2048 / bins.Len // few bins lie in few slices, which take a lane at a time
	pointer := k.op("IMAD.WIDE", ptr, k.value())
	var adds []samples.Op
	for range n {
		if k.r.IntN(2) == 0 {
			adds = append(adds, k.atomic("RED.E.ADD.STRONG.GPU", 4, samples.NoReg, ptr, k.value()))
		} else {
			v := k.Reg()
			adds = append(adds, k.atomic("ATOMG.E.ADD.STRONG.GPU", 4, v, ptr, k.value()))
			k.values = append(k.values, v)
		}
	}
	return func(w *samples.Warp, at place) {
		w.Do(pointer)
		for _, a := range adds {
			w.Mem(a, func(int) uint64 { return bins.At(k.r.IntN(bins.Len)) })
		}
	}
}

// local spills registers and takes them back.
func local(k *maker) step {
	n, width := 1+k.r.IntN(6), pick(k, 4, 4, 8, 16)
	ptr := k.Reg()
	pointer := k.op("IADD3", ptr, k.index)
	var stores, loads []samples.Op
	for range n {
		stores = append(stores, k.store(wide("STL", width), uint32(width), ptr, k.value()))
	}
	work := k.chains(2+k.r.IntN(20), 1+k.r.IntN(4), "FFMA", "IADD3")
	for range n {
		v := k.Reg()
		loads = append(loads, k.load(wide("LDL", width), uint32(width), v, ptr))
		k.values = append(k.values, v)
	}
	use := k.chains(2, 1, "FADD")
	return func(w *samples.Warp, _ place) {
		w.Do(pointer)
		for i, s := range stores {
			w.Same(s, uint64(i*width))
		}
		w.Do(work...)
		for i, l := range loads {
			w.Same(l, uint64(i*width))
		}
		w.Do(use...)
	}
}

// stencil reads rows of a grid and the rows beside them, and writes a row.
func stencil(k *maker) step {
	rows := 1 + 2*(1+k.r.IntN(3))
	in, out := k.array(1<<22), k.array(1<<22)
	width := pick(k, 256, 1024, 1000)
	pointer, loads, uses := k.loads("LDG.E", 4, rows)
	store := k.store("STG.E", 4, k.index, k.value())
	return func(w *samples.Warp, at place) {
		w.Do(pointer)
		first := k.fresh(at, 0, 1) * samples.WarpSize
		for i, l := range loads {
			w.Mem(l, func(lane int) uint64 { return in.At((first + lane + i*width + i%3) % in.Len) })
		}
		w.Do(uses...)
		w.Mem(store, func(lane int) uint64 { return out.At((first + lane) % out.Len) })
	}
}
