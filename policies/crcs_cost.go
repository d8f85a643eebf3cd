package policies

import (
	"fmt"
	"math/bits"

	"gpureplay/model/hardware"
)

// Sizes that section 5.4 of the CRCS/PPCS paper counts and a configuration does not give.
const (
	costTLBEntries  = 128   // of an SM, where the machine has no TLB of its own
	costKernels     = 1024  // that overlap: 10-bit kernel ids
	costPointerBits = 32    // to the reference count table
	costSharedBytes = 32768 // of an SM in the paper's baseline; its table 1 says 16 KB
	costReadOnly    = 49152 // read-only cache of an SM
	costSMBits      = 5     // counter of a kernel's SMs
	costPageBits    = 11    // counter of a kernel's pages
	costSection     = "CRCS/PPCS paper, section 5.4"
)

// crcsCost is the storage that section 5.4 counts for CRCS.
func crcsCost(c *hardware.Config, a Args) []CostLine { return boardCost(c, a, false) }

// ppcsCost adds a record for each kernel.
func ppcsCost(c *hardware.Config, a Args) []CostLine { return boardCost(c, a, true) }

// boardCost is the storage of the scoreboard and of PPCS, and its share of the
// GPU's. Counters without bound (0 bits) are counted as the 32 bits that the
// model keeps.
func boardCost(c *hardware.Config, a Args, ppcs bool) []CostLine {
	counter, err := a.Integer("crcs-counter-bits", 0, 31)
	if err != nil || counter == 0 {
		counter = 32
	}
	id := bits.Len(costKernels - 1)
	entries, from := c.TLB.Entries, "tlb.entries"
	if entries == 0 {
		entries, from = costTLBEntries, costSection+": the machine has no TLB"
	}
	entry := 2 + id + 2*int(counter) + costPointerBits
	sm := float64(entry*entries) / 8
	added := float64(sm * float64(c.SM.Count))
	lines := []CostLine{
		{"TLB entry: ready, D2H, owner, two counters, pointer", float64(entry), "bits",
			fmt.Sprintf("%s: 1 + 1 + %d + 2 x %d + %d", costSection, id, counter, costPointerBits)},
		{"TLB entries of an SM", float64(entries), "entries", from},
		{"TLB of an SM", sm, "bytes", ""},
		{"TLBs of all SMs", added, "bytes", ""},
	}
	if ppcs {
		kernel := id + costSMBits + costPageBits
		records := float64(kernel*costKernels) / 8
		added += records
		lines = append(lines,
			CostLine{"kernel record: id, SMs scheduled, pages owned", float64(kernel), "bits",
				fmt.Sprintf("%s: %d + %d + %d%s", costSection, id, costSMBits, costPageBits, narrow(c))},
			CostLine{fmt.Sprintf("kernel records, %d", costKernels), records, "bytes", costSection},
		)
	}
	machine := float64(c.SM.Count*(c.L1.Bytes+costSharedBytes+costReadOnly) + c.L2.Bytes)
	return append(lines,
		CostLine{"added in all", added, "bytes", ""},
		CostLine{"storage of the GPU: L1, 32 KB shared, 48 KB read-only an SM; L2", machine, "bytes",
			"l1.bytes, l2.bytes; " + costSection},
		CostLine{"added to the GPU's storage", 100 * added / machine, "%", ""},
		CostLine{"aside: ready bits of an SM's instruction buffer", float64(2 * c.SM.MaxWarps), "bits",
			"two entries a warp; the paper's sum leaves them out"},
	)
}

// narrow notes a machine whose SMs the paper's counter cannot count.
func narrow(c *hardware.Config) string {
	if need := bits.Len(uint(c.SM.Count)); need > costSMBits {
		return fmt.Sprintf(" (%d SMs would need %d bits)", c.SM.Count, need)
	}
	return ""
}
