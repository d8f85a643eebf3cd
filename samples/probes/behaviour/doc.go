// Package behaviour generates random small programs: one kind for each thing that
// a kernel can ask of a GPU, and mixtures. They compute nothing; addresses, masks
// and dependences are drawn so that the kind's part of a machine is loaded in all
// ways. What they are for is comparison with other simulators, instruction by
// instruction the same program: a program is below so many warp instructions,
// and a capture of it loses nothing.
package behaviour
