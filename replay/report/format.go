package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// with names the settings of a run, as the end of a title.
func (r *run) with() string {
	var parts []string
	for i, a := range r.axes {
		parts = append(parts, a+" = "+r.settings[i])
	}
	if parts == nil {
		return ""
	}
	return ", " + strings.Join(parts, ", ")
}

func commas(n int64) string { return humanize.Comma(n) }

// decimals writes a number with some digits behind the point.
func decimals(x float64, digits int) string { return strconv.FormatFloat(x, 'f', digits, 64) }

// significant writes a number with about three digits that matter.
func significant(x float64) string {
	switch a := math.Abs(x); {
	case a >= 1000:
		return commas(int64(math.Round(x)))
	case a >= 100 || a == math.Trunc(a):
		return decimals(x, 0)
	case a >= 10:
		return decimals(x, 1)
	case a >= 1:
		return decimals(x, 2)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// decimalsOf writes a number with the six digits that matter.
func decimalsOf(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return decimals(x, 0)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// percent, ratio and time are cells of the summary.
func (n number) percent() string {
	if !n.ok {
		return "–"
	}
	return decimals(n.x, 1)
}

func (n number) ratio() string {
	if !n.ok {
		return "–"
	}
	return decimals(n.x, 3)
}

// duration writes nanoseconds in the unit that suits them.
func duration(ns int64) string {
	x := float64(ns)
	switch {
	case x < 1e3:
		return decimals(x, 0) + " ns"
	case x < 1e6:
		return decimals(x/1e3, 3) + " µs"
	case x < 1e9:
		return decimals(x/1e6, 3) + " ms"
	}
	return decimals(x/1e9, 3) + " s"
}

// tick writes a value of an axis: short, with a unit prefix where it is large.
func tick(x float64) string {
	for _, p := range []struct {
		at   float64
		unit string
	}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if math.Abs(x) >= p.at*10 || math.Abs(x) >= p.at && p.at > 1e3 {
			return strconv.FormatFloat(x/p.at, 'g', 4, 64) + p.unit
		}
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}
