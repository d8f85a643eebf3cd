package neutral

import (
	"gpureplay/replay/table"
	"gpureplay/trace"
)

// Place is the warp that a row belongs to.
type Place struct{ Kernel, CTA, Warp uint32 }

// placeFields are the columns of a place.
func placeFields[R any](at func(*R) *Place) []table.Field[R] {
	return []table.Field[R]{
		table.Uint32Field("kernel", "Its kernel.", func(r *R) *uint32 { return &at(r).Kernel }),
		table.Uint32Field("cta", "Its CTA.", func(r *R) *uint32 { return &at(r).CTA }),
		table.Uint32Field("warp", "Its warp.", func(r *R) *uint32 { return &at(r).Warp }),
	}
}

// WarpRow is a row of [Warps].
type WarpRow struct {
	Place
	Steps uint64
}

// Warps is the sheet of the warps.
var Warps = table.Sheet[WarpRow]{
	Name: "warps", Row: "a warp; warps that steps, accesses or launches name need none", Order: "by kernel, CTA, warp",
	Fields: func() []table.Field[WarpRow] {
		return append(placeFields(func(r *WarpRow) *Place { return &r.Place }),
			table.Uint64Field("steps", "Executed instructions. Counted, not read.", func(r *WarpRow) *uint64 {
				return &r.Steps
			}))
	},
}

// StepRow is a row of [Steps].
type StepRow struct {
	Place
	Step        uint32 // None: the next
	Instruction uint32
	Mask        int64 // -1: all threads of the warp
}

var noMask int64 = -1

// Steps is the sheet of the executed instructions.
var Steps = table.Sheet[StepRow]{
	Name: "steps", Row: "an instruction that a warp executed", Order: "by kernel, CTA, warp, step",
	Fields: func() []table.Field[StepRow] {
		return join(placeFields(func(r *StepRow) *Place { return &r.Place }), []table.Field[StepRow]{
			table.IndexField("step", "Place in the warp's order of execution, without gaps; the next if absent.", None,
				func(r *StepRow) *uint32 {
					return &r.Step
				}),
			table.Uint32Field("instruction", "Instruction of the kernel's function.", func(r *StepRow) *uint32 {
				return &r.Instruction
			}),
			table.Int64Field("mask", "Active and predicated lanes, a bit each; all threads of the warp if absent.", noMask,
				func(r *StepRow) *int64 {
					return &r.Mask
				}),
		})
	},
	Default: func() StepRow { return StepRow{Step: None, Mask: noMask} },
}

// AccessRow is a row of [Accesses].
type AccessRow struct {
	Place
	Step        uint32 // None: the next
	Instruction uint32 // None: by operation, space and width
	Operation   uint8  // index into OperationWords
	Space       uint8
	Width       uint32
	Mask        int64  // -1: see Lanes
	Lanes       uint32 // number of addresses; None: see Addresses
	Address     uint64
	Stride      int32 // ^0<<31: the width
	Addresses   []int64
}

// WidthStride is a stride that a row does not state.
const WidthStride = -1 << 31

// The operations of an access.
const (
	OperationOther = iota
	OperationLoad
	OperationStore
	OperationAtomic
)

// OperationWords are the words of the operations.
var OperationWords = []string{"other", "load", "store", "atomic"}

// OperationOf returns the operation of an instruction.
func OperationOf(in *trace.Inst) uint8 {
	switch {
	case in.Flags&trace.InstAtomic != 0:
		return OperationAtomic
	case in.Flags&trace.InstStore != 0:
		return OperationStore
	case in.Flags&trace.InstLoad != 0:
		return OperationLoad
	}
	return OperationOther
}

// Accesses is the sheet of the memory accesses.
var Accesses = table.Sheet[AccessRow]{
	Name: "accesses", Row: "a memory access of a warp with its addresses; one without recorded addresses has none",
	Order: "by kernel, CTA, warp, step",
	Fields: func() []table.Field[AccessRow] {
		return join(placeFields(func(r *AccessRow) *Place { return &r.Place }), []table.Field[AccessRow]{
			table.IndexField("step", "Step of the access; the next if absent. Without the table steps it orders the "+
				"accesses only.", None,
				func(r *AccessRow) *uint32 { return &r.Step }),
			table.IndexField("instruction", "Instruction of the kernel's function; read only without the table steps, and "+
				"made from operation, space and width if absent.",
				None, func(r *AccessRow) *uint32 { return &r.Instruction }),
			table.WordField("operation", "The access; load if absent. Counted where an instruction is named.",
				OperationWords, func(r *AccessRow) *uint8 {
					return &r.Operation
				}),
			table.WordField("space", "Memory that it accesses; global if absent. Counted where an instruction is named.",
				SpaceWords, func(r *AccessRow) *uint8 {
					return &r.Space
				}),
			table.Uint32Field("width_bytes", "Bytes per address; 4 if absent. Counted where an instruction is named.",
				func(r *AccessRow) *uint32 {
					return &r.Width
				}),
			table.Int64Field("mask", "Active lanes, a bit each; if absent, the first lanes. Read only without the "+
				"table steps.", noMask, func(r *AccessRow) *int64 {
				return &r.Mask
			}),
			table.IndexField("lanes", "Number of addresses; if absent, the length of addresses, or the lanes of the mask, or "+
				"all threads of the warp.", None,
				func(r *AccessRow) *uint32 { return &r.Lanes }),
			table.Uint64Field("address", "Address of the first lane.", func(r *AccessRow) *uint64 { return &r.Address }),
			table.Int32Field("stride_bytes", "From one lane's address to the next; the width if absent, where "+
				"addresses is empty.", WidthStride, func(r *AccessRow) *int32 {
				return &r.Stride
			}),
			table.ListField("addresses", "All addresses, where they are not equally far apart; else empty.",
				func(r *AccessRow) []int64 {
					return r.Addresses
				},
				func(r *AccessRow, list []int64) error { r.Addresses = list; return nil }),
		})
	},
	Default: func() AccessRow {
		return AccessRow{Step: None, Instruction: None, Operation: OperationLoad, Space: uint8(trace.SpaceGlobal), Width: 4,
			Mask: noMask, Lanes: None, Stride: WidthStride}
	},
}

// LaunchRow is a row of [Launches].
type LaunchRow struct {
	Place
	trace.Launch
}

// Launches is the sheet of the requests of device threads for child kernels.
var Launches = table.Sheet[LaunchRow]{
	Name: "launches", Row: "a request of a device thread for a child kernel", Order: "by kernel, CTA, warp, step, lane",
	Fields: func() []table.Field[LaunchRow] {
		return join(placeFields(func(r *LaunchRow) *Place { return &r.Place }), []table.Field[LaunchRow]{
			table.Uint32Field("step", "Step of the launch instruction.", func(r *LaunchRow) *uint32 { return &r.At }),
			table.Uint8Field("lane", "The requesting lane.", func(r *LaunchRow) *uint8 { return &r.Lane }),
			table.BoolField("marked", "The program's own rule would launch it; so if absent.", func(r *LaunchRow) *bool {
				return &r.Marked
			}),
			table.BoolField("shared_stream", "All children of the CTA share one stream.", func(r *LaunchRow) *bool {
				return &r.SharedSWQ
			}),
			table.Uint32Field("child", "Requested kernel, greater than its own.", func(r *LaunchRow) *uint32 {
				return &r.Child
			}),
			table.Uint32Field("workload_items", "Items of work of the child.", func(r *LaunchRow) *uint32 {
				return &r.Workload
			}),
			table.Uint32Field("parameter_bytes", "Parameters of the child.", func(r *LaunchRow) *uint32 {
				return &r.ParamBytes
			}),
		})
	},
	Default: func() LaunchRow { return LaunchRow{Launch: trace.Launch{Marked: true}} },
}
