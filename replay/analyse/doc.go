// Package analyse compares runs and captures: with other runs, with measurements, with
// a machine that one change separates from theirs, and with the program's limits.
package analyse
