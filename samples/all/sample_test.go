package all_test

import (
	"bytes"
	"os"
	"testing"

	"gpureplay/samples/samplestest"
)

// TestCommittedSample generates samples/vecadd.trace.zst again: same bytes, small,
// so that a first replay works in a fresh clone.
func TestCommittedSample(t *testing.T) {
	const path = "../vecadd.trace.zst"
	want := samplestest.File(t, "vecadd")
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what its generator writes; write it with: go test ./samples/all -update", path)
	}
	if len(got) > 1<<20 {
		t.Errorf("%s has %d bytes", path, len(got))
	}
}
