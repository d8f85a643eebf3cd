// Package trace defines the replay trace: the work that a GPU was given and the steps of its warps, independent of
// any model, policy or foreign capture format.
//
// A trace has
//
//   - a program: metadata, arrays, functions with their static instructions, and the converter's diagnostics
//     ([Program]);
//   - host operations in program order ([HostOp]);
//   - kernels, dense ids in the order written ([Kernel]); a kernel that the host launches, one that a device thread
//     launches (a child) and a task are all kernels;
//   - the CTAs of each kernel with their warps ([CTA], [Warp]).
//
// The same trace has three forms: these Go values, the binary container of package container (trace.zst), and the
// text form of package text. A [Source] gives a trace and a [Sink] takes one.
package trace

// Version is the version of the container and of the text form that are written, and the
// latest that is read.
const Version = 1
