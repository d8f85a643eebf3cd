package container

import (
	"gpureplay/trace"
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
