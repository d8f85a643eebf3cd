package measured

import (
	"math"
	"testing"

	"gpureplay/model"
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

// Ends that are 100 cycles apart from the fifth on have a period of 100, however many they are.
func TestPeriod(t *testing.T) {
	e := ends{at: []model.Time{1000, 1001, 1002, 1003, 5000}}
	for n := range 20 {
		e.at = append(e.at, 5000+100*model.Time(n+1))
		if got := e.period(); got != 100 {
			t.Errorf("%d ends: %v cycles, want 100", len(e.at), got)
		}
	}
}
