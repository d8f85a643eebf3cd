package measured

import (
	"math"
	"testing"
)

// Every row of the published table within a tenth.
func TestBoundaries(t *testing.T) {
	all, err := Boundaries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2*len(boundaries) {
		t.Fatalf("%d rows", len(all))
	}
	for _, b := range all {
		t.Logf("%s, %s: measured %.2f us, predicted %.2f, %+.1f %% (%s)", b.GPU, b.How, b.Measured, b.Predicted,
			b.ErrorPct, b.Machine)
		if math.Abs(b.ErrorPct) > 10 {
			t.Errorf("%s, %s: %+.1f %%", b.GPU, b.How, b.ErrorPct)
		}
	}
}
