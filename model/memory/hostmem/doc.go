// Package hostmem places a machine's tables in huge pages of the host, and prefetches their entries.
package hostmem
