// Package reproduce runs the experiments of the papers whose policies the project has, on inputs of its generators,
// and sets published figures beside ours. A paper is one file: its experiments, which are workloads under policies
// on a machine, and its published figures, each with the place in the paper where it stands. Nothing is tuned to
// them.
//
// Choices:
//
//  1. A published figure is quoted only where the place in the paper is known: a section, a table, a figure or the
//     abstract. Its mean is over the paper's inputs, ours over the rows of the experiment.
//  2. The difference of a ratio, a time or a count is relative to the paper's figure; of a share in per cent it is
//     in percentage points.
//  3. A policy that cannot run a workload (GeMTC and tasks with barriers, say) has no figure in its row; a mean is
//     then over the rows that have one.
//  4. A workload whose input is a real file is left out, and named, where the file is not at hand.
//  5. Means of ratios follow the paper: geometric, in ppcs arithmetic. Means of shares in per cent are arithmetic.
//  6. Every run is audited, but for those of an experiment whose auditor does not fit into memory.
//  7. A row of child launches fills the GPU where at least as many warps of one kernel of the host launch children
//     as the machine has places for; where an experiment says so, means are of such rows alone. Rows that do not
//     count are marked.
//  8. A flat program with code of its own (BFS of the DTBL paper) is replayed from a trace of its own, in the order
//     of streams; for all others flat inlines the children.
//  9. A row of tens of thousands of tasks is extrapolated from the times of two smaller numbers of them, between
//     which a policy's time is a straight line; the title says so. "run" has the same run to the end.
//  10. The time of a row's runs stands beside the tables, which do not depend on it.
package reproduce
