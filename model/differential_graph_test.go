package model_test

import (
	"math/rand/v2"
	"testing"
	"time"
)

// One call for all kernels between two waits, and kernels that do not wait for the ones before them in their
// stream: the two machines agree.
func TestGraphAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 80, func(r *rand.Rand) (text string, machine []string) {
		return randomTrace(r), append(randomMachine(r), "policy="+[]string{"graph", "freed"}[r.IntN(2)])
	})
}
