package model_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// Children by priority and place: the two machines agree.
func TestLaPermAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 80, func(r *rand.Rand) (text string, machine []string) {
		text = nestTrace(r)
		machine = nestMachine(r, "laperm", "laperm", "laperm,scheme=tb-pri", "laperm,scheme=smx-bind", "laperm,entries=1",
			"laperm,entries=1,levels=1,agt=1", "laperm,launch=device-kernel",
			"laperm,scheme=smx-bind,entries=1,ahead=1,agt=2", "laperm,launch=device-kernel,entries=1",
			"laperm,scheme=tb-pri,launch=device-kernel", "laperm,match=kde,fallback=api")
		if r.IntN(3) > 0 { // SMs that have to help each other
			machine = append(machine, fmt.Sprintf("sm.count=%d", 3+r.IntN(4)), "sm.max_ctas=1")
		}
		return text, machine
	})
}
