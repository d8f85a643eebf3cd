package accelsim_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"gpureplay/convert"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// captures are the real captures that size and speed are measured on.
var captures = []struct{ name, path string }{
	{"bfs", "accelsim-rodinia-bfs-a100/kernelslist.g"},
	{"backprop", "accelsim-backprop-h100/kernelslist.g"},
	{"vectoradd", "accelsim-vectoradd-a100/kernelslist.g"},
	{"simpletorch", "accelsim-simpletorch-v100/all-1101-kernels.tar.gz"},
}

var containers sync.Map // path → []byte

// converted converts a capture, once per run of the tests.
func converted(t testing.TB, path string) []byte {
	t.Helper()
	if b, ok := containers.Load(path); ok {
		return b.([]byte)
	}
	in, err := convert.Open(tracetest.Data(t, path), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := container.NewWriter(&out, container.Options{})
	if err == nil {
		err = convert.Convert(context.Background(), in, "", w, convert.Options{Device: -1})
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	containers.Store(path, out.Bytes())
	return out.Bytes()
}

// readAll reads every CTA of every kernel and returns the warp instructions.
func readAll(t testing.TB, r *container.Reader, c *trace.CTA) (insts uint64) {
	t.Helper()
	for id := range r.Kernels() {
		cur, err := r.CTAs(uint32(id), 0)
		if err != nil {
			t.Fatal(err)
		}
		for {
			err := cur.Next(c)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.Warps {
				insts += uint64(len(c.Warps[i].Path))
			}
		}
	}
	return insts
}

// BenchmarkDecode opens each capture and reads all of it on one core: warp
// instructions/s, and bits of the file for each.
func BenchmarkDecode(b *testing.B) {
	for _, cap := range captures {
		b.Run(cap.name, func(b *testing.B) {
			file := converted(b, cap.path)
			var c trace.CTA
			insts := uint64(0)
			b.ReportAllocs()
			for b.Loop() {
				r := tracetest.Read(b, file)
				insts += readAll(b, r, &c)
				r.Close()
			}
			b.ReportMetric(float64(insts)/1e6/b.Elapsed().Seconds(), "Minsts/s")
			b.ReportMetric(float64(len(file)), "bytes")
			b.ReportMetric(float64(len(file))*8*float64(b.N)/float64(insts), "bits/inst")
		})
	}
}

// BenchmarkEncode writes the kernels of a capture, without the converter.
func BenchmarkEncode(b *testing.B) {
	for _, cap := range captures {
		b.Run(cap.name, func(b *testing.B) {
			r := tracetest.Read(b, converted(b, cap.path))
			var c trace.CTA
			insts := uint64(0)
			for b.Loop() {
				w, err := container.NewWriter(io.Discard, container.Options{})
				if err != nil {
					b.Fatal(err)
				}
				insts += copyKernels(b, w, r, &c)
			}
			b.ReportMetric(float64(insts)/1e6/b.Elapsed().Seconds(), "Minsts/s")
		})
	}
}

func copyKernels(b *testing.B, w *container.Writer, r *container.Reader, c *trace.CTA) (insts uint64) {
	b.Helper()
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	p := r.Program()
	for _, a := range p.Arrays {
		w.AddArray(a)
	}
	for _, f := range p.Functions {
		fn := w.AddFunction(f.Name)
		for _, in := range f.Insts {
			w.AddInst(fn, in)
		}
	}
	var k trace.Kernel
	for id := range r.Kernels() {
		check(r.Kernel(uint32(id), &k))
		_, err := w.BeginKernel(&k)
		check(err)
		cur, err := r.CTAs(uint32(id), 0)
		check(err)
		for {
			err := cur.Next(c)
			if errors.Is(err, io.EOF) {
				break
			}
			check(err)
			check(w.WriteCTA(c))
		}
		insts += k.WarpInsts
		check(w.EndKernel(0))
	}
	check(w.Close())
	return insts
}
