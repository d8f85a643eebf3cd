// Package pipelines has programs of dependent kernels between file reads and
// file writes: the vector add of figure 4 and the seven workloads of table 2 of
// the CRCS and PPCS paper, with the launch configurations of their suites.
package pipelines
