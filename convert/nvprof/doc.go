// Package nvprof reads the files of NVIDIA's older profiler: the table of nvprof --print-gpu-trace --csv, and its
// SQLite file (nvprof -o), with the kernels that kernels launched (CUPTI_ACTIVITY_KIND_CDP_KERNEL).
//
// Choices:
//
//  1. The table has no API calls. A copy between host and device on the default stream (number 7 or less) blocks the
//     host, since cudaMemcpy uses that stream; on another stream it can only come from an asynchronous call.
//  2. Sizes are binary: the profiler prints 1564 bytes as 1.527344 KB.
//  3. Streams of different contexts that share a number are kept apart: the n-th context after the first has n<<32
//     added.
//  4. Records of unified memory are no operation of the host; they are counted, not kept.
package nvprof
