// Package trace defines the replay trace: what a GPU was asked to do, and what
// its warps did, independent of any model, policy or foreign capture format.
//
// A trace has
//
//   - a program: metadata, arrays, functions with their static instructions,
//     and the converter's diagnostics ([Program]);
//   - host operations in program order ([HostOp]);
//   - kernels, dense ids in the order written ([Kernel]); a kernel that the
//     host launches, one that a device thread launches (a child) and a task are
//     all kernels;
//   - the CTAs of each kernel with their warps ([CTA], [Warp]).
//
// The same trace has three forms: the binary container (trace.zst, see
// docs/format.md), the text form that people read and write, and these Go values.
// [Writer] and [Reader] stream the container with bounded memory; [Reader]
// opens any kernel at any CTA without reading what lies before.
package trace

// Version is the version of the container and of the text form that this package
// writes, and the latest that it reads.
const Version = 1
