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
)

// Recording keeps a trace in memory.
type Recording struct {
	Meta      trace.Meta
	Arrays    []trace.Array
	Functions []trace.Function
	Scopes    []trace.Scope
	Diags     []trace.Diagnostic
	Ops       []trace.HostOp
	Kernels   []trace.Kernel
	CTAs      [][]trace.CTA
}

func (r *Recording) SetMeta(m trace.Meta) { r.Meta = m }

func (r *Recording) AddArray(a trace.Array) uint32 {
	r.Arrays = append(r.Arrays, a)
	return uint32(len(r.Arrays) - 1)
}

func (r *Recording) AddFunction(name string) uint32 {
	r.Functions = append(r.Functions, trace.Function{Name: name})
	return uint32(len(r.Functions) - 1)
}

func (r *Recording) AddScope(s trace.Scope) uint32 {
	r.Scopes = append(r.Scopes, s)
	return uint32(len(r.Scopes))
}

func (r *Recording) AddInst(f uint32, in trace.Inst) uint32 {
	in.Dst, in.Src = slices.Clone(in.Dst), slices.Clone(in.Src)
	r.Functions[f].Insts = append(r.Functions[f].Insts, in)
	return uint32(len(r.Functions[f].Insts) - 1)
}

func (r *Recording) Diagnose(d trace.Diagnostic) { r.Diags = append(r.Diags, d) }

func (r *Recording) Host(op *trace.HostOp) error {
	c := *op
	c.Deps = slices.Clone(op.Deps)
	if op.Recorded != nil {
		times := *op.Recorded
		c.Recorded = &times
	}
	r.Ops = append(r.Ops, c)
	return nil
}

func (r *Recording) NextKernel() uint32 { return uint32(len(r.Kernels)) }

func (r *Recording) BeginKernel(k *trace.Kernel) (uint32, error) {
	c := *k
	c.ID = r.NextKernel()
	if k.Recorded != nil {
		times := *k.Recorded
		c.Recorded = &times
	}
	r.Kernels = append(r.Kernels, c)
	r.CTAs = append(r.CTAs, nil)
	return c.ID, nil
}

func (r *Recording) WriteCTA(c *trace.CTA) error {
	d := *c
	d.Warps = nil
	for _, w := range c.Warps {
		w.Path, w.Masks, w.Mem = slices.Clone(w.Path), slices.Clone(w.Masks), slices.Clone(w.Mem)
		w.Lists, w.Launches = slices.Clone(w.Lists), slices.Clone(w.Launches)
		d.Warps = append(d.Warps, w)
	}
	last := len(r.CTAs) - 1
	r.CTAs[last] = append(r.CTAs[last], d)
	return nil
}

func (r *Recording) EndKernel(flags trace.KernelFlags) error {
	r.Kernels[len(r.Kernels)-1].Flags |= flags
	return nil
}

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

func (r *Recording) Diag(name string) uint64 {
	for _, d := range r.Diags {
		if d.Name == name {
			return d.Count
		}
	}
	return 0
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
