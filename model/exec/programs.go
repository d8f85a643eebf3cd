package exec

import (
	"gpureplay/model/hardware"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// Program is code that the warps of a persistent CTA run: prepared once, run often.
type Program struct {
	code   *program.Code
	path   []uint32
	mem    []trace.Access
	global []int // accesses whose address is given when it runs
}

// NewPrograms prepares stretches of a function for SMs, each given by its first and one
// past its last instruction. Accesses to shared memory are taken to be free of
// bank conflicts; those to global memory go to one address for all lanes.
func NewPrograms(f *trace.Function, sm *hardware.SMConfig, stretches [][2]uint32) []*Program {
	c := program.Prepare(f, sm)
	var all []*Program
	for _, x := range stretches {
		p := &Program{code: c}
		for i := x[0]; i < x[1]; i++ {
			p.path = append(p.path, i)
			in := &f.Insts[i]
			if !in.Mem() {
				continue
			}
			a := trace.Access{Count: hardware.WarpSize, Stride: int32(in.Width)}
			if in.Space == trace.SpaceGlobal {
				p.global = append(p.global, len(p.mem))
				a.Stride = 0
			}
			p.mem = append(p.mem, a)
		}
		all = append(all, p)
	}
	return all
}
