package megakernel

import (
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/policies/producers"
	"gpureplay/trace"
)

// pageBytes is a page of shared memory that loads ahead go to (Hazy Research).
const pageBytes = 16 << 10

// held is where the warps of a task wait that runs ahead: each before its first access that is no load, or that reads
// data in flight, or whose data has no room in its part of the pages.
func (u *Unit) held(b *task) []exec.Points {
	c := b.Trace()
	u.points = u.points[:0]
	room := u.cfg.Pages * pageBytes / max(1, u.ahead) / max(1, len(c.Warps))
	code := &u.m.Program().Functions[b.k.Function]
	for i := range c.Warps {
		u.points = append(u.points, exec.Points{Wait: u.wait(b.k, code, &c.Warps[i], room), Trigger: exec.NoPoint})
	}
	return u.points
}

// wait returns the step before which a warp waits: at the latest when it exits.
func (u *Unit) wait(k *producers.Kernel, code *trace.Function, w *trace.Warp, room int) int32 {
	mem, last := 0, max(0, len(w.Path)-1)
	for i, at := range w.Path {
		in := &code.Insts[at]
		if i == last || in.Class == trace.ClassBarrier {
			return int32(i)
		}
		if !in.Mem() {
			continue
		}
		a := &w.Mem[mem]
		if mem++; !in.Global() {
			continue
		}
		room -= int(in.Width) * hardware.WarpSize
		if in.Mode() != trace.Read || room < 0 || u.InFlight(k, a, w.Lists, in.Width) {
			return int32(i)
		}
	}
	return int32(last)
}
