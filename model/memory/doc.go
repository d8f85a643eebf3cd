// Package memory is the interface between the SMs and their memory: [Port] is the load/store unit of an SM, [System]
// all that lies behind. Two engines implement it, and package engine chooses one:
//
//   - reserve times an access in one call: each port, bank and bus on its way reserves the cycles that it needs. No
//     event stands for a request, and the completion time is known when the access issues.
//   - cycle moves requests in each cycle through queues of the L1's banks, crossbar, L2 slices and DRAM channels. Their
//     completion times become known when their replies leave the slices.
//
// Both use coalesce (sectors of an access), tags (caches and address mapping) and timing (ports and clocks). Both also
// use unit (the load/store unit up to the L1) and hostmem (tables of the host). Neither engine imports the other.
package memory
