package model_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// Machines whose SMs share ports of the crossbar agree with the reference model.
func TestSharedPortsAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 60, func(r *rand.Rand) (text string, machine []string) {
		each, ports := 2+r.IntN(2), 1+r.IntN(3)
		return randomTrace(r), append(randomMachine(r), "memory.engine=cycle", fmt.Sprintf("sm.count=%d", each*ports),
			fmt.Sprintf("icnt.sms_per_port=%d", each))
	})
}
