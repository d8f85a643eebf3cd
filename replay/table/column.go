package table

import (
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"gpureplay/model"
)

// Type is the type of a column's values.
type Type uint8

// The types that columns have.
const (
	Bool Type = iota
	Uint8
	Uint32
	Uint64
	Int32
	Int64
	Float64
	String
	Int64List
	numTypes = iota
)

var typeNames = [numTypes]string{"bool", "uint8", "uint32", "uint64", "int32", "int64", "float64", "string",
	"list of int64"}

// String returns the name of the type as docs/tables.md has it.
func (t Type) String() string { return typeNames[t] }

var arrowTypes = [numTypes]arrow.DataType{
	arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String,
	arrow.ListOfNonNullable(arrow.PrimitiveTypes.Int64),
}

// Column describes one column.
type Column struct {
	Name     string // snake_case with the unit as a suffix
	Type     Type
	Nullable bool     // NULL where the value is absent
	Values   []string // the words of an enumeration; nil: it is none
	Doc      string   // one sentence
}

// scope holds the inputs of a column's value beside its row.
type scope struct{ clock Clock }

// column is a [Column] of the rows R: bind returns the function that appends a row's value to the column's builder.
type column[R any] struct {
	Column
	bind func(b array.Builder, sc scope) func(*R)
}

func boolean[R any](name, doc string, get func(*R) bool) column[R] {
	return column[R]{Column{name, Bool, false, nil, doc}, func(b array.Builder, _ scope) func(*R) {
		to := b.(*array.BooleanBuilder)
		return func(r *R) { to.Append(get(r)) }
	}}
}

func u8[R any](name, doc string, get func(*R) uint8) column[R] {
	return column[R]{Column{name, Uint8, false, nil, doc}, func(b array.Builder, _ scope) func(*R) {
		to := b.(*array.Uint8Builder)
		return func(r *R) { to.Append(get(r)) }
	}}
}

func u32[R any](name, doc string, get func(*R) uint32) column[R] {
	return column[R]{Column{name, Uint32, false, nil, doc}, func(b array.Builder, _ scope) func(*R) {
		to := b.(*array.Uint32Builder)
		return func(r *R) { to.Append(get(r)) }
	}}
}

func u64[R any](name, doc string, get func(*R) uint64) column[R] {
	return column[R]{Column{name, Uint64, false, nil, doc}, func(b array.Builder, _ scope) func(*R) {
		to := b.(*array.Uint64Builder)
		return func(r *R) { to.Append(get(r)) }
	}}
}

// whole is a type of a record's count, size or id.
type whole interface {
	~uint8 | ~uint32 | ~uint64 | ~int64
}

// count is a count, a size or an id that every row has. All are int64, whatever the record has, so that differences
// and sums work in every engine; larger values become the largest int64.
func count[R any, N whole](name, doc string, get func(*R) N) column[R] {
	return column[R]{Column{name, Int64, false, nil, doc}, func(b array.Builder, _ scope) func(*R) {
		to := b.(*array.Int64Builder)
		return func(r *R) {
			v := int64(get(r))
			if v < 0 {
				v = math.MaxInt64
			}
			to.Append(v)
		}
	}}
}

// i32 is NULL where get's second result is false.
func i32[R any](name, doc string, get func(*R) (int32, bool)) column[R] {
	return column[R]{Column{name, Int32, true, nil, doc}, func(b array.Builder, _ scope) func(*R) {
		to := b.(*array.Int32Builder)
		return func(r *R) {
			if v, ok := get(r); ok {
				to.Append(v)
			} else {
				to.AppendNull()
			}
		}
	}}
}

// i64 is NULL where get's second result is false.
func i64[R any](name, doc string, get func(*R) (int64, bool)) column[R] {
	return column[R]{Column{name, Int64, true, nil, doc}, func(b array.Builder, _ scope) func(*R) {
		return optional(b, get)
	}}
}

func optional[R any](b array.Builder, get func(*R) (int64, bool)) func(*R) {
	to := b.(*array.Int64Builder)
	return func(r *R) {
		if v, ok := get(r); ok {
			to.Append(v)
		} else {
			to.AppendNull()
		}
	}
}

// id is a 32-bit index that is NULL where it equals none.
func id[R any](name, doc string, none uint32, get func(*R) uint32) column[R] {
	return i64(name, doc, func(r *R) (int64, bool) {
		v := get(r)
		return int64(v), v != none
	})
}

// cycles is a time or a duration that every row has.
func cycles[R any](name, doc string, get func(*R) model.Time) column[R] {
	return column[R]{Column{name, Int64, false, nil, doc}, func(b array.Builder, _ scope) func(*R) {
		to := b.(*array.Int64Builder)
		return func(r *R) { to.Append(get(r)) }
	}}
}

// inNs is a duration that every row has, in nanoseconds.
func inNs[R any](name, doc string, get func(*R) model.Time) column[R] {
	return column[R]{Column{name, Int64, false, nil, doc}, func(b array.Builder, sc scope) func(*R) {
		to := b.(*array.Int64Builder)
		return func(r *R) { to.Append(sc.clock.Ns(get(r))) }
	}}
}

// at is a time that is NULL where it is model.Unset.
func at[R any](name, doc string, get func(*R) model.Time) column[R] {
	return i64(name, doc, func(r *R) (int64, bool) {
		v := get(r)
		return v, v != model.Unset
	})
}

// between is the time from one point to another, NULL where either is unset.
func between[R any](name, doc string, get func(*R) (from, to model.Time)) column[R] {
	return i64(name, doc, span(get))
}

// betweenNs is between in nanoseconds.
func betweenNs[R any](name, doc string, get func(*R) (from, to model.Time)) column[R] {
	cycles := span(get)
	return column[R]{Column{name, Int64, true, nil, doc}, func(b array.Builder, sc scope) func(*R) {
		return optional(b, func(r *R) (int64, bool) {
			v, ok := cycles(r)
			return sc.clock.Ns(v), ok
		})
	}}
}

func span[R any](get func(*R) (from, to model.Time)) func(*R) (int64, bool) {
	return func(r *R) (int64, bool) {
		from, to := get(r)
		return to - from, from != model.Unset && to != model.Unset
	}
}

// f64 is NULL where the value is not a number.
func f64[R any](name, doc string, get func(*R) float64) column[R] {
	return column[R]{Column{name, Float64, true, nil, doc}, func(b array.Builder, _ scope) func(*R) {
		to := b.(*array.Float64Builder)
		return func(r *R) {
			if v := get(r); math.IsNaN(v) {
				to.AppendNull()
			} else {
				to.Append(v)
			}
		}
	}}
}

// text is NULL where the string is empty, if nullable.
func text[R any](name, doc string, nullable bool, get func(*R) string) column[R] {
	return column[R]{Column{name, String, nullable, nil, doc}, func(b array.Builder, _ scope) func(*R) {
		to := b.(*array.StringBuilder)
		return func(r *R) {
			if v := get(r); v != "" || !nullable {
				appendString(to, v)
			} else {
				to.AppendNull()
			}
		}
	}}
}

// enum is one of words, by index. An index beyond them is a bug of the model.
func enum[R any](name, doc string, words []string, get func(*R) int) column[R] {
	c := text(name, doc, false, func(r *R) string { return words[get(r)] })
	c.Values = words
	return c
}

// list is a list of integers without NULL.
func list[R any](name, doc string, get func(*R) []uint32) column[R] {
	return column[R]{Column{name, Int64List, false, nil, doc}, func(b array.Builder, _ scope) func(*R) {
		to := b.(*array.ListBuilder)
		values := to.ValueBuilder().(*array.Int64Builder)
		return func(r *R) {
			to.Append(true)
			for _, v := range get(r) {
				values.Append(int64(v))
			}
		}
	}}
}

// appendString appends without the copy to the heap that Append makes.
func appendString(b *array.StringBuilder, s string) {
	b.BinaryBuilder.Append(unsafe.Slice(unsafe.StringData(s), len(s)))
}
