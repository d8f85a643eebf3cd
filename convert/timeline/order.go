package timeline

import (
	"io"

	"gpureplay/convert/spill"
)

// A stream runs what it is given in order, so the host must have issued its
// activities in the order in which they began, whatever the calls say: the window
// of a capture may begin in queued work, whose calls it does not have, and a
// correlation id may name another's call. So each activity is issued no later than
// the earliest call of those of its stream that began after it.

// streamKey puts the activities of a stream side by side, the last one first.
func (r *row) streamKey() [keyWords]uint64 {
	return [keyWords]uint64{uint64(r.device), r.stream, ^ordered(r.began), ^ordered(r.start), ^r.seq}
}

// issueInOrder hands the joined activities over to the sorter of the host's order.
func (b *Builder) issueInOrder(streams *spill.Sorter) error {
	it, err := streams.Sorted()
	if err != nil {
		return err
	}
	var r row
	var device uint32
	var stream uint64
	issue, first := int64(0), true
	for {
		rec, err := it.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		r.decode(rec)
		if first || r.device != device || r.stream != stream {
			device, stream, issue, first = r.device, r.stream, r.start, false
		}
		if r.start > issue {
			b.counts.add(issuedEarly)
		}
		issue = min(issue, r.start)
		r.encode(b.buf, r.hostKey(issue))
		if err := b.host.Add(b.buf); err != nil {
			return err
		}
	}
}
