// Package cycle is the cycle-level memory engine, after GPGPU-Sim: requests wait in queues and move in each cycle that
// has something to do. The stages of an access, in order:
//
//	Unit.Global           takes the access, or queues it behind one that has stopped (Unit.queueUp).
//	Unit.enqueue          puts each request into the queue of its L1 bank, or past the L1 (crossbar.send).
//	Unit.probe            looks the oldest request of a bank up: hit, merged request (mergeLoad) or miss (missLoad);
//	                      crossbar.resolve looks up hits ahead of their times.
//	crossbar.enter        sends a miss by the injection port of its SM.
//	crossbar.admitOne     takes it to its slice, of the SMs in turn; crossbar.pass lets it through the ROP delay.
//	crossbar.take         has the slice perform it (crossbar.serve): slice.hit, slice.wait or slice.ask.
//	slice.put             queues a fetch before DRAM, which schedules it ([dram.Channels]).
//	crossbar.deliverFills gives a fill to the replies that wait for it.
//	crossbar.offerReply   brings a reply to the crossbar; crossbar.eject takes it to its SM, of the slices in turn.
//	Unit.respond          lets it go on, or holds it behind one that waits for the write-back register.
//	Unit.filled           gives the fill to the merged loads of its MSHR (awaitFill).
//	Unit.WriteBack        writes a result into its register banks, of three clients in turn.
//	Unit.Known            names the accesses whose completion time is known.
//
// [System.Advance] runs the stages of a cycle in this order: DRAM, slices, replies, ejection, L1s, admission.
package cycle
