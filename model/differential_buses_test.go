package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Machines of few buses for results, whose pipes are as fast as each other or not, agree with
// the reference model on warps that compute.
func TestBusesAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 60, func(r *rand.Rand) (text string, machine []string) {
		machine = append(randomMachine(r), "sm.pipeline=collector", "sm.issue_width=1")
		set := func(key string, values ...any) {
			machine = append(machine, fmt.Sprintf("%s=%v", key, values[r.IntN(len(values))]))
		}
		set("sm.schedulers", 2, 4, 4)
		set("sm.operand_collectors", 4, 8)
		set("sm.register_banks", 8, 16)
		set("sm.result_buses", 1, 2, 3, 4, 5, 6, 8)
		set("sm.pipeline_depth", 0, 5)
		set("sm.exit_latency", 1, 6)
		for _, class := range []string{"int", "fp32", "fp64", "sfu", "tensor", "uniform", "control", "texture"} {
			set("exec."+class+".latency", 1, 2, 2, 2, 4, 8)
			set("exec."+class+".initiation", 1, 1, 1, 2, 4)
		}
		return computingText(r), machine
	})
}

// computingText is a trace of warps that compute, in all units, and load now and then.
func computingText(r *rand.Rand) string {
	classes := []string{"int", "int", "fp16", "fp32", "fp32", "fp64", "sfu", "tensor", "uniform", "control"}
	return warpsText(r, 4, 20, func(b *strings.Builder) {
		x, y := 1+r.IntN(16), 1+r.IntN(16)
		switch r.IntN(12) {
		case 0:
			fmt.Fprintf(b, "load shared R%d @0x0+4\n", x)
		case 1, 2, 3:
			fmt.Fprintf(b, "%s R%d\n", classes[r.IntN(len(classes))], x)
		case 4:
			fmt.Fprintf(b, "%s R%d <- R%d R%d\n", classes[r.IntN(len(classes))], x, y, y+4)
		default:
			fmt.Fprintf(b, "%s R%d <- R%d\n", classes[r.IntN(len(classes))], x, y)
		}
	})
}
