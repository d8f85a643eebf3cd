package timeline

import (
	"context"
	"fmt"
	"math"

	"gpureplay/replay/table"
	"gpureplay/trace"
)

// maxEvents bounds a timeline, some 100 MB: all replays and tables get the same part
// of it. Tests take less.
var maxEvents = 1_000_000

// view writes the tables of one run.
type view struct {
	*run
	p        *packets
	ticks    table.Clock
	from, to int64
	process  uint64
	stats    *Stats
	pid      int64
	most     int              // events of a table
	left     *Left            // of the table that is written
	events   int              // of it
	names    []string         // of functions, each once
	number   map[string]int32 // of a name
	function map[int64]int32  // of a kernel: index in names
	track    map[int64]uint64 // of a kernel in the distributor
	origin   int64            // of the capture, ns
	streams  *group           // replayed and recorded
	joined   map[int64]bool   // children that are groups, whose first CTA has not been met
}

func (r *run) write(ctx context.Context, p *packets, pid, runs int, opt Options, stats *Stats) error {
	clock, err := r.clock()
	if err != nil {
		return err
	}
	v := &view{run: r, p: p, ticks: clock, from: opt.From, to: opt.To, stats: stats, pid: int64(pid),
		number: map[string]int32{}, function: map[int64]int32{}, track: map[int64]uint64{}, joined: map[int64]bool{}}
	if v.to == 0 {
		v.to = math.MaxInt64
	}
	name := r.Trace + ", " + r.Policy + ", " + r.GPU
	if r.Set != "" {
		name += ", " + r.Set
	}
	v.process = p.process(pid, name)
	v.most = maxEvents / runs / 4
	v.streams = v.group("Streams", 7)
	if v.parts["calls"] != nil {
		if err := v.readOrigin(ctx); err != nil {
			return err
		}
	}
	for _, step := range []struct {
		table   string
		columns []string
		make    func() (each func(row), end func())
	}{
		{"stages", []string{"stage", "kernel", "start_cycles", "end_cycles", "bytes"}, v.stages},
		{"kernels", []string{"kernel", "function", "arrive_cycles", "dispatch_cycles", "end_cycles", "ctas",
			"parent_kernel", "stream", "first_cta_cycles"}, v.kernels},
		{"calls", callColumns, v.calls},
		{"launches", []string{"parent_kernel", "child_kernel", "time_cycles", "decision", "reason", "workload_items"},
			v.launches},
		{"ctas", []string{"kernel", "cta", "sm", "dispatch_cycles", "end_cycles", "kind", "warp_instructions",
			"active_cycles", "child_kernel"}, v.ctas},
		{"tasks", []string{"kernel", "spawn_cycles", "back_cycles", "warps"}, v.tasks},
		{"timeline", append([]string{"start_cycles", "end_cycles"}, counters...), v.samples},
	} {
		if part := r.parts[step.table]; part != nil {
			v.left, v.events = &Left{Replay: name, Of: step.table}, 0
			row, end := step.make()
			if err := each(ctx, part, step.columns, row); err != nil {
				return err
			}
			if end(); v.left.Count > 0 {
				stats.Left = append(stats.Left, *v.left)
			}
		}
	}
	return nil
}

// shown reports a span that is known and within the window.
func (v *view) shown(from, to int64) bool {
	return from >= 0 && to >= from && to >= v.from && from <= v.to
}

func (v *view) group(head string, rank int) *group {
	return &group{p: v.p, parent: v.process, head: head, rank: rank}
}

// room reports whether there is room for an event that begins at a cycle, and counts it if not.
func (v *view) room(from int64) bool {
	if v.events++; v.events <= v.most {
		return true
	}
	v.left.add(from)
	return false
}

// slice puts a span of cycles on a lane of a group, if there is one left, and returns
// its track.
func (v *view) slice(l *lanes, from, to int64, name string, notes ...note) uint64 {
	if !v.room(from) {
		return 0
	}
	track, ok := l.pick(from, to)
	if !ok {
		v.left.add(from)
		return 0
	}
	v.stats.Slices++
	notes = append(notes, note{name: "cycles", n: to - from}, note{name: "start_cycle", n: from})
	v.p.slice(track, v.ticks.Ns(from), v.ticks.Ns(to), name, notes...)
	return track
}

// arrow leads from the launch of a kernel to its wait, its stay in the distributor,
// and its run.
func (v *view) arrow(kernel int64) note { return arrow(v.pid<<32 | kernel) }

func (v *view) stages() (func(row), func()) {
	host := v.group("Host", 0)
	order := map[string]int64{"prelude": 0, "profiler": 1, "h2d": 2, "kernel": 3, "d2h": 4, "postlude": 5}
	titles := []string{"Prelude", "Profiler", "Host to device link", "Kernels", "Device to host link", "Postlude"}
	return func(r row) {
		stage, from, to := r.text(0), r.int(2), r.int(3)
		number, known := order[stage]
		if !known || !v.shown(from, to) {
			return
		}
		notes := []note{{name: "bytes", n: r.int(4)}}
		if k := r.int(1); k >= 0 {
			notes = append(notes, note{name: "kernel", n: k})
		}
		v.slice(host.lane(number, titles[number]), from, to, stage, notes...)
	}, func() {}
}

func (v *view) kernels() (func(row), func()) {
	kmu, distributor, streams := v.group("KMU", 1), v.group("Kernel distributor", 2), v.streams
	waits := Left{Replay: v.left.Replay, Of: "waits of kernels in the KMU", Instead: "the counter pending_kernels"}
	counted := v.parts["timeline"] != nil
	return func(r row) {
		id, name := r.int(0), r.text(1)
		v.know(id, name)
		arrive, dispatch, end := r.int(2), r.int(3), r.int(4)
		notes := []note{v.arrow(id), {name: "kernel", n: id}, {name: "ctas", n: r.int(5)}}
		if short := v.name(id); short != name && name != "" {
			notes = append(notes, note{name: "function", text: name})
		}
		if parent := r.int(6); parent >= 0 {
			notes = append(notes, note{name: "parent_kernel", n: parent})
		}
		if v.shown(arrive, dispatch) {
			if l := kmu.lane(0, "Pending kernels"); counted && l.full(maxWaits, arrive) {
				waits.add(arrive)
			} else {
				v.slice(l, arrive, dispatch, v.name(id), notes...)
			}
		}
		if v.shown(dispatch, end) {
			if track := v.slice(distributor.lane(0, "Kernels"), dispatch, end, v.name(id), notes...); track != 0 {
				v.track[id] = track
			}
		}
		if first := r.int(8); v.shown(first, end) && r.int(6) < 0 { // children are of their parents' streams, in thousands
			v.slice(streams.lane(replayedLane(r.int(7)), fmt.Sprintf("Stream %d", r.int(7))), first, end, v.name(id), notes...)
		}
	}, func() { v.instead(waits) }
}

// instead notes a table that is shown as a counter.
func (v *view) instead(l Left) {
	if l.Count > 0 {
		v.stats.Left = append(v.stats.Left, l)
	}
}

// know remembers the function of a kernel.
func (v *view) know(kernel int64, function string) {
	if function == "" {
		return
	}
	function = trace.ShortName(function)
	n, ok := v.number[function]
	if !ok {
		n = int32(len(v.names))
		v.names = append(v.names, function)
		v.number[function] = n
	}
	v.function[kernel] = n
}

// name returns the function of a kernel, or its number where it is unknown.
func (v *view) name(kernel int64) string {
	if n, ok := v.function[kernel]; ok {
		return v.names[n]
	}
	return fmt.Sprintf("kernel %d", kernel)
}

// launches puts a call on the slice of the kernel that makes it, in the distributor,
// from where an arrow leads to the child.
func (v *view) launches() (func(row), func()) {
	calls := v.group("Child launches", 3)
	return func(r row) {
		at, parent, child, decision := r.int(2), r.int(0), r.int(1), r.text(3)
		if !v.shown(at, at) || !v.room(at) {
			return
		}
		notes := []note{{name: "parent_kernel", n: parent}, {name: "child_kernel", n: child},
			{name: "reason", text: r.text(4)},
			{name: "workload_items", n: r.int(5)}}
		if decision != "inline" {
			notes = append(notes, v.arrow(child))
		}
		if decision == "group" {
			v.joined[child] = true
		}
		track, ok := v.track[parent]
		if !ok {
			track = calls.heading()
		}
		v.p.instant(track, v.ticks.Ns(at), decision, notes...)
	}, func() {}
}

func (v *view) tasks() (func(row), func()) {
	tasks := v.group("Tasks", 5)
	return func(r row) {
		kernel, from, to := r.int(0), r.int(1), r.int(2)
		if !v.shown(from, to) {
			return
		}
		v.slice(tasks.lane(0, "Tasks"), from, to, v.name(kernel), note{name: "kernel", n: kernel},
			note{name: "warps", n: r.int(3)})
	}, func() {}
}
