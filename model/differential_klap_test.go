package model_test

import (
	"strings"
	"testing"
	"time"

	"math/rand/v2"
)

// Requests launched together: the two machines agree.
func TestAggregationAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 80, func(r *rand.Rand) (text string, machine []string) {
		scopes := []string{"klap", "klap,scope=warp", "klap,scope=warp,streams=on,words=0", "klap,code=off",
			"klap,scope=warp,code=off", "klap,words=5"}
		return nestTrace(r), nestMachine(r, scopes...)
	})
}

// For whole kernels, of programs that do not wait for children on the device.
func TestKernelAggregationAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 60, func(r *rand.Rand) (text string, machine []string) {
		return withoutSync(nestTrace(r)), nestMachine(r, "klap,scope=grid", "klap,scope=grid,code=off",
			"klap,scope=grid,words=4")
	})
}

// withoutSync is a program that does not wait for children on the device.
func withoutSync(text string) string { return strings.ReplaceAll(text, "devsync\n", "fence\n") }
