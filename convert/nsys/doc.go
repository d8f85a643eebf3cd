// Package nsys reads the SQLite export of Nsight Systems (nsys export --type=sqlite), of every schema since 2019:
// it asks each table for the columns that it has. It reads the tables of the GPU, of the CUDA API calls and of
// their names, and nothing of the process, its environment, its user or its host.
//
// Choices:
//
//  1. Streams of different processes and contexts that share a number are kept apart: the first (process, context)
//     keeps its numbers, the n-th after it has n<<32 added.
//  2. Pages that unified memory moved (copy kinds 11 to 13) are no operation of the host; they are counted, not
//     kept. So are page faults: the export says when a fault came, not which CTA caused it.
//  3. A graph that was traced as a whole is one kernel without a grid.
package nsys
