package reference

import (
	"gpureplay/model"
	"gpureplay/trace"
)

func frameOf(fn uint32, w *trace.Warp) *nFrame {
	return &nFrame{fn: fn, w: w, mask: ^uint32(0), regs: map[trace.Reg]model.Time{}}
}

// inLoop reports whether an instruction is of a launch's loop.
func inLoop(code []trace.Inst, launch *trace.Inst, i uint32) bool {
	at := code[i].PC
	return launch.FlatLast > 0 && code[i].Class != trace.ClassLaunch && launch.PC <= at && at <= code[launch.FlatLast-1].PC
}

// asCaptured leaves out the launches that have loops, where no lane launches.
func (n *Machine) asCaptured(fn uint32, w *trace.Warp) *trace.Warp {
	if !n.captured {
		return w
	}
	code := n.prog.Functions[fn].Insts
	flat := &trace.Warp{ID: w.ID, Mem: w.Mem, Lists: w.Lists}
	for step, i := range w.Path {
		if code[i].Class == trace.ClassLaunch && code[i].FlatLast > 0 {
			continue
		}
		for _, l := range w.Launches {
			if int(l.At) == step {
				l.At = uint32(len(flat.Path))
				flat.Launches = append(flat.Launches, l)
			}
		}
		flat.Masks = append(flat.Masks, trace.MaskRun{At: uint32(len(flat.Path)), Mask: maskAt(w, step)})
		flat.Path = append(flat.Path, i)
	}
	return flat
}

// loop has the lanes that launch nothing run the loop behind a launch. It reports whether
// the launch has one.
func (w *nWarp) loop(n *Machine, launched uint32) bool {
	f := w.nFrame
	if f.added {
		f = w.callers[len(w.callers)-1]
	}
	code := n.prog.Functions[f.fn].Insts
	launch := &code[f.w.Path[f.pc-1]]
	if launch.FlatLast == 0 || launched == 0 {
		return launch.FlatLast > 0
	}
	rest := &nFrame{fn: f.fn, w: &trace.Warp{}, mask: ^uint32(0), regs: f.regs}
	for ; f.pc < len(f.w.Path) && inLoop(code, launch, f.w.Path[f.pc]); f.pc++ {
		mask, in := maskAt(f.w, f.pc), &code[f.w.Path[f.pc]]
		var addrs []uint64
		if in.Mem() {
			all := addresses(f.w, &f.w.Mem[f.mem])
			f.mem++
			for lane := range 32 {
				if mask>>lane&1 > 0 && len(all) > 0 {
					if launched>>lane&1 == 0 {
						addrs = append(addrs, all[0])
					}
					all = all[1:]
				}
			}
		}
		if mask&^launched != 0 {
			n.append(rest.w, f.fn, f.w.Path[f.pc], mask&^launched, addrs)
		}
	}
	if f == w.nFrame {
		w.callers, w.nFrame = append(w.callers, f), rest
	} else {
		w.callers = append(w.callers, rest)
	}
	return true
}
