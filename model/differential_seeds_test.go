package model_test

import (
	"fmt"
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
