package accelsim

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/trace"
)

// recorder keeps a trace in memory.
type recorder struct {
	meta      trace.Meta
	arrays    []trace.Array
	functions []trace.Function
	diags     []trace.Diagnostic
	ops       []trace.HostOp
	kernels   []trace.Kernel
	ctas      [][]trace.CTA
}

func (r *recorder) SetMeta(m trace.Meta) { r.meta = m }
func (r *recorder) AddArray(a trace.Array) uint32 {
	r.arrays = append(r.arrays, a)
	return uint32(len(r.arrays) - 1)
}
func (r *recorder) AddFunction(name string) uint32 {
	r.functions = append(r.functions, trace.Function{Name: name})
	return uint32(len(r.functions) - 1)
}
func (r *recorder) AddInst(f uint32, in trace.Inst) uint32 {
	in.Dst, in.Src = slices.Clone(in.Dst), slices.Clone(in.Src)
	r.functions[f].Insts = append(r.functions[f].Insts, in)
	return uint32(len(r.functions[f].Insts) - 1)
}
func (r *recorder) Diagnose(d trace.Diagnostic) { r.diags = append(r.diags, d) }
func (r *recorder) Host(op *trace.HostOp) error { r.ops = append(r.ops, *op); return nil }
func (r *recorder) BeginKernel(k *trace.Kernel) (uint32, error) {
	c := *k
	c.ID = uint32(len(r.kernels))
	r.kernels = append(r.kernels, c)
	r.ctas = append(r.ctas, nil)
	return c.ID, nil
}
func (r *recorder) WriteCTA(c *trace.CTA) error {
	d := *c
	d.Warps = nil
	for _, w := range c.Warps {
		d.Warps = append(d.Warps, trace.Warp{ID: w.ID, Path: slices.Clone(w.Path), Masks: slices.Clone(w.Masks),
			Mem: slices.Clone(w.Mem), Lists: slices.Clone(w.Lists)})
	}
	last := len(r.ctas) - 1
	r.ctas[last] = append(r.ctas[last], d)
	return nil
}
func (r *recorder) EndKernel(flags trace.KernelFlags) error {
	r.kernels[len(r.kernels)-1].Flags |= flags
	return nil
}

func (r *recorder) diag(name string) uint64 {
	for _, d := range r.diags {
		if d.Name == name {
			return d.Count
		}
	}
	return 0
}

// execution is one executed instruction, as the tests compare it.
type execution struct {
	pc, mask  uint32
	inst      trace.Inst
	addresses []uint64
}

// executions returns the executed instructions of a warp.
func (r *recorder) executions(kernel int, w *trace.Warp) []execution {
	insts := r.functions[r.kernels[kernel].Function].Insts
	var list []execution
	run, mem := 0, 0
	for at, i := range w.Path {
		for run+1 < len(w.Masks) && int(w.Masks[run+1].At) <= at {
			run++
		}
		e := execution{pc: insts[i].PC, mask: w.Masks[run].Mask, inst: insts[i]}
		if insts[i].Mem() {
			a := w.Mem[mem]
			mem++
			for j := range a.Count {
				e.addresses = append(e.addresses, addressOf(&a, w.Lists, j))
			}
		}
		list = append(list, e)
	}
	return list
}

// osFolder is a folder on disk with plain files.
type osFolder string

func (f osFolder) Names() ([]string, error) {
	entries, err := os.ReadDir(string(f))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}
func (f osFolder) Open(name string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(string(f), name))
}

// mapFolder is a folder in memory.
type mapFolder map[string]string

func (f mapFolder) Names() ([]string, error) {
	var names []string
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}
func (f mapFolder) Open(name string) (io.ReadCloser, error) {
	text, ok := f[path.Clean(name)]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

// convertText converts the trace of one kernel.
func convertText(t testing.TB, text string) (*recorder, error) {
	t.Helper()
	r := &recorder{}
	return r, ConvertKernel(context.Background(), strings.NewReader(text), "kernel-1.traceg", r,
		Options{TempDir: t.TempDir()})
}

// mustConvert converts the trace of one kernel, which must work.
func mustConvert(t testing.TB, text string) *recorder {
	t.Helper()
	r, err := convertText(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const testHeader = `-kernel name = _Z1kv
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (64,1,1)
-shmem = 48
-nregs = 12
-binary version = 80
-cuda stream id = 7
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f0002000000
-nvbit version = 1.7
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = [line_num] PC mask dest_num
`

// oneWarp is a capture of one warp with those lines.
func oneWarp(lines ...string) string {
	return testHeader + "\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = " + itoa(len(lines)) + "\n" +
		strings.Join(lines, "\n") + "\n\n#END_TB\n"
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}
