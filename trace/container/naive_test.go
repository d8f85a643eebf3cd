package container

import (
	"errors"
	"fmt"
	"gpureplay/trace"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// naiveDiffers compares the naive reader with the reader on one file; "" if they agree.
func naiveDiffers(t tester, file []byte) string {
	t.Helper()
	r, n := openBytes(t, file), readNaive(file)
	p := r.Program()
	functions := make([]functionRow, len(p.Functions))
	var insts []trace.Inst
	for i, f := range p.Functions {
		functions[i] = functionRow{f.Name, uint32(len(f.Insts))}
		insts = append(insts, f.Insts...)
	}
	kernels := make([]trace.Kernel, r.Kernels())
	for id := range kernels {
		if err := r.Kernel(uint32(id), &kernels[id]); err != nil {
			t.Fatal(err)
		}
	}
	d := []string{
		rowsDiffer(metaFields, []trace.Meta{p.Meta}, n.tables['M']), rowsDiffer(attrFields, p.Meta.Attrs, n.tables['T']),
		rowsDiffer(arrayFields, p.Arrays, n.tables['A']), rowsDiffer(functionFields, functions, n.tables['F']),
		rowsDiffer(instFields, insts, n.tables['N']), rowsDiffer(diagFields, p.Diagnostics, n.tables['D']),
		rowsDiffer(totalsFields, []trace.Totals{p.Totals}, n.tables['O']), rowsDiffer(kernelFields, kernels, n.tables['K']),
		rowsDiffer(hostFields, holdAll(t, r).Ops, n.tables['H']), rowsDiffer(blockFields, r.index, n.tables['B']),
	}
	for id := range kernels {
		d = append(d, ctasDiffer(t, r, uint32(id), n.ctas[uint64(id)]))
	}
	return strings.Join(slices.DeleteFunc(d, func(s string) bool { return s == "" }), "\n")
}

// rowsDiffer compares records with rows, field by field.
func rowsDiffer[T any](fields []field[T], want []T, got []naiveRow) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%T: %d rows, want %d", want, len(got), len(want))
	}
	for i := range want {
		for _, f := range fields {
			var w string
			switch at := f.at(&want[i]).(type) {
			case *string:
				w = *at
			case *[]uint32:
				w = fmt.Sprint(*at)
			case *[]trace.Reg:
				numbers := make([]uint16, len(*at))
				for i, r := range *at {
					numbers[i] = uint16(r)
				}
				w = fmt.Sprint(numbers)
			default:
				w = fmt.Sprint(loadField(at))
			}
			if g := fmt.Sprint(got[i][f.name]); g != w {
				return fmt.Sprintf("%T %d: %s is %s, want %s", want, i, f.name, g, w)
			}
		}
	}
	return ""
}

func ctasDiffer(t tester, r *Reader, kernel uint32, got []naiveCTA) string {
	t.Helper()
	cur, err := r.CTAs(kernel, 0)
	if err != nil {
		t.Fatal(err)
	}
	var c trace.CTA
	for i := 0; ; i++ {
		if err := cur.Next(&c); errors.Is(err, io.EOF) {
			if i != len(got) {
				return fmt.Sprintf("kernel %d: %d CTAs, want %d", kernel, len(got), i)
			}
			return ""
		} else if err != nil {
			t.Fatal(err)
		}
		if i >= len(got) {
			return fmt.Sprintf("kernel %d: %d CTAs, want more", kernel, len(got))
		}
		if w, g := plainCTA(&c), fmt.Sprint(got[i]); w != g {
			return fmt.Sprintf("kernel %d, CTA %d:\n got %s\nwant %s", kernel, c.ID, g, w)
		}
	}
}

// plainCTA prints a CTA as the naive reader's prints.
func plainCTA(c *trace.CTA) string {
	spans := func(list []trace.Range) (out [][4]uint64) {
		for _, r := range list {
			out = append(out, [4]uint64{uint64(r.Array), uint64(r.Mode), r.Lo, r.Hi})
		}
		return out
	}
	n := naiveCTA{id: uint64(c.ID), sm: int64(c.SM), stated: c.Ranges != nil, ranges: spans(c.Ranges),
		touchs: spans(c.Touches)}
	for _, x := range c.Counts {
		n.counts = append(n.counts, [2]uint64{uint64(x.Inst), x.Times})
	}
	for i := range c.Warps {
		w := &c.Warps[i]
		x := naiveWarp{id: uint64(w.ID)}
		for _, p := range w.Path {
			x.path = append(x.path, uint64(p))
		}
		for _, m := range w.Masks {
			x.masks = append(x.masks, [2]uint64{uint64(m.At), uint64(m.Mask)})
		}
		for j := range w.Launches {
			l := &w.Launches[j]
			x.launches = append(x.launches, [5]uint64{uint64(l.At), uint64(laneCode(l)), uint64(l.Child), uint64(l.Workload),
				uint64(l.ParamBytes)})
		}
		for _, a := range w.Mem {
			var list []uint64
			for i := range uint64(a.Count) {
				if a.List > 0 {
					list = append(list, w.Lists[uint64(a.List)-1+i])
				} else {
					list = append(list, a.Base+i*uint64(int64(a.Stride)))
				}
			}
			x.accesses = append(x.accesses, naiveAccess{list})
		}
		n.warps = append(n.warps, x)
	}
	return fmt.Sprint(n)
}

// docs/format.md is enough to write a reader: one that was written from it reads every
// random trace as the reader does.
func TestNaiveReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if d := naiveDiffers(t, randomTrace(t).write(t, 1<<10)); d != "" {
			t.Fatal(d)
		}
	})
}

// It reads the shipped samples too.
func TestNaiveReaderOfSamples(t *testing.T) {
	paths, err := filepath.Glob("../../samples/*.trace.zst")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, path := range paths {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := naiveDiffers(t, file); d != "" {
			t.Errorf("%s: %.2000s", path, d)
		}
	}
}
