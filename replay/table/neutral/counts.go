package neutral

import (
	"gpureplay/replay/table"
	"gpureplay/trace"
)

// CountRow is a row of [Counts].
type CountRow struct {
	Kernel, CTA uint32
	Instruction uint32 // None: by class, operation, space and width
	Class       uint8
	Operation   uint8 // index into OperationWords
	Space       uint8
	Width       uint32
	Executions  uint64
}

// ClassWords are the words of trace.Class.
var ClassWords = words(trace.NumClasses, func(i int) string { return trace.Class(i).String() })

// Counts is the sheet of the counted instructions of CTAs without warps.
var Counts = table.Sheet[CountRow]{
	Name: "counts", Row: "how often the warps of a CTA execute an instruction, where the warps are not known",
	Order: "by kernel, then CTA",
	Fields: func() []table.Field[CountRow] {
		return []table.Field[CountRow]{
			table.Uint32Field("kernel", "Its kernel.", func(r *CountRow) *uint32 { return &r.Kernel }),
			table.Uint32Field("cta", "Its CTA.", func(r *CountRow) *uint32 { return &r.CTA }),
			table.IndexField("instruction", "Instruction of the kernel's function; made from class, operation, space and "+
				"width if absent.", None,
				func(r *CountRow) *uint32 { return &r.Instruction }),
			table.WordField("class", "Unit that executes it; other, timed as int, if absent. Counted where an "+
				"instruction is named.", ClassWords,
				func(r *CountRow) *uint8 { return &r.Class }),
			table.WordField("operation", "Of class memory: the access; load if absent. Counted where an "+
				"instruction is named.", OperationWords,
				func(r *CountRow) *uint8 { return &r.Operation }),
			table.WordField("space", "Of class memory: the accessed memory; global if absent. Counted where an "+
				"instruction is named.", SpaceWords,
				func(r *CountRow) *uint8 { return &r.Space }),
			table.Uint32Field("width_bytes", "Of class memory: bytes per lane; 4 if absent. Counted where an "+
				"instruction is named.",
				func(r *CountRow) *uint32 { return &r.Width }),
			table.Uint64Field("executions", "Warp instructions.", func(r *CountRow) *uint64 { return &r.Executions }),
		}
	},
	Default: func() CountRow {
		return CountRow{Instruction: None, Operation: OperationLoad, Space: uint8(trace.SpaceGlobal), Width: 4}
	},
}
