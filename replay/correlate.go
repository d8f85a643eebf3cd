package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gpureplay/replay/table"
)

// A Comparison is one kernel, predicted against measured.
type Comparison struct {
	Trace, Policy string
	GPU, Set      string // the machine, and what is set of it
	Kernel        uint32
	Function      string
	Predicted     float64 // in the unit of its [Correlation]
	Measured      float64
	ErrorPct      float64 // of the prediction, signed
}

// A Correlation is what the comparisons of one trace under one policy come to.
type Correlation struct {
	Trace, Policy string
	GPU, Set      string // the machine, and what is set of it
	Unit          string // "cycles" or "ns"
	Unmeasured    int    // kernels that were replayed and not measured
	Figures
	Rows []Comparison
}

// Figures are what some comparisons come to.
type Figures struct {
	Kernels   int
	MeanPct   float64 // of absolute errors
	MedianPct float64 // of absolute errors: the middle one, of an even number the upper
	P90Pct    float64 // of absolute errors: at least nine in ten are no larger
	TotalPct  float64 // sum of predictions against sum of measurements, signed
	Pearson   float64 // correlation of predicted and measured; NaN where one of them does not vary
}

// measurement names a kernel of a trace; a file without traces has "".
type measurement struct {
	trace  string
	kernel uint32
}

// Correlate compares the kernels tables under dir with a table of measurements:
// columns kernel, cycles or ns, and trace where the measurements are of several.
// Without one ("") it compares with the durations that the captures recorded, in
// ns. What a measurement contains and the time from a kernel's first CTA to its
// end does not (launch latency) is added to each prediction, in the unit of the
// measurement.
func Correlate(dir, measured string, add float64) ([]Correlation, error) {
	if math.IsNaN(add) || math.Abs(add) > mostAdded {
		return nil, fmt.Errorf("correlate: what is added to a prediction is %v: want a time of at most %g", add, float64(mostAdded))
	}
	parts, err := table.Find(dir, "kernels")
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("correlate: %s has no kernels table: replay with --tables=kernels or all", dir)
	}
	unit, want := "ns", map[measurement]float64(nil)
	if measured != "" {
		if unit, want, err = readMeasured(measured); err != nil {
			return nil, err
		}
	}
	var all []Correlation
	matched := 0
	for _, p := range parts {
		c := Correlation{Trace: p.Trace, GPU: p.GPU, Set: p.Set, Policy: p.Policy, Unit: unit}
		if err := c.read(p.Path, want, add); err != nil {
			return nil, err
		}
		slices.SortStableFunc(c.Rows, func(a, b Comparison) int { return cmp.Compare(a.Kernel, b.Kernel) })
		c.Figures = FiguresOf(c.Rows)
		matched += c.Kernels
		all = append(all, c)
	}
	if matched == 0 && measured == "" {
		return nil, fmt.Errorf("correlate: the traces of %s recorded no durations: give a table of measurements", dir)
	}
	if matched == 0 {
		return nil, fmt.Errorf("correlate: no kernel of %s is in %s: compare its columns kernel and trace", dir, measured)
	}
	return all, nil
}

// mostAdded is how much may be added to a prediction, cycles or ns: every whole
// number below it is one of 64 bits.
const mostAdded = 1 << 53

// eachRow calls f for each row of a file that has the needed columns.
func eachRow(path string, need []string, f func(b *table.Batch, row int) error) error {
	r, err := table.OpenReader(path, table.Limits{})
	if err != nil {
		return err
	}
	defer r.Close()
	for _, name := range need {
		if !slices.ContainsFunc(r.Columns(), func(c table.Column) bool { return c.Name == name }) {
			return fmt.Errorf("correlate: %s lacks the column %s", path, name)
		}
	}
	for n := 0; ; {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for row := range b.Rows {
			if err := f(b, row); err != nil {
				return fmt.Errorf("correlate: %s, row %d: %w", path, n, err)
			}
			n++
		}
	}
}

// readMeasured reads a table of measurements.
func readMeasured(path string) (unit string, want map[measurement]float64, err error) {
	want = map[measurement]float64{}
	err = eachRow(path, []string{"kernel"}, func(b *table.Batch, row int) error {
		if unit = "cycles"; b.Column(unit) == nil {
			if unit = "ns"; b.Column(unit) == nil {
				return errors.New("no column cycles or ns: one of them must hold what was measured")
			}
		}
		id, ok := b.Column("kernel").Uint(row)
		if !ok || id > math.MaxUint32 {
			return errors.New("kernel is no id of a trace: ids count from 0")
		}
		v, ok := b.Column(unit).Float(row)
		if !ok || !(v > 0) || math.IsInf(v, 0) { // NaN is not above 0
			return fmt.Errorf("%s of kernel %d is no number above 0", unit, id)
		}
		key := measurement{kernel: uint32(id)}
		if t := b.Column("trace"); t != nil {
			key.trace, _ = t.Text(row)
		}
		if _, twice := want[key]; twice {
			return fmt.Errorf("kernel %d stands there twice", id)
		}
		want[key] = v
		return nil
	})
	if err == nil && len(want) == 0 {
		err = fmt.Errorf("correlate: %s has no rows", path)
	}
	return unit, want, err
}

// read compares the kernels of one file.
func (c *Correlation) read(path string, want map[measurement]float64, add float64) error {
	duration := "duration_" + c.Unit
	need := []string{"kernel", duration}
	if want == nil {
		need = append(need, "recorded_duration_ns")
	}
	return eachRow(path, need, func(b *table.Batch, row int) error {
		id, ok := b.Column("kernel").Uint(row)
		predicted, ran := b.Column(duration).Float(row)
		if !ok || id > math.MaxUint32 || !ran {
			return nil // it never began
		}
		x := Comparison{Trace: c.Trace, GPU: c.GPU, Set: c.Set, Policy: c.Policy, Kernel: uint32(id), Predicted: predicted + add}
		if f := b.Column("function"); f != nil {
			x.Function, _ = f.Text(row)
		}
		if want == nil {
			x.Measured, ok = b.Column("recorded_duration_ns").Float(row)
			ok = ok && x.Measured > 0
		} else if x.Measured, ok = want[measurement{c.Trace, x.Kernel}]; !ok {
			x.Measured, ok = want[measurement{"", x.Kernel}]
		}
		if !ok {
			c.Unmeasured++
			return nil
		}
		x.ErrorPct = 100 * (x.Predicted/x.Measured - 1)
		c.Rows = append(c.Rows, x)
		return nil
	})
}

// FiguresOf computes the figures of some comparisons.
func FiguresOf(rows []Comparison) Figures {
	c := Figures{Kernels: len(rows), Pearson: math.NaN()}
	if c.Kernels == 0 {
		return c
	}
	n := float64(len(rows))
	var errs []float64
	var p, m float64
	for _, r := range rows {
		errs = append(errs, math.Abs(r.ErrorPct))
		c.MeanPct += math.Abs(r.ErrorPct) / n
		p, m = p+r.Predicted, m+r.Measured
	}
	slices.Sort(errs)
	c.MedianPct = errs[len(errs)/2]
	c.P90Pct = errs[(len(errs)*9+9)/10-1]
	c.TotalPct = 100 * (p/m - 1)
	var pp, mm, pm float64
	for _, r := range rows {
		dp, dm := r.Predicted-p/n, r.Measured-m/n
		pp, mm, pm = pp+float64(dp*dp), mm+float64(dm*dm), pm+float64(dp*dm)
	}
	c.Pearson = pm / math.Sqrt(pp*mm)
	return c
}
