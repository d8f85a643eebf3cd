// Package sweep runs a grid of replays: traces × GPUs × settings × policies, as a TOML file describes them (`replay
// sweep`).
//
// The pipeline: [Load] reads the file, [File.Plan] multiplies it out into cells and gives each the key of its
// content, [Grid.Run] replays the cells that are not there yet, each in a folder of its own, and [Grid.Collect]
// merges their tables into one file for each table, with the columns of the grid in front. [Grid.Script] is the
// same grid for Slurm.
//
// Choices:
//
//  1. A cell is one trace under one policy on one machine. Its key is a hash of the trace's content, the whole
//     resolved configuration, the policy with all its settings, the recorded tables, and the tool: its version and
//     the bytes of its executable, so that a rebuilt model is never taken for the old one.
//  2. A finished cell is the folder OUT/cells/KEY, which gets that name when all its tables are complete. It is
//     never written again. Cells that a changed grid no longer has stay there, and are merged no more. Merged rows
//     lie on the disk twice: so that a part of a grid can change, and so that the tables of one cell can be opened
//     alone.
//  3. A cell knows no baseline. Speedups are set when tables are merged, against the cell of the baseline's policy
//     with the same trace, GPU and settings; where that one failed they are NULL.
//  4. The merged tables are in the order of the grid: traces as listed, then GPUs, then settings with the last key
//     fastest, then policies. They do not depend on the number of workers or on the process that ran a cell.
//  5. A value that a key of the machine cannot have is an error of the file. A value that fails only in combination,
//     or for one trace, fails that cell alone.
package sweep
