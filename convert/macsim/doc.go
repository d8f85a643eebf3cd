// Package macsim reads the traces that MacSim's NVBit tracer writes: a list of
// kernels (kernel_config.txt), of warps (trace.txt), and one packed file of
// 64-byte records per warp.
package macsim
