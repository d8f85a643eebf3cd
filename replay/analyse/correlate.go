package analyse

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gpureplay/replay/capture"
	"gpureplay/replay/table"
)

// A Comparison is one kernel, predicted against measured.
type Comparison struct {
	Trace, Policy string
	GPU, Set      string // the machine and its changed settings
	Kernel        uint32
	Function      string
	Predicted     float64 // in the unit of its [Correlation]
	Measured      float64 // in the unit of the measurements
	ErrorPct      float64 // of the prediction, signed
	Bytes         float64 // of DRAM, predicted and measured; -1: one of them is not known
	MeasuredBytes float64
}

// A Correlation has the errors of one trace under one policy.
type Correlation struct {
	Trace, Policy string
	GPU, Set      string // the machine and its changed settings
	Unit          string // "cycles" or "ns"
	Unmeasured    int    // kernels that were replayed and not measured
	Figures
	Rows []Comparison
}

// Figures summarise the errors of some comparisons.
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

// Measurements are the rows of a table of kernels.
type Measurements struct {
	Name   string // of the table
	Unit   string // "cycles" or "ns"
	values map[measurement]measure
}

// measure is a kernel's time, and its bytes of DRAM; -1: they are not known.
type measure struct{ time, bytes float64 }

// Add adds a kernel; of a table that is not of one trace with its name. Bytes of DRAM that are not known are -1. It
// returns an error for a time that is no number above 0, or for a second value of a kernel.
func (m *Measurements) Add(trace string, kernel uint32, time, bytes float64) error {
	if !(time > 0) || math.IsInf(time, 0) { // NaN is not above 0
		return fmt.Errorf("%s of kernel %d is no number above 0", m.Unit, kernel)
	}
	key := measurement{trace, kernel}
	if _, twice := m.values[key]; twice {
		return fmt.Errorf("kernel %d stands there twice", kernel)
	}
	if m.values == nil {
		m.values = map[measurement]measure{}
	}
	m.values[key] = measure{time, bytes}
	return nil
}

// Correlate compares the kernels tables under dir with a table of measurements: columns kernel, cycles or ns, trace
// where the measurements are of several, and dram_bytes where those were measured. Without one ("") it compares with
// the durations that the captures recorded, in ns. A prediction counts from a kernel's first CTA to its end. Add is
// the rest that a measurement contains (launch latency), in its unit. It returns an error if a table cannot be read,
// or if no measurement has a kernel.
func Correlate(dir, measured string, add float64) ([]Correlation, error) {
	if measured == "" {
		return CorrelateWith(dir, nil, add)
	}
	m, err := readMeasured(measured)
	if err != nil {
		return nil, err
	}
	return CorrelateWith(dir, m, add)
}

// CorrelateWith is Correlate with measurements that have been read; nil: the recorded durations.
func CorrelateWith(dir string, m *Measurements, add float64) ([]Correlation, error) {
	if math.IsNaN(add) || math.Abs(add) > mostAdded {
		return nil, fmt.Errorf("correlate: the time added to a prediction is %v: want a time of at most %g", add,
			float64(mostAdded))
	}
	parts, err := table.Find(dir, "kernels")
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("correlate: %s has no kernels table: replay with --tables=kernels or all", dir)
	}
	unit := "ns"
	if m != nil {
		unit = m.Unit
	}
	var all []Correlation
	matched := 0
	for _, p := range parts {
		c := Correlation{Trace: p.Trace, GPU: p.GPU, Set: p.Set, Policy: p.Policy, Unit: unit}
		if err := c.read(p.Path, m, add); err != nil {
			return nil, err
		}
		slices.SortStableFunc(c.Rows, func(a, b Comparison) int { return cmp.Compare(a.Kernel, b.Kernel) })
		c.Figures = FiguresOf(c.Rows)
		matched += c.Kernels
		all = append(all, c)
	}
	if matched == 0 && m == nil {
		return nil, fmt.Errorf("correlate: the traces of %s recorded no durations: give a table of measurements", dir)
	}
	if matched == 0 {
		return nil, fmt.Errorf("correlate: no kernel of %s is in %s: compare its columns kernel and trace", dir, m.Name)
	}
	return all, nil
}

// mostAdded is how much may be added to a prediction, cycles or ns: every whole
// number below it is one of 64 bits.
const mostAdded = 1 << 53

// readMeasured reads a table of measurements.
func readMeasured(path string) (*Measurements, error) {
	m := &Measurements{Name: path}
	err := capture.EachRow(path, []string{"kernel"}, func(b *table.Batch, row int) error {
		if m.Unit = "cycles"; b.Column(m.Unit) == nil {
			if m.Unit = "ns"; b.Column(m.Unit) == nil {
				return errors.New("no column cycles or ns: one of them must hold the measured value")
			}
		}
		id, ok := b.Column("kernel").Uint(row)
		if !ok || id > math.MaxUint32 {
			return errors.New("kernel is no id of a trace: ids count from 0")
		}
		time, ok := b.Column(m.Unit).Float(row)
		if !ok {
			time = math.NaN()
		}
		bytes, trace := -1.0, ""
		if t := b.Column("trace"); t != nil {
			trace, _ = t.Text(row)
		}
		if d := b.Column("dram_bytes"); d != nil {
			if n, ok := d.Float(row); ok {
				bytes = n
			}
		}
		return m.Add(trace, uint32(id), time, bytes)
	})
	if err == nil && len(m.values) == 0 {
		err = fmt.Errorf("correlate: %s has no rows", path)
	}
	return m, err
}

// of returns the measurement of a kernel.
func (m *Measurements) of(trace string, kernel uint32) (measure, bool) {
	x, ok := m.values[measurement{trace, kernel}]
	if !ok {
		x, ok = m.values[measurement{"", kernel}]
	}
	return x, ok
}

// read compares the kernels of one file.
func (c *Correlation) read(path string, m *Measurements, add float64) error {
	duration := "duration_" + c.Unit
	need := []string{"kernel", duration}
	if m == nil {
		need = append(need, "recorded_duration_ns")
	}
	return capture.EachRow(path, need, func(b *table.Batch, row int) error {
		id, ok := b.Column("kernel").Uint(row)
		predicted, ran := b.Column(duration).Float(row)
		if !ok || id > math.MaxUint32 || !ran {
			return nil // it never began
		}
		x := Comparison{
			Trace: c.Trace, GPU: c.GPU, Set: c.Set, Policy: c.Policy, Kernel: uint32(id), Predicted: predicted + add,
			Bytes: -1, MeasuredBytes: -1,
		}
		if f := b.Column("function"); f != nil {
			x.Function, _ = f.Text(row)
		}
		if m == nil {
			x.Measured, ok = b.Column("recorded_duration_ns").Float(row)
			ok = ok && x.Measured > 0
		} else {
			var was measure
			was, ok = m.of(c.Trace, x.Kernel)
			x.Measured = was.time
			x.bytes(b, row, was.bytes)
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

// bytes sets the kernel's bytes of DRAM beside those that were measured.
func (x *Comparison) bytes(b *table.Batch, row int, was float64) {
	in, out := b.Column("dram_read_bytes"), b.Column("dram_write_bytes")
	if in == nil || out == nil || was < 0 {
		return
	}
	read, okRead := in.Float(row)
	written, okWritten := out.Float(row)
	if okRead && okWritten {
		x.Bytes, x.MeasuredBytes = read+written, was
	}
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
