package neutral

import (
	"fmt"
	"slices"

	"gpureplay/replay/table"
	"gpureplay/trace"
)

// HostRow is a row of [Copies], [Tasks] or [Calls].
type HostRow struct {
	Order  int64  // -1: not stated
	Word   uint8  // index into the kinds of the table
	Within uint32 // scope; None: none
	Times  Times
	Op     trace.HostOp
}

// The kinds of operations that are in each table.
var (
	CopyKinds = []trace.OpKind{trace.OpFileRead, trace.OpFileWrite, trace.OpCopyH2D, trace.OpCopyD2H, trace.OpCopyD2D,
		trace.OpCopyP2P, trace.OpMemset}
	TaskKinds = []trace.OpKind{trace.OpSpawn}
	CallKinds = []trace.OpKind{trace.OpLaunch, trace.OpEventRecord, trace.OpStreamWait, trace.OpSyncStream,
		trace.OpSyncEvent,
		trace.OpSyncDevice, trace.OpHostWork, trace.OpWaitTask}
)

// hostRow returns the row of an operation in the table of the kinds; ok is false
// if it belongs to another.
func hostRow(order int64, op *trace.HostOp, kinds []trace.OpKind) (r HostRow, ok bool) {
	i := slices.Index(kinds, op.Kind)
	return HostRow{Order: order, Word: uint8(max(i, 0)), Within: inner(op.Scope), Times: timesOf(op.Recorded), Op: *op},
		i >= 0
}

func kindField(kinds []trace.OpKind, doc string) table.Field[HostRow] {
	return table.WordField("kind", doc, words(len(kinds), func(i int) string { return kinds[i].String() }),
		func(r *HostRow) *uint8 { return &r.Word })
}

var (
	orderField = table.Int64Field("order", "Place among all operations of the host, in all tables.",
		-1, func(r *HostRow) *int64 {
			return &r.Order
		})
	streamField = table.Uint64Field("stream", "Its stream.", func(r *HostRow) *uint64 { return &r.Op.Stream })
	graphField  = table.Uint32Field("graph", "Number of the graph launch that it is part of, from 1; 0: none.",
		func(r *HostRow) *uint32 { return &r.Op.Graph })
	hostTimes = append(timeFields(func(r *HostRow) *Times { return &r.Times }),
		scopeField(func(r *HostRow) *uint32 { return &r.Within }),
		table.Uint32Field("thread", "Host thread that calls, from 0; each thread issues its own operations.",
			func(r *HostRow) *uint32 { return &r.Op.Thread }),
		table.Uint32Field("process", "Process of the thread, from 0; sync waits for the operations of its process.",
			func(r *HostRow) *uint32 { return &r.Op.Process }))
)

func noHostRow() HostRow {
	return HostRow{Order: -1, Word: Unstated, Within: None, Times: noTimes, Op: trace.HostOp{Array: trace.NoArray}}
}

// Copies is the sheet of copies and files.
var Copies = table.Sheet[HostRow]{
	Name: "copies", Row: "a copy, a memset, or a file that the host reads or writes", Order: "by order",
	Fields: func() []table.Field[HostRow] {
		return join([]table.Field[HostRow]{
			orderField, kindField(CopyKinds, "read and write: a file into or from the host's copy of the array."),
			table.BoolField("async", "The host does not wait.", func(r *HostRow) *bool { return &r.Op.Async }),
			table.IndexField("array", "Array that is copied; NULL: unknown, and policies that work on pages cannot "+
				"follow it.", trace.NoArray,
				func(r *HostRow) *uint32 { return &r.Op.Array }),
			table.Uint64Field("address", "Device address; the array's if the column is absent.", func(r *HostRow) *uint64 {
				return &r.Op.Addr
			}),
			table.Uint64Field("bytes", "How much; the size of the array if the column is absent.", func(r *HostRow) *uint64 {
				return &r.Op.Bytes
			}),
			streamField, graphField,
			table.Int64Field("work_ns", "Recorded time for which the call kept the host, waits left out.", -1,
				func(r *HostRow) *int64 {
					return &r.Op.Ns
				}),
		}, hostTimes)
	},
	Default: noHostRow,
}

// Tasks is the sheet of the tasks that the host spawns.
var Tasks = table.Sheet[HostRow]{
	Name: "tasks", Row: "a task that the host spawns", Order: "by order",
	Fields: func() []table.Field[HostRow] {
		return join([]table.Field[HostRow]{
			orderField,
			table.Uint32Field("kernel", "Kernel that holds its work.", func(r *HostRow) *uint32 { return &r.Op.Kernel }),
			table.BoolField("sync", "It synchronises its CTAs.", func(r *HostRow) *bool { return &r.Op.Sync }),
			streamField,
			table.Int64Field("arrival_ns", "When it is there to be spawned, from the start of the program.", -1,
				func(r *HostRow) *int64 {
					return &r.Op.ArrivalNs
				}),
			table.Uint64Field("in_bytes", "Copied to the device before it.", func(r *HostRow) *uint64 { return &r.Op.InBytes }),
			table.Uint32Field("in_copies", "Calls that copy them; 0: one.", func(r *HostRow) *uint32 { return &r.Op.InCopies }),
			table.Uint64Field("out_bytes", "Copied back after it.", func(r *HostRow) *uint64 { return &r.Op.OutBytes }),
			table.ListField("dependences", "Kernels of the tasks that must end before it is spawned.", func(r *HostRow) []int64 {
				list := make([]int64, len(r.Op.Deps))
				for i, d := range r.Op.Deps {
					list[i] = int64(d)
				}
				return list
			}, func(r *HostRow, list []int64) error {
				for _, d := range list {
					if d < 0 || d >= int64(None) {
						return fmt.Errorf("%d is no kernel", d)
					}
					r.Op.Deps = append(r.Op.Deps, uint32(d))
				}
				return nil
			}),
		}, hostTimes)
	},
	Default: noHostRow,
}

// Calls is the sheet of the other operations of the host.
var Calls = table.Sheet[HostRow]{
	Name: "calls", Row: "a launch, an event, a wait or a stretch of work of the host", Order: "by order",
	Fields: func() []table.Field[HostRow] {
		return join([]table.Field[HostRow]{
			orderField, kindField(CallKinds, "record and wait: of an event; syncstream, syncevent, sync and waittask: the "+
				"host waits; work: it computes."),
			table.Uint32Field("kernel", "launch, waittask: the kernel.", func(r *HostRow) *uint32 { return &r.Op.Kernel }),
			streamField, graphField,
			table.Uint64Field("event", "record, wait, syncevent: the event.", func(r *HostRow) *uint64 { return &r.Op.Event }),
			table.WordField("port", "record: which point of the kernel before it completes the event; completed if absent.",
				words(trace.NumPorts, func(i int) string { return trace.Port(i).String() }),
				func(r *HostRow) *uint8 { return (*uint8)(&r.Op.Port) }),
			table.Int64Field("work_ns", "work: its duration; of other calls, the recorded time for which they kept the "+
				"host, waits left out.", -1, func(r *HostRow) *int64 {
				return &r.Op.Ns
			}),
		}, hostTimes)
	},
	Default: noHostRow,
}
