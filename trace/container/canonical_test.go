package container

import (
	"gpureplay/trace"
	"strings"
	"testing"
)

// A bulk access of more addresses than the reader takes is not written either.
func TestTooManyAddresses(t *testing.T) {
	in := &trace.Inst{Flags: trace.InstBulk, Width: 16}
	if _, _, err := canonicalAccess(in, 1, trace.Access{Base: 4096, Stride: 16, Count: maxAddresses}, nil); err != nil {
		t.Error(err)
	}
	if _, _, err := canonicalAccess(in, 1, trace.Access{Base: 4096, Stride: 16, Count: maxAddresses + 1},
		nil); err == nil {
		t.Errorf("%d addresses are taken", uint32(maxAddresses+1))
	}
}

// A step has one mask; a mask that changes nothing is left out.
func TestMasksOfOneStep(t *testing.T) {
	runs := []trace.MaskRun{{At: 0, Mask: 1}, {At: 1, Mask: 2}, {At: 2, Mask: 2}}
	if got, err := canonicalMasks(nil, runs, 3); err != nil || len(got) != 2 {
		t.Errorf("%v, %v; want two masks", got, err)
	}
	runs[2] = trace.MaskRun{At: 1, Mask: 3}
	if _, err := canonicalMasks(nil, runs, 3); err == nil || !strings.Contains(err.Error(), "step 1 after 1") {
		t.Errorf("two masks of a step: %v", err)
	}
}
