package samplestest

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"

	"gpureplay/samples"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// Trace generates a trace in memory and returns a reader of it.
func Trace(t testing.TB, name string, settings ...string) *container.Reader {
	t.Helper()
	g, err := samples.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := g.Write(&out, settings...); err != nil {
		t.Fatal(err)
	}
	return tracetest.Read(t, out.Bytes())
}

// File generates into a file in memory twice, fails the test unless the bytes are equal and hold the records of
// [Generate], and returns them.
func File(t testing.TB, name string, settings ...string) []byte {
	t.Helper()
	g, err := samples.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := g.Write(out, settings...); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatalf("%s %v: two runs write different bytes", name, settings)
	}
	r, err := container.NewReader(bytes.NewReader(first.Bytes()), int64(first.Len()))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := Generate(t, name, settings...).compare(r); err != nil {
		t.Fatalf("%s %v: the file differs from what was generated: %v", name, settings, err)
	}
	return first.Bytes()
}

// compare returns the first difference between the recording and a file.
func (r *Recording) compare(file *container.Reader) error {
	if p := file.Program(); !slices.Equal(p.Arrays, r.Arrays) || fmt.Sprint(p.Functions) != fmt.Sprint(r.Functions) {
		return fmt.Errorf("arrays or functions")
	}
	ops := file.HostOps()
	for i := range r.Ops {
		var op trace.HostOp
		if err := ops.Next(&op); err != nil || fmt.Sprint(op) != fmt.Sprint(r.Ops[i]) {
			return fmt.Errorf("host operation %d: %+v, %v", i, op, err)
		}
	}
	if err := ops.Next(&trace.HostOp{}); err != io.EOF {
		return fmt.Errorf("after the host operations: %v", err)
	}
	for id := range r.Kernels {
		if err := r.compareKernel(file, uint32(id)); err != nil {
			return fmt.Errorf("kernel %d: %w", id, err)
		}
	}
	return nil
}

func (r *Recording) compareKernel(file *container.Reader, id uint32) error {
	var k trace.Kernel
	if err := file.Kernel(id, &k); err != nil {
		return err
	}
	k.ThreadInsts = 0 // counted by the writer alone
	if want := r.Kernels[id]; k != want {
		return fmt.Errorf("%+v, want %+v", k, want)
	}
	ctas, err := file.CTAs(id, 0)
	if err != nil {
		return err
	}
	var cta trace.CTA
	for i := range r.CTAs[id] {
		if err := ctas.Next(&cta); err != nil {
			return err
		}
		if err := compareCTA(&r.CTAs[id][i], &cta); err != nil {
			return fmt.Errorf("CTA %d: %w", i, err)
		}
	}
	if err := ctas.Next(&cta); err != io.EOF {
		return fmt.Errorf("after the CTAs: %v", err)
	}
	return nil
}

func compareCTA(want, got *trace.CTA) error {
	if want.ID != got.ID || want.SM != got.SM || !slices.Equal(want.Ranges, got.Ranges) ||
		len(want.Warps) != len(got.Warps) {
		return fmt.Errorf("CTA %d with %d warps, ranges %v", got.ID, len(got.Warps), got.Ranges)
	}
	for i := range want.Warps {
		a, b := &want.Warps[i], &got.Warps[i]
		if a.ID != b.ID || !slices.Equal(a.Path, b.Path) || !slices.Equal(a.Masks, b.Masks) ||
			!slices.Equal(a.Launches, b.Launches) || len(a.Mem) != len(b.Mem) {
			return fmt.Errorf("warp %d: path, masks or launches", a.ID)
		}
		for m := range a.Mem {
			if !slices.Equal(addresses(a, m), addresses(b, m)) {
				return fmt.Errorf("warp %d, access %d: %x, want %x", a.ID, m, addresses(b, m), addresses(a, m))
			}
		}
	}
	return nil
}

func addresses(w *trace.Warp, access int) []uint64 {
	return slices.Collect(w.Mem[access].Addresses(w.Lists))
}
