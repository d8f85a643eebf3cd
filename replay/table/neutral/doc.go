// Package neutral declares the tables of a trace itself, writes them from a trace and reads them: `replay export`
// writes them, and any tool may produce them, as Parquet or CSV, to be converted into a trace.
//
// A folder holds a file for each table, NAME.parquet or NAME.csv. docs/neutral.md lists tables and columns; it is
// written from the declarations here, one file for each table or for those that belong together. Rules that hold
// for all:
//
//  1. Every table but kernels may be absent, and so may most columns: a cell that is absent has the default that its
//     column states.
//  2. Rows stand in the order that their table states. Tables are read side by side in one pass, so memory is
//     bounded by the largest CTA.
//  3. Indices count from 0: kernels, functions and arrays in the order of their tables, CTAs in the grid (z·gy·gx +
//     y·gx + x), warps in the CTA.
//  4. NULL is absent or unknown, never -1. Times are nanoseconds since the start of the capture.
package neutral
