package trace

import "testing"

// A bulk access of more addresses than the reader takes is not written either.
func TestTooManyAddresses(t *testing.T) {
	in := &Inst{Flags: InstBulk, Width: 16}
	if _, _, err := canonicalAccess(in, 1, Access{Base: 4096, Stride: 16, Count: maxAddresses}, nil); err != nil {
		t.Error(err)
	}
	if _, _, err := canonicalAccess(in, 1, Access{Base: 4096, Stride: 16, Count: maxAddresses + 1}, nil); err == nil {
		t.Errorf("%d addresses are taken", uint32(maxAddresses+1))
	}
}
