// Package program has the code of warps: the functions of a trace prepared for the issue model, and a warp's way
// through one of them. It also makes programs that a trace has no instructions of: bodies of child launches in the
// lanes that requested them, and programs from counts of instructions or touched bytes.
package program

import "gpureplay/model/clock"

// Time is in cycles of the SM clock.
type Time = clock.Time

// NoInst stands for an instruction that the trace does not have: an access to bytes that a CTA is known to touch.
const NoInst = ^uint32(0)
