package container

import (
	"fmt"
	"gpureplay/trace"
)

// streamOrder checks that the operations of a stream come in the order of their
// recorded starts: a stream runs in order, so another order was not the host's.
type streamOrder struct {
	last map[uint64]started
	ops  uint64
}

// started is the latest start of a stream, with the number of its host operation.
type started struct {
	ns int64
	op uint64
}

// maxStreams is how many streams are checked; those after them are not.
const maxStreams = 1 << 20

func (s *streamOrder) op(op *trace.HostOp) error {
	at := s.ops
	s.ops++
	if op.Recorded == nil || op.Recorded.StartNs < 0 || op.Kind != trace.OpLaunch && !op.Kind.IsCopy() {
		return nil
	}
	if s.last == nil {
		s.last = map[uint64]started{}
	}
	before, ok := s.last[op.Stream]
	if ok && op.Recorded.StartNs < before.ns {
		return fmt.Errorf("host operation %d (%v) of stream %d is recorded to start at %d ns, operation %d before it at "+
			"%d ns; a stream runs in order, so give its operations in the order of their starts",
			at, op.Kind, op.Stream, op.Recorded.StartNs, before.op, before.ns)
	}
	if ok || len(s.last) < maxStreams {
		s.last[op.Stream] = started{op.Recorded.StartNs, at}
	}
	return nil
}
