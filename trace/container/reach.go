package container

import (
	"fmt"
	"math"

	"gpureplay/trace"
)

// reach is how far the copies and files of an array go: the bytes of the longest, and the device addresses of those
// that state one.
type reach struct{ bytes, lo, hi uint64 }

// reached takes note of an operation's bytes. Arrays may be defined later.
func (r *rules) reached(op *trace.HostOp) error {
	if !op.Kind.HasArray() || op.Array == trace.NoArray {
		return nil
	}
	if op.Addr > math.MaxUint64-op.Bytes {
		return fmt.Errorf("host operation %v: %d bytes at %#x end behind the last address", op.Kind, op.Bytes, op.Addr)
	}
	x, ok := r.reaches[op.Array]
	if !ok {
		x.lo = math.MaxUint64
	}
	x.bytes = max(x.bytes, op.Bytes)
	if op.Kind.IsCopy() && op.Bytes > 0 && op.Addr > 0 {
		x.lo, x.hi = min(x.lo, op.Addr), max(x.hi, op.Addr+op.Bytes)
	}
	r.reaches[op.Array] = x
	return nil
}

// within checks that the copies and files of an array lie in it.
func (r *rules) within(arrays []trace.Array) error {
	for i := range arrays {
		a := &arrays[i]
		switch x, ok := r.reaches[uint32(i)]; {
		case !ok:
		case x.bytes > a.Bytes:
			return fmt.Errorf("array %d (%s) has %d bytes; a copy or a file of it has %d", i, a.Name, a.Bytes, x.bytes)
		case x.hi > 0 && (x.lo < a.Base || x.hi > a.Base+a.Bytes):
			return fmt.Errorf("array %d (%s) lies from %#x to %#x; its copies go from %#x to %#x", i, a.Name, a.Base,
				a.Base+a.Bytes, x.lo, x.hi)
		}
	}
	return nil
}
