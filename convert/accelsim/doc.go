// Package accelsim reads the captures of the Accel-Sim tracer (NVBit): lists of host commands (kernelslist.g,
// kernelslist), grouped kernels (.traceg), raw kernels (.trace) and binary kernels (.tracez), each plain or packed,
// in a folder, in a tar archive, or one kernel alone.
//
// A kernel streams from its file into the trace a CTA at a time, without the tracer's post-processing step. The
// number of tokens of an instruction line, not the tracer's version, tells its contents: tracers have added tokens
// at its end without a new version.
//
// [Export] writes a trace as such a capture, for Accel-Sim to run: parts that its parser (framework 73f9fac) cannot
// read are left out and counted, parts without a form are refused.
//
// Choices where the format leaves a point open:
//
//  1. Kernels are converted in the order of the list. The members of an archive come in any order, so they wait,
//     packed, in a temporary file. Where there is no list, kernels are taken in the order of the numbers in their
//     names.
//  2. A list in an archive is preferred to one beside it; an archive or folder with several lists (one for each CUDA
//     context) is refused.
//  3. An address that the capture gives by base and stride goes to the active lanes in order. Lists with a constant
//     stride become base and stride.
//  4. Generic accesses (LD, ST, ATOM, RED) belong to shared or local memory if the address of their first active
//     lane is in the 16 MiB from that window's base, or to shared memory if it is itself below 16 MiB.
//  5. Arrays are the ranges that MemcpyHtoD lines name; overlapping ones are one array. Global memory that is
//     touched outside them becomes arrays too, cut where 4 KiB or more were never touched. An array is input if it
//     is copied to or read before it is written, and output if a kernel writes it.
//  6. A kernel is irregular if the address of one of its global accesses depends, through registers, on a value that
//     the same warp loaded from global memory (directly, or through local or shared memory). Only address registers
//     count: a branch on a loaded value does not make the accesses behind it irregular. Any value of the kernel's
//     that was loaded and then put in shared memory taints all of it. Later kernels of its function are irregular
//     too: they have the same code.
//  7. The function of a kernel is its mangled name: kernels of one name share static instructions.
package accelsim
