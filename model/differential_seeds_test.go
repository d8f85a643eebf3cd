package model_test

import (
	"fmt"
	"strings"
	"testing"
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
