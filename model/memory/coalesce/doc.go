// Package coalesce turns the addresses of a warp's access into sectors of 32 B, requests for blocks and transactions of
// atomics, and counts the bank conflicts of shared memory.
package coalesce
