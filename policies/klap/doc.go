// Package klap is the code that the aggregation of child launches adds to a program (KLAP paper, sections II.A and
// II.B). A parent's warp executes some of it in place of a launch; a warp of the aggregate executes the rest to
// find its parent. Where the paper names a step and not its instructions, they are counted as a compiler would
// leave them in place, an integer division as four.
package klap
