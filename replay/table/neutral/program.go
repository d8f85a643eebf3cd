package neutral

import (
	"gpureplay/replay/table"
	"gpureplay/trace"
)

// words returns the names of the values 0 to n-1.
func words(n int, word func(i int) string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = word(i)
	}
	return all
}

// FidelityWords are the words of trace.Fidelity.
var FidelityWords = words(int(trace.FidelityWarp)+1, func(i int) string { return trace.Fidelity(i).String() })

// Unstated is a word that a row does not state.
const Unstated = 255

// None is an index that a row does not state.
const None = ^uint32(0)

// Trace is the sheet of [trace.Meta], but for its attributes.
var Trace = table.Sheet[trace.Meta]{
	Name: "trace", Row: "the trace; there is one", Order: "none",
	Fields: func() []table.Field[trace.Meta] {
		return []table.Field[trace.Meta]{
			table.TextField("source", "Converter or generator that the trace comes from; tables if absent.",
				func(m *trace.Meta) *string {
					return &m.Source
				}),
			table.TextField("source_version", "Version of the tool that captured it.", func(m *trace.Meta) *string {
				return &m.SourceVersion
			}),
			table.TextField("gpu", "Captured GPU, by which a replay chooses its preset.", func(m *trace.Meta) *string {
				return &m.GPU
			}),
			table.Uint32Field("sm_version", "Compute capability × 10; 0: unknown.", func(m *trace.Meta) *uint32 {
				return &m.SMVersion
			}),
			table.Uint32Field("sms", "SMs of the captured GPU; 0: unknown.", func(m *trace.Meta) *uint32 { return &m.SMs }),
			table.WordField("fidelity", "Of the least detailed kernel with work, which it is if absent or none.", FidelityWords,
				func(m *trace.Meta) *uint8 { return (*uint8)(&m.Fidelity) }),
			table.TextField("arrays_from", "Where the arrays come from: memcpy, allocations, clustered or generator.",
				func(m *trace.Meta) *string { return &m.ArraysFrom }),
		}
	},
	Default: func() trace.Meta { return trace.Meta{Source: "tables"} },
}

// Attributes is the sheet of the attributes of [trace.Meta].
var Attributes = table.Sheet[trace.Attr]{
	Name: "attributes", Row: "a further fact about the capture", Order: "by key",
	Fields: func() []table.Field[trace.Attr] {
		return []table.Field[trace.Attr]{
			table.TextField("key", "Name of the fact.", func(a *trace.Attr) *string { return &a.Key }),
			table.TextField("value", "The fact.", func(a *trace.Attr) *string { return &a.Value }),
		}
	},
}

// Diagnostics is the sheet of a converter's counts.
var Diagnostics = table.Sheet[trace.Diagnostic]{
	Name: "diagnostics", Row: "an oddity of the source that its converter counted", Order: "as counted",
	Fields: func() []table.Field[trace.Diagnostic] {
		return []table.Field[trace.Diagnostic]{
			table.TextField("name", "The oddity, in snake_case.", func(d *trace.Diagnostic) *string { return &d.Name }),
			table.WordField("severity", "info: nothing is lost.", words(3, func(i int) string {
				return trace.Severity(i).String()
			}),
				func(d *trace.Diagnostic) *uint8 { return (*uint8)(&d.Severity) }),
			table.Uint64Field("count", "How often.", func(d *trace.Diagnostic) *uint64 { return &d.Count }),
			table.TextField("help", "Its meaning and a remedy.", func(d *trace.Diagnostic) *string { return &d.Help }),
		}
	},
}

// ArrayRow is a row of [Arrays].
type ArrayRow struct {
	Index uint32
	trace.Array
}

// Arrays is the sheet of the allocations in device memory.
var Arrays = table.Sheet[ArrayRow]{
	Name: "arrays", Row: "an allocation in device memory, or a cluster of touched addresses", Order: "by array",
	Fields: func() []table.Field[ArrayRow] {
		return []table.Field[ArrayRow]{
			table.IndexField("array", "Index by which other tables name it: the number of the row.", None,
				func(a *ArrayRow) *uint32 {
					return &a.Index
				}),
			table.TextField("name", "Name of the array.", func(a *ArrayRow) *string { return &a.Name }),
			table.Uint64Field("address", "Device address of the first byte.", func(a *ArrayRow) *uint64 { return &a.Base }),
			table.Uint64Field("bytes", "Size.", func(a *ArrayRow) *uint64 { return &a.Bytes }),
			table.FlagField("input", "The host writes it before a kernel reads it.", uint8(trace.ArrayInput),
				func(a *ArrayRow) *uint8 { return (*uint8)(&a.Flags) }),
			table.FlagField("output", "The host reads it after a kernel wrote it.", uint8(trace.ArrayOutput),
				func(a *ArrayRow) *uint8 { return (*uint8)(&a.Flags) }),
		}
	},
	Default: func() ArrayRow { return ArrayRow{Index: None} },
}

// ScopeRow is a row of [Scopes].
type ScopeRow struct {
	Index  uint32
	Name   string
	Within uint32 // index of the scope around it; None: none
}

// Scopes is the sheet of named ranges of the host program.
var Scopes = table.Sheet[ScopeRow]{
	Name: "scopes", Row: "a part of the host program with a name: a step of training, an NVTX range",
	Order: "by scope; one after that around it",
	Fields: func() []table.Field[ScopeRow] {
		return []table.Field[ScopeRow]{
			table.IndexField("scope", "Index by which other tables name it: the number of the row.", None,
				func(r *ScopeRow) *uint32 {
					return &r.Index
				}),
			table.TextField("name", "Its name.", func(r *ScopeRow) *string { return &r.Name }),
			table.IndexField("within", "The scope around it; NULL: none.", None, func(r *ScopeRow) *uint32 { return &r.Within }),
		}
	},
	Default: func() ScopeRow { return ScopeRow{Index: None, Within: None} },
}

// inner is the index of the innermost scope, as a trace counts it from 1.
func inner(scope uint32) uint32 { return scope - 1 } // 0 becomes None

// ScopeOf is the scope of a row as a trace counts it.
func ScopeOf(index uint32) uint32 { return index + 1 }

// scopeField is the column of the scope in which something was called.
func scopeField[R any](at func(*R) *uint32) table.Field[R] {
	return table.IndexField("scope", "Innermost scope in which it was called; NULL: none.", None, at)
}
