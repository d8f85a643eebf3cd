package timeline

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gpureplay/replay/table"
)

// maxSlices bounds a timeline: a browser copes with some millions.
const maxSlices = 4_000_000

// view writes the tables of one run.
type view struct {
	*run
	p        *packets
	ticks    table.Clock
	from, to int64
	process  uint64
	stats    *Stats
	names    []string         // of functions, each once
	number   map[string]int32 // of a name
	function map[int64]int32  // of a kernel: index in names
}

func (r *run) write(ctx context.Context, p *packets, pid int, opt Options, stats *Stats) error {
	clock, err := r.clock()
	if err != nil {
		return err
	}
	v := &view{run: r, p: p, ticks: clock, from: opt.From, to: opt.To, stats: stats, number: map[string]int32{}, function: map[int64]int32{}}
	if v.to == 0 {
		v.to = math.MaxInt64
	}
	name := r.Trace + ", " + r.Policy + ", " + r.GPU
	if r.Set != "" {
		name += ", " + r.Set
	}
	v.process = p.process(pid, name)
	for _, step := range []struct {
		table   string
		columns []string
		make    func() func(row)
	}{
		{"stages", []string{"stage", "kernel", "start_cycles", "end_cycles", "bytes"}, v.stages},
		{"kernels", []string{"kernel", "function", "arrive_cycles", "dispatch_cycles", "end_cycles", "ctas", "parent_kernel", "stream", "first_cta_cycles"}, v.kernels},
		{"launches", []string{"parent_kernel", "child_kernel", "time_cycles", "decision", "reason", "workload_items"}, v.launches},
		{"ctas", []string{"kernel", "cta", "sm", "dispatch_cycles", "end_cycles", "kind", "warp_instructions", "active_cycles"}, v.ctas},
		{"tasks", []string{"kernel", "spawn_cycles", "back_cycles", "warps"}, v.tasks},
		{"timeline", append([]string{"start_cycles", "end_cycles"}, counters...), v.samples},
	} {
		if part := r.parts[step.table]; part != nil {
			if err := each(ctx, part, step.columns, step.make()); err != nil {
				return err
			}
		}
	}
	return nil
}

// shown reports a span that is known and within what is asked for.
func (v *view) shown(from, to int64) bool {
	return from >= 0 && to >= from && to >= v.from && from <= v.to
}

func (v *view) group(head string, rank int) *group {
	return &group{p: v.p, parent: v.process, head: head, rank: rank}
}

// slice puts a span of cycles on a lane of a group, if there is one left.
func (v *view) slice(l *lanes, from, to int64, name string, notes ...note) {
	track, ok := l.pick(from, to)
	if !ok || v.stats.Slices >= maxSlices {
		v.stats.LeftOut++
		return
	}
	v.stats.Slices++
	notes = append(notes, note{name: "cycles", n: to - from}, note{name: "start_cycle", n: from})
	v.p.slice(track, v.ticks.Ns(from), v.ticks.Ns(to), name, notes...)
}

func (v *view) stages() func(row) {
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
	}
}

func (v *view) kernels() func(row) {
	kmu, distributor, streams := v.group("KMU", 1), v.group("Kernel distributor", 2), v.group("Streams", 7)
	return func(r row) {
		id, name := r.int(0), r.text(1)
		v.know(id, name)
		arrive, dispatch, end := r.int(2), r.int(3), r.int(4)
		notes := []note{{name: "kernel", n: id}, {name: "ctas", n: r.int(5)}}
		if parent := r.int(6); parent >= 0 {
			notes = append(notes, note{name: "parent_kernel", n: parent})
		}
		if v.shown(arrive, dispatch) {
			v.slice(kmu.lane(0, "Pending kernels"), arrive, dispatch, v.name(id), notes...)
		}
		if v.shown(dispatch, end) {
			v.slice(distributor.lane(0, "Kernels"), dispatch, end, v.name(id), notes...)
		}
		if first := r.int(8); v.shown(first, end) && r.int(6) < 0 { // children are of their parents' streams, in thousands
			v.slice(streams.lane(r.int(7), fmt.Sprintf("Stream %d", r.int(7))), first, end, v.name(id), notes...)
		}
	}
}

// know remembers the function of a kernel.
func (v *view) know(kernel int64, function string) {
	if function == "" {
		return
	}
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

func (v *view) launches() func(row) {
	calls := v.group("Child launches", 3)
	return func(r row) {
		at := r.int(2)
		if !v.shown(at, at) {
			return
		}
		v.p.instant(calls.heading(), v.ticks.Ns(at), r.text(3),
			note{name: "parent_kernel", n: r.int(0)}, note{name: "child_kernel", n: r.int(1)},
			note{name: "reason", text: r.text(4)}, note{name: "workload_items", n: r.int(5)})
	}
}

func (v *view) ctas() func(row) {
	sms := v.group("SMs", 4)
	return func(r row) {
		kernel, sm, from, to := r.int(0), r.int(2), r.int(3), r.int(4)
		if !v.shown(from, to) {
			return
		}
		v.slice(sms.lane(sm, fmt.Sprintf("SM %d", sm)), from, to, v.name(kernel),
			note{name: "kernel", n: kernel}, note{name: "cta", n: r.int(1)}, note{name: "kind", text: r.text(5)},
			note{name: "warp_instructions", n: r.int(6)}, note{name: "active_cycles", n: r.int(7)})
	}
}

func (v *view) tasks() func(row) {
	tasks := v.group("Tasks", 5)
	return func(r row) {
		kernel, from, to := r.int(0), r.int(1), r.int(2)
		if !v.shown(from, to) {
			return
		}
		v.slice(tasks.lane(0, "Tasks"), from, to, v.name(kernel), note{name: "kernel", n: kernel}, note{name: "warps", n: r.int(3)})
	}
}

// counters are the columns of the table timeline that are shown as counters.
var counters = []string{"parent_ctas", "child_ctas", "active_warps", "registers_used", "shared_used_bytes", "pending_kernels", "kde_used",
	"agt_used", "warp_instructions", "l2_bytes", "dram_read_bytes", "dram_write_bytes"}

// samples writes a counter's value at the end of its window, which is when it
// holds.
func (v *view) samples() func(row) {
	heads := v.group("Counters", 6)
	var tracks []uint64
	return func(r row) {
		from, to := r.int(0), r.int(1)
		if !v.shown(from, to) {
			return
		}
		if tracks == nil {
			for i, c := range counters {
				unit := ""
				if strings.HasSuffix(c, "_bytes") {
					unit = "bytes"
				}
				tracks = append(tracks, v.p.counter(heads.heading(), c, unit, i))
			}
		}
		for i, t := range tracks {
			v.p.count(t, v.ticks.Ns(to), r.int(2+i))
		}
	}
}
