// Package capture reads what a capture recorded: the kernels, copies and calls of its
// devices, the longest pauses between them, and the time of each rank.
package capture
