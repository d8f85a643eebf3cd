package megakernel

import (
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// runtimeBytes is the shared memory that the runtime keeps (Mirage MPK).
const runtimeBytes = 6 << 10

// schedulers is how many scheduler warps an SM has.
const schedulers = 1

// shape is the needs of a worker: of the most demanding task in each respect.
type shape struct {
	warps             int
	registers, shared uint32
}

// largest returns the shape of the trace's kernels.
func (u *Unit) largest() (shape, error) {
	s := shape{warps: 1}
	var k trace.Kernel
	for id := range u.m.Program().Totals.Kernels {
		if err := u.Header(uint32(id), &k); err != nil {
			return s, err
		}
		threads := min(k.Block.Count(), 1<<20)
		s.warps = max(s.warps, (int(threads)+hardware.WarpSize-1)/hardware.WarpSize)
		s.registers, s.shared = max(s.registers, k.Registers), max(s.shared, k.SharedBytes)
	}
	return s, nil
}

// megakernel is a CTA of so many workers and a scheduler warp.
func (s *shape) megakernel(workers int) trace.Kernel {
	return trace.Kernel{
		Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{uint32(workers*s.warps+schedulers) * hardware.WarpSize, 1, 1},
		Registers: s.registers, SharedBytes: uint32(workers)*s.shared + runtimeBytes,
	}
}

// fitted is the same within the registers of an SM, as a compiler makes it. A worker that takes all the warps of an SM
// has its scheduler on another one.
func (s *shape) fitted(workers int, c *hardware.Config) trace.Kernel {
	k := s.megakernel(workers)
	if workers == 1 {
		k.Block[0] = min(k.Block[0], uint32(min(c.SM.MaxWarps*hardware.WarpSize, c.SM.MaxThreads)))
		k.Block[0] = max(k.Block[0], uint32(s.warps)*hardware.WarpSize)
	}
	c.CapRegisters(&k)
	return k
}

// workers is how many workers an SM has: as many as asked for, or, for 0, as fit.
func (s *shape) workers(asked int, m *model.ResidentMachine) int {
	if asked > 0 {
		return asked
	}
	for n := 1; ; n++ {
		k := s.megakernel(n + 1)
		if ctas, _ := m.PersistentPerSM(&k); ctas == 0 {
			return n
		}
	}
}
