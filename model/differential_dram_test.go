package model_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// randomLayout returns a layout of addresses for some machines, with polynomials for
// slices, sets or banks.
func randomLayout(r *rand.Rand) []string {
	bankHash := "dram.bank_hash=" + []string{"linear", "xor", "ipoly"}[r.IntN(3)]
	switch r.IntN(7) {
	case 0:
		return []string{
			"dram.mapping=RRRR.RBCB.CCCS.SSSS", "dram.banks=4", "dram.row_bytes=512", "dram.channels=16",
			"l2.slices=32", "l2.hash=ipoly", "l2.bytes=16384", "l2.ways=1", "l2.line_bytes=128", "l1.line_bytes=128",
			"dram.bank_hash=xor",
		}
	case 1:
		return []string{
			"dram.mapping=RRRRBCCBCSSSSS", "dram.banks=4", "dram.row_bytes=256", "dram.channels=3",
			"l2.slices=6", "l2.hash=linear", "l2.bytes=12288", "l2.ways=4", "l2.set_hash=ipoly",
			"l2.line_bytes=32", "l1.line_bytes=32", "l2.sector_bytes=32", "l1.sector_bytes=32",
		}
	case 2: // a slice is the remainder of a polynomial over 32
		return []string{
			"dram.mapping=RRRRRBBBCCBCCSSSSS", "dram.banks=16", "dram.row_bytes=512", "dram.channels=12",
			"l2.slices=24", "l2.hash=ipoly", "l2.bytes=12288", "l2.ways=1", "l2.line_bytes=128", "l1.line_bytes=128",
			bankHash,
		}
	}
	return nil
}

// Machines whose caches fetch whole lines agree with the reference model. Half of them pass stores on to DRAM.
func TestWholeLinesAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 60, func(r *rand.Rand) (text string, machine []string) {
		text = randomTrace(r)
		return text, append(randomMachine(r), "l1.line_bytes=128", "l2.line_bytes=128", "l1.sector_bytes=128",
			"l2.sector_bytes=128",
			"l2.set_hash=spread", "dram.mapping=", "dram.bank_hash=linear", "l2.hash=linear",
			fmt.Sprintf("l2.write_back=%v", r.IntN(2) == 0))
	})
}
