// Package ncu reads the tables that Nsight Compute prints with --csv: of the page of details (a row for each metric
// of a launch) and of the raw page (a row for each launch, a column for each metric, their units in the first row).
// Its choices:
//
//  1. Lines before the header, and those that begin with ==, belong to the tool or the profiled program, and are
//     passed over.
//  2. Metrics are known by the names of either page. Those of older versions that have no columns Block Size and
//     Grid Size give block and grid, as products if need be.
//  3. Values are from --print-units auto or base, with the unit in its column. They have two decimals or none, in
//     any language: 70.500 is 70,500.
//  4. Sizes in Kbyte are of 1,000 bytes with two digits behind the point; shared memory in that unit is rounded to
//     16 bytes, which its allocations are multiples of.
//  5. Launches have no start: the tool runs one at a time, several times over.
package ncu
