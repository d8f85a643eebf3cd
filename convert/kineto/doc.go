// Package kineto reads the traces of PyTorch's profiler: Chrome JSON written by
// Kineto, of NVIDIA and AMD GPUs, streamed token by token.
//
// It knows the spellings of all versions since 2021: categories with and
// without the gpu_ prefix, argument keys in any case and with blanks or
// underscores, times in integer or fractional microseconds, processes and
// threads as numbers or as text.
package kineto
