package neutral

import (
	"gpureplay/replay/table"
	"gpureplay/trace"
)

// CTARow is a row of [CTAs].
type CTARow struct {
	Kernel, CTA uint32
	SM          int32 // -1: unknown
	Ranges      int64 // -1: none are stated
}

// CTAs is the sheet of the CTAs.
var CTAs = table.Sheet[CTARow]{
	Name: "ctas", Row: "a CTA; CTAs that other tables name need none", Order: "by kernel, then CTA",
	Fields: func() []table.Field[CTARow] {
		return []table.Field[CTARow]{
			table.Uint32Field("kernel", "Its kernel.", func(r *CTARow) *uint32 { return &r.Kernel }),
			table.Uint32Field("cta", "Linear index in the grid.", func(r *CTARow) *uint32 { return &r.CTA }),
			table.Int32Field("sm", "SM on which it was captured; NULL: unknown.", -1, func(r *CTARow) *int32 { return &r.SM }),
			table.Int64Field("ranges", "Rows of kind stated in ranges; 0: it is stated to touch nothing; NULL: nothing "+
				"is stated.", -1,
				func(r *CTARow) *int64 { return &r.Ranges }),
		}
	},
	Default: func() CTARow { return CTARow{SM: -1, Ranges: -1} },
}

// RangeRow is a row of [Ranges].
type RangeRow struct {
	Kernel, CTA uint32
	Kind        uint8 // 0 stated, 1 touched
	trace.Range
}

// Ranges is the sheet of the memory ranges of CTAs.
var Ranges = table.Sheet[RangeRow]{
	Name: "ranges", Row: "a span of an array that a CTA may touch, or does", Order: "by kernel, then CTA",
	Fields: func() []table.Field[RangeRow] {
		return []table.Field[RangeRow]{
			table.Uint32Field("kernel", "Its kernel.", func(r *RangeRow) *uint32 { return &r.Kernel }),
			table.Uint32Field("cta", "Its CTA.", func(r *RangeRow) *uint32 { return &r.CTA }),
			table.WordField("kind", "stated: the conservative range of a profiler; touched: exact, of a CTA whose accesses "+
				"are not known.",
				[]string{"stated", "touched"}, func(r *RangeRow) *uint8 { return &r.Kind }),
			table.Uint32Field("array", "The array.", func(r *RangeRow) *uint32 { return &r.Array }),
			table.WordField("mode", "How it is used.", words(4, func(i int) string { return trace.Mode(i).String() }),
				func(r *RangeRow) *uint8 { return (*uint8)(&r.Mode) }),
			table.Uint64Field("first_byte", "Offset in the array.", func(r *RangeRow) *uint64 { return &r.Lo }),
			table.Uint64Field("end_byte", "Offset of the byte after the last.", func(r *RangeRow) *uint64 { return &r.Hi }),
		}
	},
}
