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
	"gpureplay/trace/tracetest"
)

// execution is one executed instruction, as the tests compare it.
type execution struct {
	pc, mask  uint32
	inst      trace.Inst
	addresses []uint64
}

// executions returns the executed instructions of a warp.
func executions(r *tracetest.Recording, kernel int, w *trace.Warp) []execution {
	insts := r.Functions[r.Kernels[kernel].Function].Insts
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
			e.addresses = slices.Collect(a.Addresses(w.Lists))
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
func convertText(t testing.TB, text string) (*tracetest.Recording, error) {
	t.Helper()
	r := &tracetest.Recording{}
	return r, ConvertKernel(context.Background(), strings.NewReader(text), "kernel-1.traceg", r,
		Options{TempDir: t.TempDir()})
}

// mustConvert converts the trace of one kernel, which must work.
func mustConvert(t testing.TB, text string) *tracetest.Recording {
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
