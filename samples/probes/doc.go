// Package probes has programs that load one part of a machine and little else,
// for the validation of the model and for its benchmarks.
package probes
