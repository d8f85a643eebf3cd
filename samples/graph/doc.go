// Package graph reads graphs and sparse matrices from the files in which they are published, and generates graphs
// of known kinds.
//
// [Open] finds the format of a file by its content ([Detect]), gunzips it if need be, and gives a [Graph] in
// compressed sparse rows. Readers keep a file as it is: arcs in file order within a row, self-loops and repeated
// arcs included. [Kronecker], [Preferential], [Road] and [Banded] generate graphs from a seed.
package graph
