package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Machines whose L1 keeps written lines agree with the reference model.
func TestKeptLinesAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 60, func(r *rand.Rand) (text string, machine []string) {
		line := 0
		for _, set := range randomMachine(r) {
			fmt.Sscanf(set, "l1.line_bytes=%d", &line)
			if !strings.HasPrefix(set, "l1.unified") && !strings.HasPrefix(set, "l1.carveouts") {
				machine = append(machine, set)
			}
		}
		sets := []int{1, 2, 4}[r.IntN(3)]
		machine = append(machine, "memory.engine=cycle", "l1.write_allocate=true", "l1.global_loads=true",
			fmt.Sprintf("l1.bytes=%d", 16*line), fmt.Sprintf("l1.ways=%d", 16/sets),
			fmt.Sprintf("l1.write_ratio_pct=%d", []int{0, 10, 25, 100 / sets}[r.IntN(4)]))
		return storingText(r), machine
	})
}

// storingText is a trace of warps that store and load in a few more lines than an L1 has.
func storingText(r *rand.Rand) string {
	return warpsText(r, 6, 16, func(b *strings.Builder) {
		x, at := 1+r.IntN(12), fmt.Sprintf("@0x%x+%d", 0x1000+32*r.IntN(160), []int{0, 4, 8, 128}[r.IntN(4)])
		switch r.IntN(6) {
		case 0:
			fmt.Fprintf(b, "int R%d <- R%d\n", x, 1+r.IntN(12))
		case 1, 2:
			fmt.Fprintf(b, "load R%d <- R%d %s\n", x, 1+r.IntN(12), at)
		default:
			fmt.Fprintf(b, "store <- R%d %s\n", x, at)
		}
	})
}
