// Package klap is the code that the aggregation of child launches adds to a
// program (KLAP paper, sections II.A and II.B): what a parent's warp executes in
// place of a launch, and what a warp of the aggregate executes to find whose child
// it is. Where the paper names a step and not its instructions they are counted as
// a compiler would leave them in place, an integer division as four.
package klap
