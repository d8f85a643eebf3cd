// Package memory is the way of an access, from an SM's load/store unit to DRAM and back:
// coalescer, L1, crossbar, L2 slices and DRAM channels. It knows a machine's
// parameters and the addresses of a trace, and nothing of warps, kernels or policies.
//
// An access is timed in one call when it issues: every port, bank and bus on its way
// reserves the cycles that it needs. There is no event per request.
package memory
