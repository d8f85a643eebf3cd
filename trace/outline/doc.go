// Package outline makes child launches of the loops of a flat trace: a lane that runs a loop n times requests a
// child of n threads instead, each of which runs one iteration. A capture of a program without launches can then be
// replayed under the policies for nested work.
//
// The rules:
//
//   - A loop is the code between a branch and the earlier instruction of the same function that it goes to. Only
//     loops without a loop in them are made children.
//   - A lane's iterations are the passes through the loop that it begins. A pass that it leaves midway (a while
//     loop's last test) is an iteration too.
//   - A loop is divergent if lanes of one warp run it different numbers of times: it is nested work that depends on
//     the data. Divergent loops are chosen unless others are named.
//   - A loop cannot become a child ([Loop].Why) if its iterations meet at barriers, use the memory of their CTA or
//     thread, exchange data between lanes, end threads, launch, call functions or copy in bulk.
//   - A launch instruction stands before the loop, with a request of every lane; requests of at least
//     [Options].Threshold iterations are marked as launched. The loop stays behind it: lanes that launch no child
//     run it in the warp's own order.
//   - A child has a prologue (its index, a comparison, an exit), the iteration as the loop has it, with the loop's
//     own control, and an exit. Iterations of one warp that took different ways run in the order of their addresses
//     in the code, each instruction once, as after reconvergence.
//   - Under flat no lane launches, and the program is the one that was captured, to the cycle.
//   - The parameters of a child are the general registers that its body reads before it writes them, four bytes
//     each.
//
// A value that one iteration hands to the next is not handed on: a child's threads run side by side. An accumulator
// becomes a register of each thread; the reduction that a real program would need is not added. [Loop].Carried
// counts such registers; counters and pointers are the harmless ones.
package outline
