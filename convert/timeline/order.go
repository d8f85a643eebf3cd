package timeline

import (
	"cmp"
	"io"
	"math"
	"slices"

	"gpureplay/convert/spill"
)

// A stream runs its work in order, so the host must have issued its activities in the order in which they began,
// whatever the calls say: the window of a capture may begin in queued work, whose calls it does not have, and a
// correlation id may name another's call. So each activity is issued no later than the earliest call of the
// activities of its stream that began after it. One without a call is issued when it began; if the host was waiting
// then, before it began to wait: it could issue nothing meanwhile.

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
	later := later{first: true}
	issue := int64(0)
	for {
		rec, err := it.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		r.decode(rec)
		if later.first || r.device != later.device || r.stream != later.stream {
			later, issue = newLater(&r), r.start
		}
		if r.start > issue {
			b.counts.add(issuedEarly)
		}
		b.end(&r, &later)
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

// later are the activities of a stream that began behind the current one.
type later struct {
	device uint32
	stream uint64
	first  bool     // none of the stream has been seen
	begins [4]int64 // of the nearest ones
	ends   [2]int64 // of the nearest ones
}

const unseen = math.MaxInt64

func newLater(r *row) later {
	return later{device: r.device, stream: r.stream, begins: [4]int64{unseen, unseen, unseen, unseen},
		ends: [2]int64{unseen, unseen}}
}

// An activity may last into the next ones of its stream: programmatic launches do for some
// microseconds, AMD's queues too, and a graph may run its branches so. Recorded durations of
// seconds to centuries in the midst of short ones are not of this kind (TraceLens issue 669,
// Hyperloom pull request 1116, HolisticTraceAnalysis pull request 325). Such an overrun takes
// overrunNs at least, covers the next two activities, goes into the fourth, and lasts
// overrunGaps times as long as the time to the begin of the next one.
const (
	overrunNs   = 500_000
	overrunGaps = 10
)

// end cuts the duration of an activity where it cannot have been that long: at the begin of the next one, or at the
// end of a wait of the host for it. An activity that lasts beyond all else, without a record of its end, has an
// unknown duration.
func (b *Builder) end(r *row, next *later) {
	end := r.began + r.ran
	if end < r.began { // beyond all times
		end = math.MaxInt64
	}
	gap, cut := next.begins[0]-r.began, int64(unseen)
	overruns := r.ran > overrunNs && next.begins[0] != unseen && r.ran/overrunGaps > gap &&
		end > max(next.ends[0], next.ends[1])
	if overruns && (next.begins[3] == unseen || end > next.begins[3]) {
		cut = next.begins[0]
	}
	if r.flags&flagHostTime != 0 && r.ran > overrunNs {
		if wait, ok := b.hostWaits.of(r); ok && end-wait > max(overrunNs, (wait-r.began)/overrunGaps) {
			cut = min(cut, max(wait, r.began))
		}
	}
	switch {
	case cut != unseen:
		r.ran = cut - r.began
		b.counts.add(overrun)
	case end > b.horizon && r.ran/overrunGaps > b.horizon-b.first+1e9:
		r.ran, r.flags = 0, r.flags|flagEndless
		b.counts.add(overrun)
	}
	if r.began+r.ran > next.begins[0] && ActivityKind(r.kind) == Kernel {
		b.counts.add(streamOverlap)
	}
	copy(next.begins[1:], next.begins[:])
	next.begins[0], next.ends[0], next.ends[1] = r.began, r.began+r.ran, next.ends[0]
}

// hostWaits are the calls in which the host waited for a device or a stream.
type hostWaits struct{ all []hostWait }

type hostWait struct {
	from, to int64
	host     uint64
	stream   uint64
	device   bool // for all of the device
	streams  bool // for the stream
}

// maxHostWaits bounds the memory of hostWaits.
const maxHostWaits = 1 << 20

func (h *hostWaits) note(r *row) {
	if kind := CallKind(r.kind); (kind == CallSyncDevice || kind == CallSyncStream) && len(h.all) < maxHostWaits {
		h.all = append(h.all, hostWait{
			r.start, r.start + r.duration, r.host, r.stream, kind == CallSyncDevice, kind == CallSyncStream &&
				r.flags&flagStream != 0,
		})
	}
}

func (h *hostWaits) sort() {
	slices.SortFunc(h.all, func(a, b hostWait) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
}

// since is the last time before the host began the wait that it is in at t; t, if it does not wait.
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

// of is the end of the first wait for an activity with a call, among the next few waits.
func (h *hostWaits) of(r *row) (end int64, ok bool) {
	n, _ := slices.BinarySearchFunc(h.all, r.start, func(w hostWait, t int64) int { return cmp.Compare(w.from, t) })
	for _, w := range h.all[n:min(n+nearWaits, len(h.all))] {
		if w.host == r.host && (w.device || w.streams && w.stream == r.stream) {
			return w.to, true
		}
	}
	return 0, false
}

// nearWaits is how many waits are looked at.
const nearWaits = 64
