// Package dram is the DRAM of the cycle-level engine: channels that schedule requests cycle by cycle of their clock,
// those to the open row of a bank first, then the oldest (FR-FCFS; docs/model, choice 9). The stages of a request, in
// order:
//
//	Channel.Put      queues it at its slice's way into the channel.
//	Channel.leave    takes the slices' requests in turn into the constant latency.
//	Channel.enter    brings it to the queue of its bank.
//	Channel.choose   gives an idle bank the request that it serves next.
//	Channel.command  opens and closes rows, and gives column commands (turnRow, transfer).
//	Channel.complete tells when its data are there ([Channels.Filled]).
//
// [Channels.Advance] lets all channels act up to an SM cycle. Cycles in which nothing can happen are left out. All
// cycles of a channel are working ones, those without refreshes.
package dram
