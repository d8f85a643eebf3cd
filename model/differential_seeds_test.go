package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/internal/reference"
)

// logSeed names the seed of a comparison that has failed.
func logSeed(t *testing.T, seed int64) {
	if t.Failed() {
		t.Logf("seed %d", seed)
	}
}

// The machines once differed in these traces, in cases that few random ones have.
func TestSeedsOnceDiffered(t *testing.T) {
	for _, x := range []struct {
		why   string
		trace func(*rand.Rand) (text string, machine []string)
		seeds []int64
	}{
		{"a kernel comes to an SM while an access of a suspended CTA waits", func(r *rand.Rand) (string, []string) {
			return randomTrace(r), append(randomMachine(r), "sm.pipeline=direct", "sm.operand_collectors=0")
		}, []int64{1703}},
		{"an answer to a program of an executor comes while its next has a register open", pagodaTrace, []int64{90}},
		{"it comes when the task between them has ended and not been left", pagodaTrace, []int64{113}},
		{"two warps leave one threadblock in one cycle", pagodaTrace, []int64{610}},
		{"the warp whose end is known last does not end last", pagodaTrace, []int64{124, 411}},
		{"a store drops a sector on its way to the L1, and a load wants it", copiesTrace, []int64{143}},
		{"a load that may not join a fetch that has come looks again", copiesTrace, []int64{96}},
		{"a load that misses joins a fetch that has come, and more do", copiesTrace, []int64{703}},
		{"the L1 is flushed while loads that hit are in its banks", spawnTrace, []int64{1109}},
		{"a fill comes sooner than one of a unit of the machine that is known", tasksTrace, []int64{967}},
	} {
		for _, seed := range x.seeds {
			t.Run(fmt.Sprintf("%s/%d", x.why, seed), func(t *testing.T) { compareSeed(t, seed, x.trace) })
		}
	}
}

// storesHold says whether stores keep CTAs of a random machine. The values drawn so far decide
// it: one more draw would make other traces of all seeds.
func storesHold(drawn []string) string {
	return fmt.Sprintf("sm.stores_hold_cta=%v", len(strings.Join(drawn, ""))%2 == 0)
}

// forgetAhead takes from instructions the results that the engine, which looks ahead, knows as they issue, and the
// reference model does not.
func forgetAhead(insts, want map[reference.InstKey][2]model.Time) {
	left := map[reference.InstKey]map[[2]model.Time]int{}
	take := func(k reference.InstKey, v [2]model.Time) bool {
		k.N = 0
		if left[k][v] == 0 {
			return false
		}
		left[k][v]--
		return true
	}
	for k, v := range want {
		if k.N = 0; left[k] == nil {
			left[k] = map[[2]model.Time]int{}
		}
		left[k][v]++
	}
	var others []reference.InstKey
	for k, v := range insts {
		if !take(k, v) {
			others = append(others, k)
		}
	}
	for _, k := range others {
		if v := insts[k]; take(k, [2]model.Time{v[0], v[0]}) {
			insts[k] = [2]model.Time{v[0], v[0]}
		}
	}
}
