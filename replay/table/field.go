package table

import (
	"fmt"
	"math"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/array"
)

// Field is a column of a [Sheet] with rows R: a pointer into the row from which
// it is written and into which it is read. A cell that is NULL, or a column
// that a file lacks, leaves the row as it is.
type Field[R any] struct {
	Column
	bind func(b array.Builder, sc scope) func(*R)
	load func(v *Values, row int, r *R) error
}

// fieldOf makes a field of a column that is only written.
func fieldOf[R any](c column[R], load func(v *Values, row int, r *R) error) Field[R] {
	return Field[R]{c.Column, c.bind, load}
}

// BoolField is a truth value; a file may have 0 and 1 for it.
func BoolField[R any](name, doc string, at func(*R) *bool) Field[R] {
	return fieldOf(boolean(name, doc, func(r *R) bool { return *at(r) }), func(v *Values, row int, r *R) error {
		return loadTruth(v, row, func(b bool) { *at(r) = b })
	})
}

// FlagField is one bit of flags, as a truth value.
func FlagField[R any](name, doc string, bit uint8, at func(*R) *uint8) Field[R] {
	return fieldOf(boolean(name, doc, func(r *R) bool { return *at(r)&bit != 0 }), func(v *Values, row int, r *R) error {
		return loadTruth(v, row, func(b bool) {
			*at(r) &^= bit
			if b {
				*at(r) |= bit
			}
		})
	})
}

func loadTruth(v *Values, row int, set func(bool)) error {
	if b, ok := v.Truth(row); ok {
		set(b)
		return nil
	}
	n, ok := v.Uint(row)
	if !ok || n > 1 {
		return fmt.Errorf("%s is neither true nor false", quoted(v, row))
	}
	set(n == 1)
	return nil
}

// Uint8Field is a small number.
func Uint8Field[R any](name, doc string, at func(*R) *uint8) Field[R] {
	return fieldOf(u8(name, doc, func(r *R) uint8 { return *at(r) }), func(v *Values, row int, r *R) error {
		n, err := within(v, row, math.MaxUint8)
		*at(r) = uint8(n)
		return err
	})
}

// Uint32Field is a number of 32 bits.
func Uint32Field[R any](name, doc string, at func(*R) *uint32) Field[R] {
	return fieldOf(u32(name, doc, func(r *R) uint32 { return *at(r) }), func(v *Values, row int, r *R) error {
		n, err := within(v, row, math.MaxUint32)
		*at(r) = uint32(n)
		return err
	})
}

// Uint64Field is a number of 64 bits.
func Uint64Field[R any](name, doc string, at func(*R) *uint64) Field[R] {
	return fieldOf(u64(name, doc, func(r *R) uint64 { return *at(r) }), func(v *Values, row int, r *R) (err error) {
		*at(r), err = within(v, row, math.MaxUint64)
		return err
	})
}

// IndexField is an index of 32 bits that is NULL where it equals none.
func IndexField[R any](name, doc string, none uint32, at func(*R) *uint32) Field[R] {
	return fieldOf(id(name, doc, none, func(r *R) uint32 { return *at(r) }), func(v *Values, row int, r *R) error {
		n, err := within(v, row, math.MaxUint32-1)
		*at(r) = uint32(n)
		return err
	})
}

// Int64Field is a signed number that is NULL where it equals none.
func Int64Field[R any](name, doc string, none int64, at func(*R) *int64) Field[R] {
	write := i64(name, doc, func(r *R) (int64, bool) { return *at(r), *at(r) != none })
	return fieldOf(write, func(v *Values, row int, r *R) error { return loadInt(v, row, at(r)) })
}

// Int32Field is a signed number of 32 bits that is NULL where it equals none.
func Int32Field[R any](name, doc string, none int32, at func(*R) *int32) Field[R] {
	write := i32(name, doc, func(r *R) (int32, bool) { return *at(r), *at(r) != none })
	return fieldOf(write, func(v *Values, row int, r *R) error {
		var n int64
		if err := loadInt(v, row, &n); err != nil {
			return err
		}
		if n != int64(int32(n)) {
			return fmt.Errorf("%d does not fit into 32 bits", n)
		}
		*at(r) = int32(n)
		return nil
	})
}

func loadInt(v *Values, row int, to *int64) error {
	n, ok := v.Int(row)
	if !ok {
		f, isNumber := v.Float(row)
		if n = int64(f); !isNumber || float64(n) != f || math.Abs(f) >= 1<<53 {
			return fmt.Errorf("%s is no whole number", quoted(v, row))
		}
	}
	*to = n
	return nil
}

// TextField is a text.
func TextField[R any](name, doc string, at func(*R) *string) Field[R] {
	return fieldOf(text(name, doc, false, func(r *R) string { return *at(r) }), func(v *Values, row int, r *R) error {
		*at(r), _ = v.Text(row)
		return nil
	})
}

// WordField is one of words, by index.
func WordField[R any](name, doc string, words []string, at func(*R) *uint8) Field[R] {
	return fieldOf(enum(name, doc, words, func(r *R) int { return int(*at(r)) }), func(v *Values, row int, r *R) error {
		s, _ := v.Text(row)
		for i, w := range words {
			if s == w {
				*at(r) = uint8(i)
				return nil
			}
		}
		return fmt.Errorf("%q is none of %s", s, strings.Join(words, ", "))
	})
}

// ListField is a list of integers, with functions that read and replace it. The list that set is given is valid
// until the next batch.
func ListField[R any](name, doc string, get func(*R) []int64, set func(*R, []int64) error) Field[R] {
	c := Column{name, Int64List, false, nil, doc}
	bind := func(b array.Builder, _ scope) func(*R) {
		to := b.(*array.ListBuilder)
		values := to.ValueBuilder().(*array.Int64Builder)
		return func(r *R) {
			to.Append(true)
			for _, v := range get(r) {
				values.Append(v)
			}
		}
	}
	return Field[R]{c, bind, func(v *Values, row int, r *R) error {
		list, ok := v.List(row)
		if !ok {
			return fmt.Errorf("%s is no list of integers; in CSV a list is written [1,2]", quoted(v, row))
		}
		return set(r, list)
	}}
}

// within reads a number from 0 to most.
func within(v *Values, row int, most uint64) (uint64, error) {
	n, ok := v.Uint(row)
	switch {
	case !ok:
		return 0, fmt.Errorf("%s is no whole number from 0 on", quoted(v, row))
	case n > most:
		return 0, fmt.Errorf("%d is more than %d", n, most)
	}
	return n, nil
}

func quoted(v *Values, row int) string {
	s, _ := v.Text(row)
	return fmt.Sprintf("%.60q", s)
}
