package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Machines that write many results of memory into few banks, of short stages of shared
// memory, agree with the reference model.
func TestWritebackAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 60, func(r *rand.Rand) (text string, machine []string) {
		machine = append(randomMachine(r), "memory.engine=cycle", "sm.pipeline=collector")
		set := func(key string, values ...any) {
			machine = append(machine, fmt.Sprintf("%s=%v", key, values[r.IntN(len(values))]))
		}
		set("sm.schedulers", 1, 2, 4)
		set("sm.operand_collectors", 4, 8)
		set("sm.register_banks", 4, 8)
		set("sm.pipeline_depth", 0, 3, 5)
		set("shared.latency", 1, 2, 3, 7)
		set("shared.writeback", 0, 1, 4, 5)
		set("exec.int.latency", 1, 2, 4)
		return loadingText(r), machine
	})
}

// loadingText is a trace of warps that load, from shared memory above all, and add.
func loadingText(r *rand.Rand) string {
	return warpsText(r, 2, 14, func(b *strings.Builder) {
		x, y := 1+r.IntN(12), 1+r.IntN(12)
		switch r.IntN(12) {
		case 0, 1, 2:
			fmt.Fprintf(b, "int R%d <- R%d\n", x, y)
		case 3:
			fmt.Fprintf(b, "load bypass R%d @0x%x+%d\n", x, 0x1000+4*r.IntN(64), 4*r.IntN(9))
		case 4:
			fmt.Fprintf(b, "load R%d R%d @0x%x+%d\n", x, y, 0x1000+4*r.IntN(64), 4*r.IntN(9))
		case 5:
			fmt.Fprintf(b, "store shared <- R%d @0x0+4\n", x)
		default:
			fmt.Fprintf(b, "load shared R%d @0x0+%d\n", x, []int{0, 4, 4, 4, 8}[r.IntN(5)])
		}
	})
}

// warpsText is a trace of up to three CTAs of eight warps. Each has a number of instructions:
// the least, and fewer than so many more.
func warpsText(r *rand.Rand, least, more int, inst func(b *strings.Builder)) string {
	var b strings.Builder
	ctas := 1 + r.IntN(3)
	fmt.Fprintf(&b, "launch k grid=%d block=256 shared=256\n", ctas)
	for c := range ctas {
		fmt.Fprintf(&b, "cta %d\n", c)
		for w := range 8 {
			fmt.Fprintf(&b, "warp %d\n", w)
			for range least + r.IntN(more) {
				inst(&b)
			}
			b.WriteString("exit\n")
		}
	}
	return b.String()
}
