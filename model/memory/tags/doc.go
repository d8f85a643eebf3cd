// Package tags has the tag arrays of sectored caches with LRU replacement: of the L1, the slices of the L2 and the
// TLB. It also maps addresses to slices, sets, banks and rows.
package tags
