// Package pipelines has programs of dependent kernels between file reads and file writes. They are the vector add
// of figure 4 and the seven workloads of table 2 of the CRCS and PPCS paper. Launch configurations are their
// suites'.
package pipelines
