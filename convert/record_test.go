package convert

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gpureplay/trace"
)

// recording keeps a trace in memory.
type recording struct {
	meta      trace.Meta
	arrays    []trace.Array
	functions []trace.Function
	scopes    []trace.Scope
	diags     []trace.Diagnostic
	ops       []trace.HostOp
	kernels   []trace.Kernel
	ctas      [][]trace.CTA
}

func (r *recording) SetMeta(m trace.Meta) { r.meta = m }
func (r *recording) AddArray(a trace.Array) uint32 {
	r.arrays = append(r.arrays, a)
	return uint32(len(r.arrays) - 1)
}
func (r *recording) AddFunction(name string) uint32 {
	r.functions = append(r.functions, trace.Function{Name: name})
	return uint32(len(r.functions) - 1)
}
func (r *recording) AddScope(s trace.Scope) uint32 {
	r.scopes = append(r.scopes, s)
	return uint32(len(r.scopes))
}
func (r *recording) AddInst(f uint32, in trace.Inst) uint32 {
	in.Dst, in.Src = slices.Clone(in.Dst), slices.Clone(in.Src)
	r.functions[f].Insts = append(r.functions[f].Insts, in)
	return uint32(len(r.functions[f].Insts) - 1)
}
func (r *recording) Diagnose(d trace.Diagnostic) { r.diags = append(r.diags, d) }
func (r *recording) Host(op *trace.HostOp) error {
	c := *op
	c.Deps = slices.Clone(op.Deps)
	if op.Recorded != nil {
		times := *op.Recorded
		c.Recorded = &times
	}
	r.ops = append(r.ops, c)
	return nil
}
func (r *recording) NextKernel() uint32 { return uint32(len(r.kernels)) }
func (r *recording) BeginKernel(k *trace.Kernel) (uint32, error) {
	c := *k
	c.ID = r.NextKernel()
	if k.Recorded != nil {
		times := *k.Recorded
		c.Recorded = &times
	}
	r.kernels = append(r.kernels, c)
	r.ctas = append(r.ctas, nil)
	return c.ID, nil
}
func (r *recording) WriteCTA(c *trace.CTA) error {
	d := *c
	d.Warps = nil
	for _, w := range c.Warps {
		w.Path, w.Masks, w.Mem = slices.Clone(w.Path), slices.Clone(w.Masks), slices.Clone(w.Mem)
		w.Lists, w.Launches = slices.Clone(w.Lists), slices.Clone(w.Launches)
		d.Warps = append(d.Warps, w)
	}
	last := len(r.ctas) - 1
	r.ctas[last] = append(r.ctas[last], d)
	return nil
}
func (r *recording) EndKernel(flags trace.KernelFlags) error {
	r.kernels[len(r.kernels)-1].Flags |= flags
	return nil
}

// count returns how many operations are of a kind.
func (r *recording) count(kind trace.OpKind) int {
	n := 0
	for i := range r.ops {
		if r.ops[i].Kind == kind {
			n++
		}
	}
	return n
}

// flagged returns how many kernels have a flag.
func (r *recording) flagged(flag trace.KernelFlags) int {
	n := 0
	for i := range r.kernels {
		if r.kernels[i].Flags&flag != 0 {
			n++
		}
	}
	return n
}

func (r *recording) diag(name string) uint64 {
	for _, d := range r.diags {
		if d.Name == name {
			return d.Count
		}
	}
	return 0
}

// text is everything that a trace keeps as text.
func (r *recording) text() string {
	var b strings.Builder
	fmt.Fprintln(&b, r.meta)
	for _, a := range r.arrays {
		fmt.Fprintln(&b, a.Name)
	}
	for _, s := range r.scopes {
		fmt.Fprintln(&b, s.Name)
	}
	for _, f := range r.functions {
		fmt.Fprintln(&b, f.Name)
		for _, in := range f.Insts {
			fmt.Fprintln(&b, in.Opcode)
		}
	}
	for _, d := range r.diags {
		fmt.Fprintln(&b, d.Name, d.Help)
	}
	return b.String()
}

// tryConvert converts the input at path.
func tryConvert(t testing.TB, path, from string, opt Options) (*recording, error) {
	t.Helper()
	in, err := Open(path, nil)
	if err != nil {
		return nil, err
	}
	opt.TempDir = t.TempDir()
	r := &recording{}
	err = Convert(context.Background(), in, from, r, opt)
	return r, err
}

// captured keeps the recordings of the real captures, which several tests look
// at and none changes.
var captured = map[string]*recording{}

// capture converts the input at path, which must work.
func capture(t testing.TB, path string, opt Options) *recording {
	t.Helper()
	if r := captured[path]; r != nil && opt.Device == anyDevice.Device {
		return r
	}
	r, err := tryConvert(t, path, "", opt)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(path, os.TempDir()) && opt.Device == anyDevice.Device {
		captured[path] = r
	}
	return r
}

// anyDevice are the options of most tests.
var anyDevice = Options{Device: -1, AllowEmpty: true}

// summary lists counts, sums and names for goldens, one line each.
func (r *recording) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "source %s %q, GPU %q sm_%d with %d SMs, fidelity %d\n",
		r.meta.Source, r.meta.SourceVersion, r.meta.GPU, r.meta.SMVersion, r.meta.SMs, r.meta.Fidelity)
	for _, a := range r.meta.Attrs {
		fmt.Fprintf(&b, "  %s = %s\n", a.Key, a.Value)
	}
	fidelity := map[trace.Fidelity]int{}
	streams := map[uint64]bool{}
	var ctas, threads uint64
	var busy, last int64
	for i := range r.kernels {
		k := &r.kernels[i]
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
		len(r.kernels), len(r.functions), len(streams), ctas, threads, busy, last)
	if n := r.flagged(trace.KernelCollective); n > 0 {
		fmt.Fprintf(&b, "  collective: %d\n", n)
	}
	inside, deepest := 0, 0
	for i := range r.kernels {
		depth := 0
		for in := r.kernels[i].Scope; in > 0; in = r.scopes[in-1].In {
			depth++
		}
		inside += min(depth, 1)
		deepest = max(deepest, depth)
	}
	if len(r.scopes) > 0 {
		fmt.Fprintf(&b, "  in one of %d scopes: %d, at most %d deep, the first %q\n", len(r.scopes), inside, deepest,
			r.scopes[0].Name)
	}
	for f := trace.FidelityNone; f <= trace.FidelityWarp; f++ {
		if n := fidelity[f]; n > 0 {
			fmt.Fprintf(&b, "  fidelity %d: %d\n", f, n)
		}
	}
	for kind := range trace.OpKind(trace.NumOpKinds) {
		n, async, bytes, ns := 0, 0, uint64(0), int64(0)
		for i := range r.ops {
			if op := &r.ops[i]; op.Kind == kind {
				n, bytes, ns = n+1, bytes+op.Bytes, ns+op.Ns
				if op.Async {
					async++
				}
			}
		}
		if n > 0 {
			fmt.Fprintf(&b, "op %s: %d, %d async, %d bytes, %d ns\n", opNames[kind], n, async, bytes, ns)
		}
	}
	diags := slices.Clone(r.diags)
	slices.SortFunc(diags, func(a, b trace.Diagnostic) int { return cmp.Compare(a.Name, b.Name) })
	for _, d := range diags {
		fmt.Fprintf(&b, "diagnostic %s (%d): %d\n", d.Name, d.Severity, d.Count)
	}
	return b.String()
}

var opNames = [trace.NumOpKinds]string{
	"file_read", "file_write", "copy_h2d", "copy_d2h", "copy_d2d", "copy_p2p", "memset", "launch",
	"event_record", "stream_wait", "sync_stream", "sync_event", "sync_device", "host_work", "spawn", "wait_task",
}
