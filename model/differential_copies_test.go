package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Programs with asynchronous copies in groups (LDGSTS, LDGDEPBAR, DEPBAR) agree with the reference model.
func TestCopiesAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 60, copiesTrace)
}

func copiesTrace(r *rand.Rand) (text string, machine []string) {
	machine = randomMachine(r)
	switch r.IntN(3) {
	case 0:
		machine = append(machine, "memory.engine=cycle", "sm.pipeline=collector", "sm.schedulers=2",
			"sm.operand_collectors=4", "sm.register_banks=4")
	case 1:
		machine = append(machine, "memory.engine=cycle")
	}
	return copyingText(r), machine
}

// copyingText is a trace of warps that copy to shared memory past their registers, among other accesses.
func copyingText(r *rand.Rand) string {
	return warpsText(r, 4, 20, func(b *strings.Builder) {
		x, at := 1+r.IntN(6), fmt.Sprintf("@0x%x+%d", 0x1000+4*r.IntN(300), 4*r.IntN(9))
		switch r.IntN(10) {
		case 0, 1, 2:
			fmt.Fprintf(b, "LDGSTS.E.BYPASS memory global load w4 <- R%d %s\n", x, at)
		case 3, 4:
			b.WriteString("LDGDEPBAR int\n")
		case 5, 6:
			fmt.Fprintf(b, "DEPBAR.LE fence imm=%d\n", r.IntN(4))
		case 7:
			fmt.Fprintf(b, "load R%d <- R%d %s\n", x, 1+r.IntN(6), at)
		case 8:
			fmt.Fprintf(b, "store <- R%d %s\n", x, at)
		default:
			fmt.Fprintf(b, "int R%d <- R%d\n", x, 1+r.IntN(6))
		}
	})
}
