package audit

import "gpureplay/model/hardware"

// usage is the part of an SM that CTAs hold.
type usage struct {
	ctas, warps, threads, registers, shared int
}

func (u *usage) take(r *hardware.Resources, sign int) {
	u.ctas += sign * r.CTAs
	u.warps += sign * r.Warps
	u.threads += sign * r.Threads
	u.registers += sign * r.Registers
	u.shared += sign * r.SharedBytes
}
