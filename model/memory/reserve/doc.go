// Package reserve is the analytical memory engine. An access reserves all that it needs when it issues, and is done at
// a known time. The stages of an access, in order:
//
//	Unit.Global           takes the access of the coalescer; LSU.Open starts it behind the accesses before it.
//	Unit.next             gives each request a cycle of its L1 bank, and translates its address.
//	Unit.passLoads        looks the L1 up: a hit is done, a merged request waits for its fill (Unit.join).
//	Unit.miss             takes an MSHR (Unit.admitMiss) and a place in the miss queue (Unit.queued).
//	System.request        reserves the injection port, the crossbar's port of the slice and its input.
//	slice.read            looks the L2 up: slice.hit, or slice.fetch with an MSHR and a place in the miss queue.
//	channel.access        reserves DRAM: channel.open finds or opens the row, then the column command and the bus.
//	System.answer         reserves the reply's port of the slice, and the ejection port of the SM.
//	Unit.wb               gives the result a cycle of the write-back port.
//
// Stores and atomics pass Unit.pass, System.write or System.atomic, and slice.write or slice.atomic.
package reserve
