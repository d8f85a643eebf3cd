package neutral

import (
	"fmt"

	"gpureplay/replay/table"
	"gpureplay/trace"
)

// FunctionRow is a row of [Functions].
type FunctionRow struct {
	Index uint32
	Name  string
}

// Functions is the sheet of the device functions.
var Functions = table.Sheet[FunctionRow]{
	Name: "functions", Row: "a device function", Order: "by function",
	Fields: func() []table.Field[FunctionRow] {
		return []table.Field[FunctionRow]{
			table.IndexField("function", "Index by which other tables name it: the number of the row.", None,
				func(f *FunctionRow) *uint32 {
					return &f.Index
				}),
			table.TextField("name", "Name of the function.", func(f *FunctionRow) *string { return &f.Name }),
		}
	},
	Default: func() FunctionRow { return FunctionRow{Index: None} },
}

// InstructionRow is a row of [Instructions].
type InstructionRow struct {
	Function, Index uint32
	trace.Inst
}

// SpaceWords are the words of trace.Space.
var SpaceWords = words(trace.NumSpaces, func(i int) string { return trace.Space(i).String() })

func instFlag(name, doc string, bit trace.InstFlags) table.Field[InstructionRow] {
	return table.FlagField(name, doc, uint8(bit), func(r *InstructionRow) *uint8 { return (*uint8)(&r.Flags) })
}

func registers(name, doc string, of func(*InstructionRow) *[]trace.Reg) table.Field[InstructionRow] {
	return table.ListField(name, doc, func(r *InstructionRow) []int64 {
		list := make([]int64, len(*of(r)))
		for i, reg := range *of(r) {
			list[i] = int64(reg)
		}
		return list
	}, func(r *InstructionRow, list []int64) error {
		regs := make([]trace.Reg, len(list))
		for i, n := range list {
			if regs[i] = trace.Reg(n); int64(regs[i]) != n {
				return fmt.Errorf("%d is no register", n)
			}
		}
		*of(r) = regs
		return nil
	})
}

// Instructions is the sheet of the static instructions.
var Instructions = table.Sheet[InstructionRow]{
	Name: "instructions", Row: "a static instruction of a function", Order: "by function, then instruction",
	Fields: func() []table.Field[InstructionRow] {
		return []table.Field[InstructionRow]{
			table.Uint32Field("function", "Its function.", func(r *InstructionRow) *uint32 { return &r.Function }),
			table.IndexField("instruction", "Index in its function by which steps name it: the number of the row among "+
				"the rows of the function.", None,
				func(r *InstructionRow) *uint32 { return &r.Index }),
			table.Uint32Field("pc", "Byte offset in the function.", func(r *InstructionRow) *uint32 { return &r.PC }),
			table.TextField("opcode", "As the source writes it.", func(r *InstructionRow) *string { return &r.Opcode }),
			table.WordField("class", "Unit that executes it; other is timed as int.",
				ClassWords, func(r *InstructionRow) *uint8 { return (*uint8)(&r.Class) }),
			table.WordField("space", "Memory that it accesses.", SpaceWords, func(r *InstructionRow) *uint8 {
				return (*uint8)(&r.Space)
			}),
			instFlag("load", "Reads memory.", trace.InstLoad),
			instFlag("store", "Writes memory.", trace.InstStore),
			instFlag("atomic", "Read-modify-write at the L2.", trace.InstAtomic),
			instFlag("bypass_l1", "Reads past the L1.", trace.InstBypassL1),
			instFlag("bulk", "Bulk copy: its addresses belong to the transfer, whatever the mask.", trace.InstBulk),
			table.Uint32Field("width_bytes", "Bytes per thread, per address if bulk; 0: no memory access.",
				func(r *InstructionRow) *uint32 {
					return &r.Width
				}),
			table.Uint64Field("immediate", "First immediate; of a barrier, its number.", func(r *InstructionRow) *uint64 {
				return &r.Imm
			}),
			registers("destinations", "Registers written: number, plus 0 for R, 256 for UR, 512 for P, 768 for UP.",
				func(r *InstructionRow) *[]trace.Reg {
					return &r.Dst
				}),
			registers("sources", "Registers read, alike.", func(r *InstructionRow) *[]trace.Reg { return &r.Src }),
			table.Uint32Field("flat_each", "Instruction that the flat form runs instead for each thread, its index plus 1; "+
				"0: this one, 4294967295: none.", func(r *InstructionRow) *uint32 {
				return &r.FlatEach
			}),
			table.Uint32Field("flat_last", "Instruction that the flat form runs once, after the last thread; of a launch "+
				"the last of its loop. Its index plus 1; 0: none.", func(r *InstructionRow) *uint32 {
				return &r.FlatLast
			}),
		}
	},
	Default: func() InstructionRow { return InstructionRow{Index: None} },
}
