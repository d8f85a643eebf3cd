package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// statesGraphs makes graph launches of some operations of a trace's text.
func statesGraphs(r *rand.Rand, text string) string {
	lines, launched := strings.Split(text, "\n"), 0
	for i, line := range lines {
		word, _, _ := strings.Cut(line, " ")
		if !slices.Contains([]string{"launch", "record", "wait"}, word) && !strings.Contains(line, " async") ||
			r.IntN(3) == 0 {
			continue
		}
		if launched == 0 || r.IntN(3) == 0 {
			launched++
		}
		lines[i] += fmt.Sprintf(" graph=%d", launched)
	}
	return strings.Join(lines, "\n")
}

// The graphs that a trace states are one call each, under every policy that issues calls: the two machines agree.
func TestStatedGraphsAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 80, func(r *rand.Rand) (text string, machine []string) {
		return statesGraphs(r, randomTrace(r)), append(randomMachine(r), "policy="+
			[]string{"hyperq", "graph", "freed", "serial"}[r.IntN(4)])
	})
}

// One call for all kernels between two waits, and kernels that do not wait for the ones before them in their
// stream: the two machines agree.
func TestGraphAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 80, func(r *rand.Rand) (text string, machine []string) {
		return randomTrace(r), append(randomMachine(r), "policy="+[]string{"graph", "freed"}[r.IntN(2)])
	})
}
