package megakernel

import (
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// runtimeBytes is the shared memory that the runtime keeps (Mirage MPK).
const runtimeBytes = 6 << 10

// shape is the needs of a worker: of the most demanding task in each respect.
type shape struct {
	warps, schedulers int
	registers, shared uint32
}

// largest returns the shape of the trace's kernels.
func (u *Unit) largest() (shape, error) {
	s := shape{warps: 1, schedulers: u.cfg.Schedulers}
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

// megakernel is a CTA of so many workers and the scheduler warps.
func (s *shape) megakernel(workers int) trace.Kernel {
	return trace.Kernel{
		Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{uint32(workers*s.warps+s.schedulers) * hardware.WarpSize, 1, 1},
		Registers: s.registers, SharedBytes: uint32(workers)*s.shared + runtimeBytes,
	}
}

// fitted is the same within the warps and registers of an SM, as a compiler makes it, with warps of tasks that run
// ahead. What these load lies in pages, and they need no registers. A worker that takes all the warps of an SM has its
// scheduler on another one.
func (s *shape) fitted(workers, ahead int, c *hardware.Config) trace.Kernel {
	k := s.megakernel(workers)
	c.CapRegisters(&k)
	warps := k.Block[0] / hardware.WarpSize
	all := min(warps+uint32(ahead*s.warps), max(uint32(mostWarps(c)), uint32(workers*s.warps)))
	k.Block[0], k.Registers = all*hardware.WarpSize, k.Registers*warps/max(all, warps)
	c.CapRegisters(&k)
	return k
}

// mostWarps is how many warps an SM holds.
func mostWarps(c *hardware.Config) int { return min(c.SM.MaxWarps, c.SM.MaxThreads/hardware.WarpSize) }

// ahead is how many tasks have warps of an SM beside its workers': one for each of them, or as many as there are.
func (s *shape) ahead(workers int, c *hardware.Config) int {
	return min(workers, max(0, mostWarps(c)-workers*s.warps-s.schedulers)/s.warps)
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
