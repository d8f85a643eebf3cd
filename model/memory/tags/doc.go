// Package tags has the tag arrays of sectored caches with LRU replacement, the L1 and the slices of the L2 among them, and
// the mapping of addresses to slices, sets, banks and rows.
package tags
