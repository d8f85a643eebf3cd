package container

import (
	"bytes"
	"gpureplay/trace"
	"gpureplay/trace/text"
	"io"
	"math"
	"strings"
	"testing"
)

// shapes are extents that no trace has, each with a text that says it.
var shapes = []struct {
	name, text string
	set        func(*trace.Kernel)
}{
	{"block of 0 in y", "launch k grid=3 block=256x0", func(k *trace.Kernel) { k.Block = trace.Dim3{256, 0, 1} }},
	{"block of 0 in x", "launch k grid=3 block=00x2", func(k *trace.Kernel) { k.Block = trace.Dim3{0, 2, 1} }},
	{"block beyond 32 bits", "launch k grid=3 block=65536x65536", func(k *trace.Kernel) {
		k.Block = trace.Dim3{1 << 16, 1 << 16, 1}
	}},
	{"grid of 0 in z", "launch k grid=3x1x0 block=64", func(k *trace.Kernel) { k.Grid = trace.Dim3{3, 1, 0} }},
	{"grid of 2^32", "launch k grid=65536x65536 block=64", func(k *trace.Kernel) {
		k.Grid = trace.Dim3{1 << 16, 1 << 16, 1}
	}},
	{"grid of 2^64", "launch k grid=2097152x4194304x2097152 block=64", func(k *trace.Kernel) {
		k.Grid = trace.Dim3{1 << 21, 1 << 22, 1 << 21}
	}},
	{"cluster of 0 in y", "launch k grid=4 block=64 cluster=2x0", func(k *trace.Kernel) {
		k.Cluster = trace.Dim3{2, 0, 1}
	}},
}

// An extent of 0 beside others, and a product beyond 32 bits, are refused by one rule:
// by the Writer, the text form, the reader and Verify, in one line each.
func TestShapesAreRefusedEverywhere(t *testing.T) {
	good := encodeText(t, smallText)
	for _, s := range shapes {
		refused := func(who string, err error) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), "an extent is at least 1") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: the %s says %v", s.name, who, err)
			}
		}
		w, err := NewWriter(io.Discard, Options{})
		if err != nil {
			t.Fatal(err)
		}
		refused("text form", text.Parse("text", strings.NewReader(s.text+"\n"), w))

		if w, err = NewWriter(io.Discard, Options{}); err != nil {
			t.Fatal(err)
		}
		k := trace.Kernel{Function: w.AddFunction("k"), Grid: trace.Dim3{3, 1, 1}, Block: trace.Dim3{64, 1, 1}}
		s.set(&k)
		_, err = w.BeginKernel(&k)
		refused("Writer", err)

		r := changedKernels(t, good, s.set)
		refused("reader", r.Kernel(0, &k))
		found := ""
		_ = Verify(t.Context(), r, func(err error) { found += err.Error() })
		if !strings.Contains(found, "an extent is at least 1") {
			t.Errorf("%s: Verify says %q", s.name, found)
		}
	}
}

// Warps lie in a block: reader, Verify, Writer and text refuse one of a block without threads.
func TestWarpsNeedABlock(t *testing.T) {
	r := changedKernels(t, encodeText(t, smallText), func(k *trace.Kernel) { k.Block = trace.Dim3{} })
	cursor, err := r.CTAs(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := cursor.Next(&trace.CTA{}); err == nil || !strings.Contains(err.Error(), "outside of the block") {
		t.Errorf("the reader says %v", err)
	}
	if err := Verify(t.Context(), r, nil); err == nil {
		t.Error("Verify finds it sound")
	}
	for _, lines := range []string{"launch k block=none\ncta 0\nwarp 0\nint",
		"launch k block=none\ncta 0\nwarp 0..1\nint"} {
		w, err := NewWriter(io.Discard, Options{})
		if err == nil {
			err = text.Parse("text", strings.NewReader(lines), w)
		}
		if err == nil || !strings.HasPrefix(err.Error(), "text:3") {
			t.Errorf("%q: %v", lines, err)
		}
	}
}

// Extents of each kind of size: whether a trace may have them, and their elements' indices.
func TestValidExtents(t *testing.T) {
	for d, want := range map[trace.Dim3]bool{
		{}: false, {1, 1, 1}: true, {math.MaxUint32, 1, 1}: true, {math.MaxUint32, 1, 0}: false, {65535, 65537, 1}: true,
		{1 << 16, 1 << 16, 1}: false, {1 << 31, 1 << 31, 4}: false, {1 << 16, 1 << 15, 2}: false, {1, 0, 1}: false,
	} {
		if d.Valid() != want {
			t.Errorf("%v: valid is %v", d, d.Valid())
		}
	}
	if n := (trace.Dim3{1 << 31, 1 << 31, 4}).Count(); n != math.MaxUint64 {
		t.Errorf("2^64 counts as %d", n)
	}
	if at := (trace.Dim3{65535, 65537, 1}).At(math.MaxUint32 - 1); at != (trace.Dim3{65534, 65536, 0}) {
		t.Errorf("the last CTA is at %v", at)
	}
	if at := (trace.Dim3{3, 4, 5}).At(59); at != (trace.Dim3{2, 3, 4}) {
		t.Errorf("the last CTA is at %v", at)
	}
}

// changedKernels is a reader of a file whose kernel records are changed, with right checksums.
func changedKernels(t *testing.T, file []byte, change func(*trace.Kernel)) *Reader {
	t.Helper()
	p := takeApart(t, file)
	r := openBytes(t, file)
	for i := range p.rows {
		if kind(p.rows[i].kind) != kindKernel {
			continue
		}
		rows, err := readRows(r, uint32(i), kindKernel, kernelFields)
		if err != nil {
			t.Fatal(err)
		}
		for j := range rows {
			change(&rows[j])
		}
		p.raw[i] = appendTable(nil, kindKernel, kernelFields, rows, nil)
	}
	changed := p.assemble(nil)
	r, err := NewReader(bytes.NewReader(changed), int64(len(changed)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
