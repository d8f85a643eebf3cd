package timeline

import (
	"cmp"
	"io"
	"slices"

	"gpureplay/convert/spill"
)

// A stream runs what it is given in order, so the host must have issued its
// activities in the order in which they began, whatever the calls say: the window
// of a capture may begin in queued work, whose calls it does not have, and a
// correlation id may name another's call. So each activity is issued no later than
// the earliest call of those of its stream that began after it. One without a call is
// issued when it began; if the host was waiting then, before it began to wait: it could
// issue nothing meanwhile.

// streamKey puts the activities of a stream side by side, the last one first.
func (r *row) streamKey() [keyWords]uint64 {
	return [keyWords]uint64{uint64(r.device), r.stream, ^ordered(r.began), ^ordered(r.start), ^r.seq}
}

// issueInOrder hands the joined activities over to the sorter of the host's order.
func (b *Builder) issueInOrder(streams *spill.Sorter) error {
	b.hostWaits.sort()
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
		if r.flags&flagHostTime == 0 {
			issue = min(issue, b.hostWaits.since(r.began))
		}
		issue = min(issue, r.start)
		r.encode(b.buf, r.hostKey(issue))
		if err := b.host.Add(b.buf); err != nil {
			return err
		}
	}
}

// hostWaits are the calls in which the host waited for a device or a stream.
type hostWaits struct{ all []hostWait }

type hostWait struct{ from, to int64 }

// maxHostWaits bounds the memory of hostWaits.
const maxHostWaits = 1 << 20

func (h *hostWaits) note(r *row) {
	if kind := CallKind(r.kind); (kind == CallSyncDevice || kind == CallSyncStream) && len(h.all) < maxHostWaits {
		h.all = append(h.all, hostWait{r.start, r.start + r.duration})
	}
}

func (h *hostWaits) sort() {
	slices.SortFunc(h.all, func(a, b hostWait) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
}

// since is the last time before the host began to wait for what it waits for at t; t, if
// it does not wait.
func (h *hostWaits) since(t int64) int64 {
	n, _ := slices.BinarySearchFunc(h.all, t, func(w hostWait, t int64) int {
		if w.from <= t {
			return -1
		}
		return 1
	})
	if n > 0 && h.all[n-1].to >= t {
		return h.all[n-1].from - 1
	}
	return t
}
