package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// randomCollectors draws the pipes that operand collectors serve, numbers of collectors and banks that a machine's
// schedulers can have, and how many warps an SM fetches for.
func randomCollectors(r *rand.Rand, machine []string) (all []string) {
	schedulers := 1
	for _, line := range machine {
		if n, ok := strings.CutPrefix(line, "sm.schedulers="); ok {
			fmt.Sscan(n, &schedulers)
		}
	}
	units, banks := schedulers*[]int{1, 2, 2, 8}[r.IntN(4)], schedulers*[]int{1, 2, 4, 8}[r.IntN(4)]
	if r.IntN(2) == 0 {
		all = append(all, fmt.Sprintf("sm.operand_collectors=%d", units), fmt.Sprintf("sm.register_banks=%d", banks),
			"sm.pipeline=collector")
	}
	return append(all, fmt.Sprintf("sm.fetch_width=%d", []int{0, 0, 0, 1, 2, 4}[r.IntN(6)]))
}
