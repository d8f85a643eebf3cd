package timeline

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// callColumns are columns of the table calls, in the order that callRow names.
var callColumns = []string{"call", "kernel", "function", "stream", "thread", "scope", "bytes", "recorded_host_ns",
	"recorded_host_duration_ns",
	"recorded_start_ns", "recorded_duration_ns"}

// callRow is a recorded call of the host. Times are ns of the capture, -1 where they are unknown.
type callRow struct{ row }

func (c callRow) host() (from, to int64) {
	if c.int(7) < 0 {
		return -1, -1
	}
	return c.int(7), c.int(7) + max(0, c.int(8))
}

func (c callRow) device() (from, to int64) {
	if c.int(9) < 0 || c.int(10) < 0 {
		return -1, -1
	}
	return c.int(9), c.int(9) + c.int(10)
}

// readOrigin finds the time of the capture at which the recorded program starts. It ends with its last work, or,
// without the table runs, begins with its first call.
func (v *view) readOrigin(ctx context.Context) error {
	first, last, span := int64(math.MaxInt64), int64(0), int64(-1)
	if part := v.parts["runs"]; part != nil {
		if err := each(ctx, part, []string{"recorded_ns"}, func(r row) { span = r.int(0) }); err != nil {
			return err
		}
	}
	err := each(ctx, v.parts["calls"], callColumns, func(r row) {
		c := callRow{r}
		_, end := c.device()
		last = max(last, end)
		for _, at := range []int64{c.int(7), c.int(9)} {
			if at >= 0 {
				first = min(first, at)
			}
		}
	})
	if v.origin = first; span > 0 {
		v.origin = last - span
	}
	return err
}

// recorded puts a span of the capture on a lane, beside the replayed ones.
func (v *view) recorded(l *lanes, from, to int64, name string, notes ...note) {
	from, to = from-v.origin, to-v.origin
	if from < 0 || to < from || to < v.ticks.Ns(v.from) || v.to != math.MaxInt64 && from > v.ticks.Ns(v.to) ||
		!v.room(v.cycle(from)) {
		return
	}
	track, ok := l.pick(from, to)
	if !ok {
		v.left.add(v.cycle(from))
		return
	}
	v.stats.Slices++
	v.p.slice(track, from, to, name, append(notes, note{name: "recorded_ns", n: to - from})...)
}

// cycle is the cycle of the replay at a time in ns.
func (v *view) cycle(ns int64) int64 {
	const many = 1_000_000
	return int64(float64(ns) * many / float64(max(1, v.ticks.Ns(many))))
}

// openRange is a range that calls are in: it lasts from its first call to the end of its last.
type openRange struct {
	name     string
	from, to int64
}

// calls shows the capture: the calls of each thread of the host, within its ranges, and the work of each stream
// below the replayed one.
func (v *view) calls() (func(row), func()) {
	host, streams := v.group("Host as recorded", 6), v.streams
	open := map[int64][]openRange{}
	close := func(thread int64, keep int) {
		all := open[thread]
		for i := len(all) - 1; i >= keep; i-- {
			v.recorded(host.lane(thread*128+int64(min(i, 126)), fmt.Sprintf("Thread %d: ranges", thread)), all[i].from,
				all[i].to, all[i].name)
		}
		open[thread] = all[:min(keep, len(all))]
	}
	each := func(r row) {
		c := callRow{r}
		name := c.text(0)
		notes := []note{{name: "stream", n: c.int(3)}}
		if k := c.int(1); k >= 0 {
			v.know(k, c.text(2))
			name, notes = v.name(k), append(notes, note{name: "kernel", n: k})
		} else {
			notes = append(notes, note{name: "bytes", n: c.int(6)})
		}
		if from, to := c.device(); from >= 0 {
			v.recorded(streams.lane(recordedLane(c.int(3)), fmt.Sprintf("Stream %d as recorded", c.int(3))), from, to, name,
				notes...)
		}
		from, to := c.host()
		if from < 0 {
			return
		}
		thread := c.int(4)
		v.recorded(host.lane(thread*128+127, fmt.Sprintf("Thread %d: calls", thread)), from, to, called(c.text(0), name),
			notes...)
		var path []string
		if scope := c.text(5); scope != "" {
			path = strings.Split(scope, " / ")
		}
		same := 0
		for same < len(path) && same < len(open[thread]) && open[thread][same].name == path[same] {
			open[thread][same].to = max(open[thread][same].to, to)
			same++
		}
		close(thread, same)
		for _, name := range path[same:] {
			open[thread] = append(open[thread], openRange{name, from, to})
		}
	}
	return each, func() {
		for _, thread := range slices.Sorted(maps.Keys(open)) {
			close(thread, 0)
		}
	}
}

// Lanes of a stream: the replayed one, and the recorded one below it.
func replayedLane(stream int64) int64 { return 2 * (stream & math.MaxInt32) }
func recordedLane(stream int64) int64 { return replayedLane(stream) + 1 }

// called is how a call is named: a launch with its kernel.
func called(call, name string) string {
	if call == name {
		return call
	}
	return call + " " + name
}
