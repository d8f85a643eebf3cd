package samples_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gpureplay/samples"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
)

// record runs body as the one CTA of a kernel with that many threads and returns
// the recording.
func record(t *testing.T, threads uint32,
	body func(p *samples.Program, c *samples.Code) func(b *samples.Block)) *samplestest.Recording {
	t.Helper()
	r := &samplestest.Recording{}
	p := samples.NewProgram(r)
	c := p.Code("kernel")
	run := body(p, c)
	p.Launch(trace.Kernel{Function: c.Function, Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{threads, 1, 1}}, run)
	if p.Err() != nil {
		t.Fatal(p.Err())
	}
	return r
}

func TestMasksFollowBranchesAndExits(t *testing.T) {
	r := record(t, 40, func(p *samples.Program, c *samples.Code) func(b *samples.Block) {
		step, exit := c.Op("IADD3", c.Reg()), c.Exit()
		return func(b *samples.Block) {
			w := &b.Warps()[0]
			w.Do(step)
			w.Under(0, func() { t.Error("ran without a lane") })
			w.Under(0xff, func() {
				w.Do(step)
				w.Predicated(0xf0f0, func() { w.Do(step) })
				w.Predicated(0x100, func() { w.Do(step) })
			})
			if w.ExitIf(exit, 0xffff0000) {
				t.Error("the whole warp left")
			}
			w.Do(step)
			w.Exit(exit)
			w = &b.Warps()[1]
			w.Do(step)
			if !w.ExitIf(exit, samples.Full) {
				t.Error("the warp goes on")
			}
		}
	})
	r.Check(t)
	for warp, want := range []string{"[{0 ffffffff} {1 ff} {2 f0} {3 0} {4 ffff0000} {5 ffff}]", "[{0 ff}]"} {
		if got := fmt.Sprintf("%x", r.CTAs[0][0].Warps[warp].Masks); got != want {
			t.Errorf("masks of warp %d: %s, want %s", warp, got, want)
		}
	}
}

// TestAccessesKeepTheirAddresses records random lanes and patterns and compares
// the expanded accesses with the addresses that went in.
func TestAccessesKeepTheirAddresses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type access struct{ addrs []uint64 }
	var want []access
	rec := record(t, 32, func(p *samples.Program, c *samples.Code) func(b *samples.Block) {
		a := p.Array("a", 1<<16, 4, 0)
		load, exit := c.Load("LDG.E", 4, c.Reg(), c.Reg()), c.Exit()
		return func(b *samples.Block) {
			w := &b.Warps()[0]
			for range 500 {
				mask := r.Uint32() >> r.IntN(32)
				base, stride := a.At(1<<15), int32(r.IntN(65)-32)*4
				addr := func(lane int) uint64 { return base + uint64(int64(lane)*int64(stride)) }
				if r.IntN(3) == 0 {
					addr = func(lane int) uint64 { return a.At(lane * lane * 7) }
				}
				var list []uint64
				for lane := range 32 {
					if mask>>lane&1 != 0 {
						list = append(list, addr(lane))
					}
				}
				w.Predicated(mask, func() {
					if stride != 0 && addr(1)-addr(0) == uint64(int64(stride)) && r.IntN(2) == 0 {
						w.Affine(load, base, stride)
					} else {
						w.Mem(load, addr)
					}
				})
				want = append(want, access{list})
			}
			w.Exit(exit)
		}
	})
	rec.Check(t)
	w := &rec.CTAs[0][0].Warps[0]
	lists := 0
	for i := range w.Mem {
		got := slices.Collect(w.Mem[i].Addresses(w.Lists))
		if fmt.Sprint(got) != fmt.Sprint(want[i].addrs) {
			t.Fatalf("access %d: %v, want %v", i, got, want[i].addrs)
		}
		if w.Mem[i].List != 0 {
			lists++
		}
	}
	if lists == 0 || lists == len(w.Mem) {
		t.Errorf("%d of %d accesses are lists", lists, len(w.Mem))
	}
}

// TestRegistersCarryTheDataFlow checks the registers of the static instructions.
func TestRegistersCarryTheDataFlow(t *testing.T) {
	r := record(t, 32, func(p *samples.Program, c *samples.Code) func(b *samples.Block) {
		p.Array("a", 1, 4, 0)
		ptr, v, pred := c.Reg(), c.Reg(), c.Pred()
		c.Load("LDG.E.64", 8, v, ptr, pred)
		c.Op("FFMA", v, v, samples.NoReg, v)
		c.Store("STS", 4, ptr, v)
		c.Atomic("RED.E.ADD", 4, samples.NoReg, ptr, v)
		c.Barrier(3)
		exit := c.Exit()
		return func(b *samples.Block) { b.Warps()[0].Exit(exit) }
	})
	g0, g1, p := trace.RegGeneral, trace.RegGeneral+1, trace.RegPredicate+1
	regs := func(r ...trace.Reg) []trace.Reg { return r }
	want := []trace.Inst{
		{PC: 0, Opcode: "LDG.E.64", Class: trace.ClassMemory, Space: trace.SpaceGlobal, Flags: trace.InstLoad, Width: 8,
			Dst: regs(g1), Src: regs(g0, p)},
		{PC: 16, Opcode: "FFMA", Class: trace.ClassFP32, Dst: regs(g1), Src: regs(g1, g1)},
		{PC: 32, Opcode: "STS", Class: trace.ClassMemory, Space: trace.SpaceShared, Flags: trace.InstStore, Width: 4,
			Src: regs(g0, g1)},
		{PC: 48, Opcode: "RED.E.ADD", Class: trace.ClassMemory, Space: trace.SpaceGlobal,
			Flags: trace.InstLoad | trace.InstStore | trace.InstAtomic, Width: 4, Src: regs(g0, g1)},
		{PC: 64, Opcode: "BAR.SYNC", Class: trace.ClassBarrier, Imm: 3},
		{PC: 80, Opcode: "EXIT", Class: trace.ClassExit},
	}
	if got := r.Functions[0].Insts; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("instructions\n%v, want\n%v", got, want)
	}
}

// TestChildrenAreWrittenInTheOrderOfTheirIDs launches two generations of children
// and a second kernel of the host.
func TestChildrenAreWrittenInTheOrderOfTheirIDs(t *testing.T) {
	r := &samplestest.Recording{}
	p := samples.NewProgram(r)
	c := p.Code("kernel")
	launch, exit := c.Op("LAUNCH", samples.NoReg), c.Exit()
	var body func(depth int) func(b *samples.Block)
	shape := trace.Kernel{Function: c.Function, Grid: trace.Dim3{2, 1, 1}, Block: trace.Dim3{32, 1, 1}}
	body = func(depth int) func(b *samples.Block) {
		return func(b *samples.Block) {
			w := &b.Warps()[0]
			if depth > 0 {
				var requests []trace.Launch
				for _, lane := range []uint8{3, 7} {
					child := shape
					child.Grid[0] = uint32(10*depth) + uint32(lane)
					requests = append(requests, trace.Launch{Lane: lane, Child: p.Child(child, body(depth-1))})
				}
				w.Launch(launch, requests...)
			}
			w.Exit(exit)
		}
	}
	p.Launch(shape, body(2))
	p.Launch(shape, body(0))
	if p.Err() != nil {
		t.Fatal(p.Err())
	}
	r.Check(t)
	// Two CTAs with two children each, of 23 and 27 CTAs, whose CTAs have two each.
	if want := 1 + 4 + 2*(2*23+2*27) + 1; len(r.Kernels) != want {
		t.Fatalf("%d kernels, want %d", len(r.Kernels), want)
	}
	for id := range r.CTAs {
		for _, cta := range r.CTAs[id] {
			for _, l := range cta.Warps[0].Launches {
				depth := 2
				if id > 0 {
					depth = 1
				}
				if got, want := r.Kernels[l.Child].Grid[0], uint32(10*depth)+uint32(l.Lane); got != want {
					t.Fatalf("kernel %d lane %d launches a grid of %d, want %d", id, l.Lane, got, want)
				}
			}
		}
	}
	if last := r.Ops[1]; last.Kind != trace.OpLaunch || int(last.Kernel) != len(r.Kernels)-1 {
		t.Errorf("the second launch is %+v", last)
	}
}

func TestArraysAreAlignedAndApart(t *testing.T) {
	r := &samplestest.Recording{}
	p := samples.NewProgram(r)
	p.Array("a", 3, 4, 0)
	p.Array("b", 100, 8, 0)
	p.Align = samples.Page
	p.Array("c", 1, 1, 0)
	p.Array("d", 5000, 1, 0)
	for i, a := range r.Arrays {
		if align := uint64([]int{256, 256, samples.Page, samples.Page}[i]); a.Base%align != 0 {
			t.Errorf("%s lies at %#x", a.Name, a.Base)
		}
		if i > 0 && a.Base < r.Arrays[i-1].Base+r.Arrays[i-1].Bytes {
			t.Errorf("%s overlaps %s", a.Name, r.Arrays[i-1].Name)
		}
	}
	if r.Arrays[1].Bytes != 800 {
		t.Errorf("b has %d bytes", r.Arrays[1].Bytes)
	}
}

func TestMistakesOfGeneratorsPanic(t *testing.T) {
	for what, f := range map[string]func(a samples.Array, c *samples.Code, w *samples.Warp){
		"element outside":      func(a samples.Array, _ *samples.Code, _ *samples.Warp) { a.At(10) },
		"negative element":     func(a samples.Array, _ *samples.Code, _ *samples.Warp) { a.At(-1) },
		"unknown opcode":       func(_ samples.Array, c *samples.Code, _ *samples.Warp) { c.Op("FROB", samples.NoReg) },
		"load that stores":     func(_ samples.Array, c *samples.Code, _ *samples.Warp) { c.Load("STG", 4, c.Reg()) },
		"load without address": func(_ samples.Array, c *samples.Code, w *samples.Warp) { w.Do(c.Load("LDG", 4, c.Reg())) },
		"address for an add":   func(_ samples.Array, c *samples.Code, w *samples.Warp) { w.Same(c.Op("FADD", c.Reg()), 0) },
		"step after the end": func(_ samples.Array, c *samples.Code, w *samples.Warp) {
			w.Exit(c.Exit())
			w.Do(c.Op("FADD", c.Reg()))
		},
		"launch of an inactive lane": func(_ samples.Array, c *samples.Code, w *samples.Warp) {
			w.Predicated(1, func() { w.Launch(c.Op("LAUNCH", samples.NoReg), trace.Launch{Lane: 1}) })
		},
	} {
		t.Run(what, func(t *testing.T) {
			record(t, 32, func(p *samples.Program, c *samples.Code) func(b *samples.Block) {
				a, exit := p.Array("a", 10, 4, 0), c.Exit()
				return func(b *samples.Block) {
					defer func() {
						if recover() == nil {
							t.Error("no panic")
						}
						if w := &b.Warps()[0]; w.Mask() != 0 {
							w.Exit(exit)
						}
					}()
					f(a, c, &b.Warps()[0])
				}
			})
		})
	}
}

// The warps of a CTA come in order, each once, and values of a seed differ between streams alone.
func TestEachWarp(t *testing.T) {
	rec := record(t, 96, func(p *samples.Program, c *samples.Code) func(b *samples.Block) {
		exit := c.Exit()
		return func(b *samples.Block) {
			next := 0
			b.EachWarp(func(w *samples.Warp) {
				if w != &b.Warps()[next] {
					t.Errorf("warp %d comes at place %d", w.ID, next)
				}
				next++
				w.Exit(exit)
			})
		}
	})
	rec.Check(t)
	if n := len(rec.CTAs[0][0].Warps); n != 3 {
		t.Errorf("%d warps, want 3", n)
	}
	a, again, other := samples.Uniform(8, 5, 0), samples.Uniform(8, 5, 0), samples.Uniform(8, 5, 1)
	if !slices.Equal(a, again) || slices.Equal(a, other) || slices.Min(a) < 0 || slices.Max(a) >= 1 {
		t.Errorf("%v, again %v, of another stream %v", a, again, other)
	}
}
