package neutral

import (
	"gpureplay/replay/table"
	"gpureplay/trace"
)

// Times are recorded times; -1: unknown.
type Times struct{ Host, Start, Duration int64 }

var noTimes = Times{-1, -1, -1}

// timesOf returns the times of a row.
func timesOf(r *trace.Recorded) Times {
	if r == nil {
		return noTimes
	}
	return Times{max(r.HostNs, -1), max(r.StartNs, -1), max(r.DurationNs, -1)}
}

// Recorded returns the times as a trace has them; nil: none is known.
func (t Times) Recorded() *trace.Recorded {
	if t == noTimes {
		return nil
	}
	return &trace.Recorded{HostNs: t.Host, StartNs: t.Start, DurationNs: t.Duration}
}

// timeFields are the columns of recorded times.
func timeFields[R any](at func(*R) *Times) []table.Field[R] {
	return []table.Field[R]{
		table.Int64Field("host_ns", "When the host called.", -1, func(r *R) *int64 { return &at(r).Host }),
		table.Int64Field("start_ns", "When the work began on the device.", -1, func(r *R) *int64 { return &at(r).Start }),
		table.Int64Field("duration_ns", "How long it took there.", -1, func(r *R) *int64 { return &at(r).Duration }),
	}
}

// KernelRow is a row of [Kernels].
type KernelRow struct {
	Name     string
	Function uint32 // None: the function of that name
	Index    uint32
	Within   uint32 // scope; None: none
	Times    Times
	trace.Kernel
}

func kernelFlag(name, doc string, bit trace.KernelFlags) table.Field[KernelRow] {
	return table.FlagField(name, doc, uint8(bit), func(r *KernelRow) *uint8 { return (*uint8)(&r.Flags) })
}

// dims are the three columns of an extent.
func dims(name, doc string, at func(*KernelRow) *trace.Dim3) []table.Field[KernelRow] {
	var fields []table.Field[KernelRow]
	for i, axis := range []string{"_x", "_y", "_z"} {
		fields = append(fields, table.Uint32Field(name+axis, doc, func(r *KernelRow) *uint32 { return &at(r)[i] }))
	}
	return fields
}

// Kernels is the sheet of the kernel instances, and the one that must be there.
var Kernels = table.Sheet[KernelRow]{
	Name: "kernels", Row: "a kernel instance", Order: "by kernel",
	Fields: func() []table.Field[KernelRow] {
		return join(
			[]table.Field[KernelRow]{
				table.IndexField("kernel", "Index by which other tables name it: the number of the row.", None,
					func(r *KernelRow) *uint32 {
						return &r.Index
					}),
				table.TextField("name", "Name of its function; read only where the column function is absent.",
					func(r *KernelRow) *string {
						return &r.Name
					}),
				table.IndexField("function", "Its function; NULL or absent: the one of the name.", None,
					func(r *KernelRow) *uint32 {
						return &r.Function
					}),
				table.WordField("fidelity", "How much is known; if absent, warp, cta or kernel by the tables that name it, "+
					"none without a grid.",
					FidelityWords, func(r *KernelRow) *uint8 { return (*uint8)(&r.Fidelity) }),
				kernelFlag("child", "A device thread launches it; if absent, true of kernels that launches names.",
					trace.KernelChild),
				kernelFlag("task", "A task; if absent, true of kernels that tasks names.", trace.KernelTask),
				kernelFlag("irregular", "Accesses memory through unbounded indirection, so that CRCS cannot bound its ranges.",
					trace.KernelIrregular),
				kernelFlag("collective", "Moves data between devices (NCCL, RCCL).", trace.KernelCollective),
				kernelFlag("programmatic", "Launched with programmatic stream serialization: it may begin when all CTAs of the "+
					"kernel before it in its stream have triggered or ended.", trace.KernelProgrammatic),
				table.Uint32Field("device", "Its GPU.", func(r *KernelRow) *uint32 { return &r.Device }),
			},
			dims("grid", "CTAs; y and z are 1 if absent.", func(r *KernelRow) *trace.Dim3 { return &r.Grid }),
			dims("block", "Threads; y and z are 1 if absent.", func(r *KernelRow) *trace.Dim3 { return &r.Block }),
			dims("cluster", "CTAs of a cluster; 0: none.", func(r *KernelRow) *trace.Dim3 { return &r.Cluster }),
			[]table.Field[KernelRow]{
				table.Uint32Field("registers", "Per thread.", func(r *KernelRow) *uint32 { return &r.Registers }),
				table.Uint32Field("shared_bytes", "Shared memory per CTA, static and dynamic.", func(r *KernelRow) *uint32 {
					return &r.SharedBytes
				}),
				table.Uint32Field("local_bytes", "Local memory per thread.", func(r *KernelRow) *uint32 { return &r.LocalBytes }),
				table.Uint64Field("stream", "Its stream.", func(r *KernelRow) *uint64 { return &r.Stream }),
				table.Uint64Field("shared_base", "Generic window of shared memory; 0: none.", func(r *KernelRow) *uint64 {
					return &r.SharedBase
				}),
				table.Uint64Field("local_base", "Generic window of local memory; 0: none.", func(r *KernelRow) *uint64 {
					return &r.LocalBase
				}),
			},
			timeFields(func(r *KernelRow) *Times { return &r.Times }),
			[]table.Field[KernelRow]{
				scopeField(func(r *KernelRow) *uint32 { return &r.Within }),
				table.Uint32Field("ctas", "CTAs in the trace. Counted, not read.", func(r *KernelRow) *uint32 { return &r.CTAs }),
				table.Uint64Field("warps", "Warps in the trace. Counted, not read.", func(r *KernelRow) *uint64 {
					return &r.Warps
				}),
				table.Uint64Field("warp_instructions", "Executed warp instructions. Counted, not read.",
					func(r *KernelRow) *uint64 {
						return &r.WarpInsts
					}),
				table.Uint64Field("thread_instructions", "Sum of their active lanes. Counted, not read.",
					func(r *KernelRow) *uint64 {
						return &r.ThreadInsts
					}),
				table.Uint64Field("memory_instructions", "Warp instructions that access memory. Counted, not read.",
					func(r *KernelRow) *uint64 {
						return &r.MemInsts
					}),
			},
		)
	},
	Default: func() KernelRow {
		return KernelRow{Index: None, Function: None, Within: None, Times: noTimes, Kernel: trace.Kernel{Fidelity: Unstated}}
	},
}

func join[T any](lists ...[]T) []T {
	var all []T
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}
