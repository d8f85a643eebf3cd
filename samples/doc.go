// Package samples makes traces of programs that no GPU needs to run: a generator executes the real algorithm in Go,
// on a generated or a given input, thread block by thread block, and writes the work that a GPU would have
// received.
//
// The package holds the registry of generators ([Register], [List], [Get]) and the building blocks that they share:
//
//   - [Memory] and [Array] give device addresses;
//   - [Code] holds the static instructions of one device function, with registers that chain as the algorithm's data
//     flows;
//   - [Block] and [Warp] record the work of one CTA's warps: a path through the code, masks, addresses, child
//     launches;
//   - [Ranges] states the addresses that a CTA may touch, as a profiler would (conservatively);
//   - [Host] writes the host's side in program order;
//   - [Kernels] gives ids to child kernels before they are written.
//
// The generators lie in sub-packages, one file each, and register themselves in init; package samples/all imports
// every family. A generator is deterministic in its parameters, the seed among them, and knows no policy.
package samples
