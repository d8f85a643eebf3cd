// Package behaviour generates random small programs: one kind for each thing that a kernel can ask of a GPU, and
// mixtures. They compute nothing; addresses, masks and dependences are drawn so that the kind's part of a machine
// is loaded in all ways. They serve comparison with other simulators, which run the same instructions: a program is
// below so many warp instructions, and a capture of it loses nothing.
package behaviour
