// Package choose makes a trace of a part of another one's work. Its rules:
//
//  1. A kernel is chosen if each criterion that is given has it: its number or name, when it began, a scope in which
//     it was called. One that began before the window is out, one that begins in it is in as a whole.
//  2. Kernels that device threads launch belong to the kernel of the host from which they descend: who chooses one
//     of a family chooses the family.
//  3. A copy or memory set is chosen by its own start and scope. Where kernels are chosen by number or name, or it
//     has no time, it goes with a kernel: transfers to the device (file reads too) with the next launch, transfers
//     back with the launch before.
//  4. The host's work between calls goes with the next launch or copy, the last of it with the one before. Work
//     outside the selection takes no time, on the device or the host.
//  5. Records of events, waits for them and synchronisations stay between chosen launches and copies, and behind the
//     last one until another is left out. Before the first one they stay, and the host's work does, if nothing
//     before it is left out: else the selection begins with its first call. Work outside the selection counts as
//     finished: a wait for an event that it recorded, a synchronisation with it and a task's dependence on it are
//     met, and the data that it wrote is there. An order that went through it alone is gone.
//  6. Times count from the first call, or start without a call, that stays. A call that was made while work left out
//     kept the device counts as made when that work ended, but not after the first start that stays. The host's time
//     before time 0 is gone, as far as its clock tells: it is known at each call, and goes on through work and
//     waits. Times between chosen work stay as they were recorded: the policy captured, which begins work no
//     earlier, has the gaps that left out work leaves; the others have none.
//  7. Kernels are numbered anew, in their order. The attributes chosen, chosen_of, chosen_kernels and chosen_from_ns
//     say by which criteria, from the trace with which hash, which of its kernels (where a line can), and from which
//     of its times on.
//  8. A choice that leaves nothing out is the trace itself.
package choose
