// Package dtbl is the hardware of dynamic thread block launch (DTBL paper, section 4): the
// aggregated group table, the search for a kernel that a group may join, and the reading
// of records that are in global memory.
package dtbl
