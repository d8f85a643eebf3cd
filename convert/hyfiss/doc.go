// Package hyfiss reads the traces of HyFiSS: a folder with configs/app.config
// (kernels), configs/instn.config (their code), configs/issue.config (which SM
// the hardware gave each CTA to), sass_traces/kernel_N.sass (executed
// instructions) and memory_traces/kernel_N.mem (addresses).
//
// Choices:
//
//  1. A memory record names its CTA and PC but not its warp. Tracer threads
//     write both files in the order of arrival, so the k-th record of a CTA and
//     PC belongs to the k-th execution of that PC by that CTA.
//  2. Of an instruction with two memory references (LDGSTS) the first, global
//     one is kept.
//  3. Of the operands of an instruction the first is its destination, the first
//     two predicates if it sets predicates; stores, branches and barriers have
//     only sources.
package hyfiss
