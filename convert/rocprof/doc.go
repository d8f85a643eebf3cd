// Package rocprof reads the files of AMD's rocprofv3: its CSV tables, its JSON results, and rocpd, its SQLite
// database.
//
// Choices:
//
//  1. Grids are in work-items; CTAs (workgroups) are the grid divided by the workgroup, rounded up in each
//     dimension.
//  2. Devices count from 0 over the GPU agents in ascending order of their node.
//  3. A stream is a HIP stream where the capture has them, else an HSA queue.
//  4. Registers per thread are the vector registers, accumulators included.
//  5. Only HIP's API calls are read; the HSA calls beneath them repeat them.
package rocprof
