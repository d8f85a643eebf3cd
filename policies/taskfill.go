package policies

import (
	"fmt"

	"gpureplay/model"
	"gpureplay/trace"
)

// gpuFill counts the threadblocks that fit the GPU at once, each as large as the most demanding task's.
type gpuFill struct {
	shape, capped trace.Kernel // of a threadblock; with the registers that one can have
	most, blocks  int
}

// add adds a task, and reports whether all still fit at once. perSM bounds the
// threadblocks of an SM; 0: nothing but the SM does.
func (f *gpuFill) add(m *model.TaskMachine, k *model.Task, perSM int) (fits bool, err error) {
	s := &f.shape
	if f.most == 0 || k.Threads > s.Block[0] || k.Registers > s.Registers || k.SharedBytes > s.SharedBytes {
		s.Block = trace.Dim3{max(s.Block[0], k.Threads), 1, 1}
		s.Registers, s.SharedBytes = max(s.Registers, k.Registers), max(s.SharedBytes, k.SharedBytes)
		f.capped = *s
		m.Config().CapRegisters(&f.capped)
		per, limit := m.PersistentPerSM(&f.capped)
		if per == 0 {
			return false, fmt.Errorf("of %d threads with %d registers each and %d bytes of shared memory fits no SM of %s (%s)",
				f.capped.Block[0], f.capped.Registers, f.capped.SharedBytes, m.Config().Name, limit)
		}
		if perSM > 0 {
			per = min(per, perSM)
		}
		f.most = per * m.SMs()
	}
	f.blocks += int(k.Blocks)
	return f.blocks <= f.most, nil
}
