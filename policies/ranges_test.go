package policies_test

import (
	"fmt"
	"testing"

	"gpureplay/trace/tracetest"
)

// gap is kernel 0 with a CTA that touches pages 0 and 2 and works on, and kernel 1
// with a CTA for each of pages 0 to 3. between is a line of the first CTA.
func gap(between string) string {
	return fmt.Sprintf(`
array P bytes=16K
launch a grid=1 block=32
cta 0
 %s
 warp 0
  load R2 <- R1 @P+4
  load R2 <- R1 @P[0x2000]+4
  int R2 <- R2 x50
  exit
launch b grid=4 block=32
cta 0..3
 warp 0
  load R2 <- R1 @P+4 cta=4096
  exit
`, between)
}

// The pages that a CTA holds: under CRCS the ranges that the trace states, cut at the allocation, or the hull of
// its accesses in the array. Under the oracle they are the touched pages. Held pages keep kernel 1 back until
// kernel 0 has ended.
func TestHeldPages(t *testing.T) {
	for _, x := range []struct {
		policy, between string
		held            [4]bool
	}{
		{crcsFree, "", [4]bool{true, true, true, false}},
		{"oracle", "", [4]bool{true, false, true, false}},
		{crcsFree, "range P read 0..16384", [4]bool{true, true, true, true}},
		{crcsFree, "range P read 0..4611686018427387904", [4]bool{true, true, true, true}},
		{"oracle", "range P read 0..16384", [4]bool{true, false, true, false}},
	} {
		l, _, err := replay(t, tracetest.FromText(t, gap(x.between)), tiny(t, 8, 1), x.policy, 0)
		if err != nil {
			t.Fatal(err)
		}
		end := l.cta(t, 0, 0).End
		for page, held := range x.held {
			if r := l.cta(t, 1, uint32(page)); (r.Start > end) != held {
				t.Errorf("%s %q: page %d is held: %v, want %v (kernel 0 ends at %d, CTA starts at %d)", x.policy, x.between,
					page, !held, held, end, r.Start)
			}
		}
	}
}
