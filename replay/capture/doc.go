// Package capture reads the times that a capture recorded: the kernels, copies and calls of its
// devices, the longest pauses between them, and the time of each rank.
package capture
