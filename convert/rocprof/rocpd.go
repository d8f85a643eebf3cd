package rocprof

import (
	"cmp"
	"encoding/json"
	"slices"

	"gpureplay/convert/sqlite"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// IsRocpd reports whether the file is a rocpd database.
func IsRocpd(db *sqlite.DB) bool {
	return len(db.Suffixes("rocpd_kernel_dispatch")) > 0 && len(db.Suffixes("rocpd_string")) > 0
}

// database reads the tables of one process after the other; ids count within
// one set of tables.
type database struct {
	passes  passes
	db      *sqlite.DB
	b       *timeline.Builder
	info    Info
	suffix  string
	set     uint64           // number of the set, from 0: correlation ids count within it
	device  map[int64]uint32 // by agent
	symbols map[int64]symbol
	strings map[int64]string
	api     timeline.API
}

// ReadRocpd adds the events of a rocpd database to b. Each process has a set
// of tables of its own, told apart by the end of their names.
func ReadRocpd(db *sqlite.DB, b *timeline.Builder) (*Info, error) {
	d := &database{db: db, b: b}
	suffixes := db.Suffixes("rocpd_kernel_dispatch")
	if len(suffixes) > 1 && suffixes[0] == "" {
		suffixes = suffixes[1:] // a view over all sets
	}
	for i, suffix := range suffixes {
		d.suffix, d.set = suffix, uint64(i)
		d.device, d.symbols, d.strings = map[int64]uint32{}, map[int64]symbol{}, map[int64]string{}
		d.passes = nil
		for _, part := range []func() error{d.agents, d.kernelSymbols, d.dispatches, d.copies, d.regions} {
			if err := part(); err != nil {
				return &d.info, err
			}
		}
	}
	return &d.info, nil
}

func (d *database) table(name string) string { return name + d.suffix }

type node struct {
	id, index int64
	gpu       gpu
}

func (d *database) agents() error {
	var gpus []node
	err := d.db.Each(d.table("rocpd_info_agent"),
		[]string{"id", "type", "absolute_index", "product_name|user_name|model_name", "generic_name|name", "extdata"},
		func(v []sqlite.Value) error {
			if v[1].Text == "GPU" && len(gpus) < maxAgents {
				g := gpu{name: clip([]byte(v[3].Text)), arch: clip([]byte(v[4].Text)), values: agentValues(v[5].Text)}
				gpus = append(gpus, node{v[0].Int, v[2].Int, g})
			}
			return nil
		})
	slices.SortStableFunc(gpus, func(a, b node) int { return cmp.Compare(a.index, b.index) })
	for i, g := range gpus {
		d.device[g.id] = uint32(i)
		if d.set == 0 {
			d.info.GPUs = append(d.info.GPUs, g.gpu.machine())
		}
	}
	return err
}

// agentValues reads the properties of an agent from the JSON that the database
// keeps of it. One that is no such JSON, or cut, says nothing.
func agentValues(text string) map[string]int64 {
	var all map[string]any
	_ = json.Unmarshal([]byte(text), &all)
	values := map[string]int64{}
	for _, key := range properties {
		if v, ok := all[key].(float64); ok && v < 1<<53 {
			values[key] = int64(v)
		}
	}
	return values
}

func (d *database) kernelSymbols() error {
	return d.db.Each(d.table("rocpd_info_kernel_symbol"), []string{"id", "display_name|kernel_name", "arch_vgpr_count",
		"accum_vgpr_count"}, func(v []sqlite.Value) error {
		if len(d.symbols) == maxSymbols {
			return nil
		}
		name, err := d.b.Name([]byte(v[1].Text))
		d.symbols[v[0].Int] = symbol{name, small(max(v[2].Int, 0) + max(v[3].Int, 0))}
		return err
	})
}

// text returns an entry of the table of strings.
func (d *database) text(id int64) (string, error) {
	if s, ok := d.strings[id]; ok {
		return s, nil
	}
	var s string
	err := d.db.Where(d.table("rocpd_string"), []string{"string"}, "id", id, "", func(v []sqlite.Value) error {
		s = v[0].Text
		return nil
	})
	if len(d.strings) < maxSymbols {
		d.strings[id] = s
	}
	return s, err
}

// event are the columns of an event that join it with its call: rocprofv3 puts
// the correlation id into the stack id.
var event = []string{"stack_id", "correlation_id"}

func correlation(v []sqlite.Value) uint64 {
	for _, c := range v {
		if c.IsInt && c.Int > 0 {
			return uint64(c.Int)
		}
	}
	return 0
}

func (d *database) times(v []sqlite.Value) bool {
	ok := v[0].IsInt && v[1].IsInt
	if !ok {
		d.info.Untimed++
	}
	return ok
}

func (d *database) dispatches() error {
	return d.db.Joined(d.table("rocpd_kernel_dispatch"), []string{
		"start", "end", "agent_id", "kernel_id", "stream_id|queue_id", "private_segment_size", "group_segment_size",
		"workgroup_size_x", "workgroup_size_y", "workgroup_size_z", "grid_size_x", "grid_size_y", "grid_size_z",
		"dispatch_id",
	}, "event_id", d.table("rocpd_event"), "id", event, func(v []sqlite.Value) error {
		if !d.times(v) {
			return nil
		}
		sym, ok := d.symbols[v[3].Int]
		if !ok {
			d.info.Unnamed++
			var err error
			if sym.name, err = d.b.Name(nil); err != nil {
				return err
			}
		}
		k := dispatch{
			start: v[0].Int, end: v[1].Int, correlation: correlation(v[14:]),
			device: d.device[v[2].Int], stream: d.set<<32 | uint64(small(v[4].Int)),
			scratch: small(v[5].Int), lds: small(v[6].Int), registers: sym.registers,
			group: trace.Dim3{small(v[7].Int), small(v[8].Int), small(v[9].Int)},
			grid:  trace.Dim3{small(v[10].Int), small(v[11].Int), small(v[12].Int)},
		}
		if v[13].IsInt {
			k.number = uint64(v[13].Int) + 1
		}
		if d.passes.again(&k) {
			d.info.Replayed++
			return nil
		}
		a := k.activity()
		a.Process = d.set
		return d.b.ActivityNamed(&a, sym.name)
	})
}

func (d *database) copies() error {
	return d.db.Joined(d.table("rocpd_memory_copy"), []string{
		"start", "end", "src_agent_id", "dst_agent_id", "size", "stream_id|queue_id",
	}, "event_id", d.table("rocpd_event"), "id", event, func(v []sqlite.Value) error {
		if !d.times(v) {
			return nil
		}
		a := timeline.Activity{
			Kind: timeline.Copy, StartNs: v[0].Int, DurationNs: v[1].Int - v[0].Int, Process: d.set,
			Bytes: uint64(max(v[4].Int, 0)), Stream: d.set<<32 | uint64(small(v[5].Int)), Correlation: correlation(v[6:]),
		}
		from, fromGPU := d.device[v[2].Int]
		to, toGPU := d.device[v[3].Int]
		if !place(&a, from, fromGPU, to, toGPU) {
			d.b.HostCopy()
			return nil
		}
		return d.b.ActivityNamed(&a, 0)
	})
}

func (d *database) regions() error {
	return d.db.Joined(d.table("rocpd_region"), []string{"start", "end", "tid", "name_id"},
		"event_id", d.table("rocpd_event"), "id", event, func(v []sqlite.Value) error {
			name, err := d.text(v[3].Int)
			if err != nil {
				return err
			}
			c := timeline.Call{
				StartNs: v[0].Int, DurationNs: v[1].Int - v[0].Int, Process: d.set,
				Host: d.set + 1, Thread: uint64(v[2].Int), Correlation: correlation(v[4:]),
			}
			if c.Kind, c.Async = d.api.Classify([]byte(name)); c.Kind == timeline.CallNone || !d.times(v) {
				return nil
			}
			return d.b.Call(&c)
		})
}
