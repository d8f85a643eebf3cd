package table

import (
	"encoding/json"
	"math"
	"strconv"
)

// Values are the values of one column in a [Batch]. Which slice holds them
// follows from the column's type as it is read: Bool, Int64, Uint64, Float64,
// String or Int64List. Narrower types of a file are widened to these.
type Values struct {
	Type    Type
	Null    []bool // one for each row
	Bools   []bool
	Ints    []int64
	Uints   []uint64
	Floats  []float64
	Strings []string
	Lists   [][]int64
}

// Int returns the value of a row as an integer; ok is false if it is NULL or
// is no integer of 64 signed bits. Text (all of a CSV file is text) is parsed.
func (v *Values) Int(row int) (n int64, ok bool) {
	if v.Null[row] {
		return 0, false
	}
	switch v.Type {
	case Int64:
		return v.Ints[row], true
	case Uint64:
		return int64(v.Uints[row]), v.Uints[row] <= math.MaxInt64
	case Float64:
		f := v.Floats[row]
		return int64(f), f == math.Trunc(f) && math.Abs(f) < 1<<53
	case String:
		n, err := strconv.ParseInt(v.Strings[row], 10, 64)
		return n, err == nil
	}
	return 0, false
}

// Uint returns the value of a row as an integer from 0 on; ok is false if it is
// NULL or is none of 64 bits. Text may be decimal, hexadecimal with 0x, or
// written as a float without a fraction, as pandas does where a column has NULL.
func (v *Values) Uint(row int) (n uint64, ok bool) {
	switch {
	case v.Null[row]:
		return 0, false
	case v.Type == Uint64:
		return v.Uints[row], true
	case v.Type == String:
		if n, err := strconv.ParseUint(v.Strings[row], 0, 64); err == nil {
			return n, true
		}
		f, err := strconv.ParseFloat(v.Strings[row], 64)
		return uint64(max(f, 0)), err == nil && f >= 0 && f < 1<<53 && f == math.Trunc(f)
	}
	i, ok := v.Int(row)
	return uint64(max(i, 0)), ok && i >= 0
}

// Float returns the value of a row as a number; ok is false if it is NULL or
// is none. Integers beyond 2^53 are rounded.
func (v *Values) Float(row int) (f float64, ok bool) {
	if v.Null[row] {
		return 0, false
	}
	switch v.Type {
	case Int64:
		return float64(v.Ints[row]), true
	case Uint64:
		return float64(v.Uints[row]), true
	case Float64:
		return v.Floats[row], true
	case String:
		f, err := strconv.ParseFloat(v.Strings[row], 64)
		return f, err == nil
	}
	return 0, false
}

// Text returns the value of a row as text; ok is false if it is NULL.
func (v *Values) Text(row int) (s string, ok bool) {
	if v.Null[row] {
		return "", false
	}
	switch v.Type {
	case Bool:
		return strconv.FormatBool(v.Bools[row]), true
	case Int64:
		return strconv.FormatInt(v.Ints[row], 10), true
	case Uint64:
		return strconv.FormatUint(v.Uints[row], 10), true
	case Float64:
		return strconv.FormatFloat(v.Floats[row], 'g', -1, 64), true
	case Int64List:
		return formatList(v.Lists[row]), true
	}
	return v.Strings[row], true
}

// Truth returns the value of a row as a truth value; ok is false if it is NULL
// or is none.
func (v *Values) Truth(row int) (b, ok bool) {
	switch {
	case v.Null[row]:
		return false, false
	case v.Type == Bool:
		return v.Bools[row], true
	case v.Type == String:
		b, err := strconv.ParseBool(v.Strings[row])
		return b, err == nil
	}
	return false, false
}

// List returns the value of a row as a list of integers; ok is false if it is
// NULL or is none. It is valid until the next batch.
func (v *Values) List(row int) (list []int64, ok bool) {
	switch {
	case v.Null[row]:
		return nil, false
	case v.Type == Int64List:
		return v.Lists[row], true
	case v.Type == String:
		err := json.Unmarshal([]byte(v.Strings[row]), &list)
		return list, err == nil
	}
	return nil, false
}

// Any returns the value of a row in the type of the column, as [Cell] has it; nil
// is NULL. A list is valid until the next batch.
func (v *Values) Any(row int) any {
	if v.Null[row] {
		return nil
	}
	switch v.Type {
	case Bool:
		return v.Bools[row]
	case Int64:
		return v.Ints[row]
	case Uint64:
		return v.Uints[row]
	case Float64:
		return v.Floats[row]
	case Int64List:
		return v.Lists[row]
	}
	return v.Strings[row]
}

// formatList writes a list as a JSON array.
func formatList(list []int64) string {
	text := []byte{'['}
	for i, n := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, n, 10)
	}
	return string(append(text, ']'))
}

// reset empties the values for the next batch.
func (v *Values) reset() {
	v.Null, v.Bools, v.Ints, v.Uints = v.Null[:0], v.Bools[:0], v.Ints[:0], v.Uints[:0]
	v.Floats, v.Strings, v.Lists = v.Floats[:0], v.Strings[:0], v.Lists[:0]
}
