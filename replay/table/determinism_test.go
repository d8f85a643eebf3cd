package table

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
)

// flood appends rows of every kind of column, several row groups of ctas.
func flood(s *Set, rows int) {
	o := s.Observer()
	reasons := []string{"", "cheaper", "queue full"}
	for i := range rows {
		t := model.Time(i) * 3
		child := model.NoKernel
		if i%7 == 0 {
			child = uint32(i % 100)
		}
		o.CTA(&model.CTARecord{Kernel: uint32(i % 50), CTA: uint32(i), Child: child, SM: uint32(i % 80), Dispatch: t,
			Start: t + 5, End: t + 1000,
			WarpInsts: uint64(i*i) % 5000, Active: t % 977, StallTimes: [exec.NumStalls]model.Time{0, 0, t % 31, 4, t % 5, 0,
				0}})
		if i%16 == 0 {
			o.Sample(&model.SampleRecord{Start: t, End: t + 48, Kernels: []uint32{1, uint32(i)}, PagesOwned: []uint32{0, 9},
				SMsHeld: []uint32{1, 2}, CTAsFinished: []uint32{uint32(i), 0}})
			var noted *model.Notes
			if i%5 == 0 {
				noted = &model.Notes{int64(i)}
			}
			o.Launch(&model.LaunchRecord{Time: t, Reason: reasons[i%3], Noted: noted, AGT: int32(i%9) - 1,
				Arrive: model.Unset, FirstCTA: t})
		}
	}
}

// The same rows give the same bytes. Neither the number of processors, nor whether full batches are written in the
// background, nor earlier writes of the process change them.
func TestSameBytes(t *testing.T) {
	for _, format := range Formats() {
		var first map[string][]byte
		for _, procs := range []int{1, 2, 1} {
			old := runtime.GOMAXPROCS(procs)
			dir := t.TempDir()
			s := openFixture(t, dir, fixturePolicy, format)
			s.opt.Behind = func() bool { return procs == 2 }
			fill(s)
			flood(s, 2*batchRows+100)
			err := s.Commit()
			runtime.GOMAXPROCS(old)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{}
			for _, path := range tree(t, dir) {
				if files[path], err = os.ReadFile(filepath.Join(dir, path)); err != nil {
					t.Fatal(err)
				}
			}
			if first == nil {
				first = files
			}
			for path, data := range files {
				if !bytes.Equal(data, first[path]) {
					t.Errorf("%s differs under GOMAXPROCS=%d", path, procs)
				}
			}
		}
	}
}

// Columns that are NULL and lists that are empty for whole row groups, then not.
func TestLongAbsence(t *testing.T) {
	dir := t.TempDir()
	s := openFixture(t, dir, fixturePolicy, Parquet)
	o := s.Observer()
	for range batchRows + 2000 {
		o.CTA(&model.CTARecord{Child: model.NoKernel, Dispatch: model.Unset, Start: model.Unset, End: model.Unset})
		o.Sample(&model.SampleRecord{})
		o.Launch(&model.LaunchRecord{AGT: -1, Time: model.Unset, Arrive: model.Unset, FirstCTA: model.Unset})
	}
	fill(s)
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	want := expected(t)
	for _, name := range []string{"ctas", "timeline", "launches"} {
		parts, _ := Find(dir, name)
		got, err := readAll(parts[0].Path, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for column, values := range want[name] {
			if n := batchRows + 2000; len(got[column]) != n+len(values) || !slices.Equal(got[column][n:], values) {
				t.Errorf("%s.%s: %d rows, the last %q; want %d and %q", name, column, len(got[column]),
					got[column][max(0, len(got[column])-len(values)):], n+len(values), values)
			}
		}
	}
}

// A stream's buffers are bounded: many rows take as much memory as few, within a batch of each table.
func TestBoundedMemory(t *testing.T) {
	s, err := Open(Options{Dir: t.TempDir(), Trace: "t", Policy: "p", GPU: "k20c", Tables: []string{"ctas"}, ClockMHz: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Abort()
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	flood(s, batchRows)
	before := live()
	flood(s, 8*batchRows)
	if after := live(); after > before+32<<20 {
		t.Errorf("heap of %d bytes after one batch, %d after nine", before, after)
	}
}

func BenchmarkCTAs(b *testing.B) {
	for _, format := range Formats() {
		b.Run(format, func(b *testing.B) {
			s, err := Open(Options{Dir: b.TempDir(), Trace: "t", Policy: "p", GPU: "k20c", Tables: []string{"ctas"},
				Format: format, ClockMHz: 1})
			if err != nil {
				b.Fatal(err)
			}
			o := s.Observer()
			r := model.CTARecord{Child: model.NoKernel}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r.CTA, r.SM, r.End = uint32(i), uint32(i%80), r.End+3
				r.Dispatch, r.Start, r.Active = r.End-1000, r.End-990, r.End%977
				r.WarpInsts, r.StallTimes[exec.StallMemory] = uint64(i%5000), r.End%31
				o.CTA(&r)
			}
			if err := s.Commit(); err != nil {
				b.Fatal(err)
			}
			parts, err := Find(s.opt.Dir, "ctas")
			if err != nil {
				b.Fatal(err)
			}
			if info, err := os.Stat(parts[0].Path); err == nil {
				b.ReportMetric(float64(info.Size())/float64(b.N), "file-B/row")
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
