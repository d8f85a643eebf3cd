// Package converttest converts captures in tests, keeps their traces in memory, and has an example of each format.
package converttest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// Recording keeps a converted trace in memory.
type Recording struct{ tracetest.Recording }

// Count returns how many operations are of a kind.
func (r *Recording) Count(kind trace.OpKind) int {
	n := 0
	for i := range r.Ops {
		if r.Ops[i].Kind == kind {
			n++
		}
	}
	return n
}

// Flagged returns how many kernels have a flag.
func (r *Recording) Flagged(flag trace.KernelFlags) int {
	n := 0
	for i := range r.Kernels {
		if r.Kernels[i].Flags&flag != 0 {
			n++
		}
	}
	return n
}

// Text is everything that a trace keeps as Text.
func (r *Recording) Text() string {
	var b strings.Builder
	fmt.Fprintln(&b, r.Meta)
	for _, a := range r.Arrays {
		fmt.Fprintln(&b, a.Name)
	}
	for _, s := range r.Scopes {
		fmt.Fprintln(&b, s.Name)
	}
	for _, f := range r.Functions {
		fmt.Fprintln(&b, f.Name)
		for _, in := range f.Insts {
			fmt.Fprintln(&b, in.Opcode)
		}
	}
	for _, d := range r.Diags {
		fmt.Fprintln(&b, d.Name, d.Help)
	}
	return b.String()
}

// Try converts the input at path.
func Try(t testing.TB, path, from string, opt convert.Options) (*Recording, error) {
	t.Helper()
	in, err := convert.Open(path, nil)
	if err != nil {
		return nil, err
	}
	opt.TempDir = t.TempDir()
	r := &Recording{}
	err = convert.Convert(context.Background(), in, from, r, opt)
	return r, err
}

// captured keeps the recordings of the real captures, which several tests look
// at and none changes.
var captured = map[string]*Recording{}

// Read converts the input at path, which must work.
func Read(t testing.TB, path string, opt convert.Options) *Recording {
	t.Helper()
	if r := captured[path]; r != nil && opt.Device == AnyDevice.Device {
		return r
	}
	r, err := Try(t, path, "", opt)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(path, os.TempDir()) && opt.Device == AnyDevice.Device {
		captured[path] = r
	}
	return r
}

// AnyDevice are the options of most tests.
var AnyDevice = convert.Options{Device: -1, AllowEmpty: true}

// Summary lists counts, sums and names for goldens, one line each.
func (r *Recording) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "source %s %q, GPU %q sm_%d with %d SMs, fidelity %d\n",
		r.Meta.Source, r.Meta.SourceVersion, r.Meta.GPU, r.Meta.SMVersion, r.Meta.SMs, r.Meta.Fidelity)
	for _, a := range r.Meta.Attrs {
		fmt.Fprintf(&b, "  %s = %s\n", a.Key, a.Value)
	}
	fidelity := map[trace.Fidelity]int{}
	streams := map[uint64]bool{}
	var ctas, threads uint64
	var busy, last int64
	for i := range r.Kernels {
		k := &r.Kernels[i]
		fidelity[k.Fidelity]++
		streams[k.Stream] = true
		ctas += k.Grid.Count()
		threads += k.Grid.Count() * k.Block.Count()
		if k.Recorded != nil {
			busy += k.Recorded.DurationNs
			last = max(last, k.Recorded.StartNs+k.Recorded.DurationNs)
		}
	}
	fmt.Fprintf(&b, "kernels %d of %d functions on %d streams, %d CTAs, %d threads, busy %d ns, last end %d ns\n",
		len(r.Kernels), len(r.Functions), len(streams), ctas, threads, busy, last)
	if n := r.Flagged(trace.KernelCollective); n > 0 {
		fmt.Fprintf(&b, "  collective: %d\n", n)
	}
	inside, deepest := 0, 0
	for i := range r.Kernels {
		depth := 0
		for in := r.Kernels[i].Scope; in > 0; in = r.Scopes[in-1].In {
			depth++
		}
		inside += min(depth, 1)
		deepest = max(deepest, depth)
	}
	if len(r.Scopes) > 0 {
		fmt.Fprintf(&b, "  in one of %d scopes: %d, at most %d deep, the first %q\n", len(r.Scopes), inside, deepest,
			r.Scopes[0].Name)
	}
	for f := trace.FidelityNone; f <= trace.FidelityWarp; f++ {
		if n := fidelity[f]; n > 0 {
			fmt.Fprintf(&b, "  fidelity %d: %d\n", f, n)
		}
	}
	r.operations(&b)
	diags := slices.Clone(r.Diags)
	slices.SortFunc(diags, func(a, b trace.Diagnostic) int { return cmp.Compare(a.Name, b.Name) })
	for _, d := range diags {
		fmt.Fprintf(&b, "diagnostic %s (%d): %d\n", d.Name, d.Severity, d.Count)
	}
	return b.String()
}

// operations lists how many host operations of each kind there are, with their sums.
func (r *Recording) operations(b *strings.Builder) {
	for kind := range trace.OpKind(trace.NumOpKinds) {
		n, async, bytes, ns := 0, 0, uint64(0), int64(0)
		for i := range r.Ops {
			if op := &r.Ops[i]; op.Kind == kind {
				n, bytes, ns = n+1, bytes+op.Bytes, ns+op.Ns
				if op.Async {
					async++
				}
			}
		}
		if n > 0 {
			fmt.Fprintf(b, "op %s: %d, %d async, %d bytes, %d ns\n", OpNames[kind], n, async, bytes, ns)
		}
	}
}

// OpNames are the kinds of host operations in summaries.
var OpNames = [trace.NumOpKinds]string{
	"file_read", "file_write", "copy_h2d", "copy_d2h", "copy_d2d", "copy_p2p", "memset", "launch",
	"event_record", "stream_wait", "sync_stream", "sync_event", "sync_device", "host_work", "spawn", "wait_task",
}

// Trace converts a capture and returns a reader of its trace, closed when the test ends.
func Trace(t testing.TB, capture string) *container.Reader {
	t.Helper()
	in, err := convert.Open(capture, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.trace.zst")
	if err := convert.Run(t.Context(), in, "", path, convert.Options{Device: -1}); err != nil {
		t.Fatal(err)
	}
	r, err := container.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}
