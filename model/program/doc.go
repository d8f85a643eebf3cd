// Package program has what a warp executes: the functions of a trace prepared for the
// issue model, the way of a warp through one of them, and the programs of which a trace
// has no instructions: bodies of child launches in the lanes that asked for them, and
// counts of instructions or of what is touched.
package program

import "gpureplay/model/clock"

// Time is in cycles of the SM clock.
type Time = clock.Time

// NoInst stands for an instruction that the trace does not have: one that accesses what a
// CTA is known to touch.
const NoInst = ^uint32(0)
