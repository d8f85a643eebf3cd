package convert_test

import (
	"errors"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/trace/tracetest"
)

// A profiler's capture without a kernel is an error that lists its records and a remedy; --allow-empty gives the
// empty trace.
func TestNoActivity(t *testing.T) {
	for file, want := range map[string]string{
		"hta-cpu_only.json.gz": "events of other kinds are 1 Trace, 4 cpu_op; profile with ProfilerActivity.CUDA",
		"hta-mtia.json.gz":     "25814 mtia_ccp_events",
		"weatherbench.sqlite": "(calls that launch, copy or wait: 1; copies and memory sets: 1); profile with nsys " +
			"profile --trace=cuda",
	} {
		path := tracetest.Data(t, "captures-more/"+file)
		_, err := convertWith(t, path, convert.Options{Device: -1})
		if !errors.Is(err, convert.ErrNoActivity) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "--allow-empty") {
			t.Errorf("%s: %v", file, err)
		}
		if r, err := convertWith(t, path, convert.Options{Device: -1, AllowEmpty: true}); err != nil || len(r.Kernels) != 0 {
			t.Errorf("%s: kept: %v", file, err)
		}
	}
}
