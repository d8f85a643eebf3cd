package gpucachesim_test

import (
	"bytes"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/convert/gpucachesim"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// The capture beside its CUDA source: four kernels of one warp; 4, 5, 2 and 2
// instructions; fourteen allocations, each filled by a copy.
func TestGpucachesimCapture(t *testing.T) {
	r := converttest.Read(t, tracetest.Data(t, "gpucachesim-msgpack", "traces"), converttest.AnyDevice)
	r.Check(t)
	var insts []int
	for i := range r.Kernels {
		if len(r.CTAs[i]) != 1 || len(r.CTAs[i][0].Warps) != 1 || r.CTAs[i][0].SM != 0 {
			t.Fatalf("kernel %d: %+v", i, r.CTAs[i])
		}
		insts = append(insts, len(r.CTAs[i][0].Warps[0].Path))
	}
	if fmt.Sprint(insts) != "[4 5 2 2]" || len(r.Arrays) != 14 || r.Count(trace.OpCopyH2D) != 14 ||
		r.Count(trace.OpLaunch) != 4 {
		t.Errorf("%v instructions, %d arrays, %d copies, %d launches", insts, len(r.Arrays), r.Count(trace.OpCopyH2D),
			r.Count(trace.OpLaunch))
	}
	// if (tid < 16) { ...; if (tid < 8) ... }: the upper half leaves, then lanes 8 to 15, then the rest.
	masks := r.CTAs[0][0].Warps[0].Masks
	if fmt.Sprint(masks) != "[{0 4294967295} {1 4294901760} {2 65280} {3 255}]" {
		t.Errorf("masks %v", masks)
	}
	for _, a := range r.Arrays {
		if a.Flags != trace.ArrayInput {
			t.Errorf("%+v is no input", a)
		}
	}
	for _, op := range r.Ops {
		if op.Kind == trace.OpCopyH2D &&
			(op.Array == trace.NoArray || r.Arrays[op.Array].Base != op.Addr || r.Arrays[op.Array].Bytes != op.Bytes) {
			t.Errorf("%+v is into no array", op)
		}
	}
}

func TestGpucachesimRecords(t *testing.T) {
	dir := t.TempDir()
	converttest.Put(t, dir, "commands.json", converttest.GpucachesimList)
	converttest.Put(t, dir, "kernel-0.msgpack", string(converttest.GpucachesimKernel()))
	r := converttest.Read(t, dir, converttest.AnyDevice)
	r.Check(t)
	if len(r.CTAs[0]) != 2 || r.CTAs[0][0].ID != 0 || r.CTAs[0][0].SM != 2 || r.CTAs[0][1].ID != 3 ||
		r.CTAs[0][1].SM != 3 {
		t.Fatalf("%+v", r.CTAs[0])
	}
	code := r.Functions[0].Insts
	w := r.CTAs[0][1].Warps[1]
	if w.ID != 1 || len(w.Path) != 2 || code[w.Path[0]].Width != 8 || code[w.Path[0]].Space != trace.SpaceGlobal ||
		code[w.Path[1]].Space != trace.SpaceShared {
		t.Fatalf("%+v of %+v", w, code)
	}
	if w.Mem[0] != (trace.Access{Base: 4096 + 32, Stride: 8, Count: 4}) || w.Mem[1].Count != 3 ||
		fmt.Sprint(w.Lists) != "[0 1 4]" {
		t.Errorf("%+v %v", w.Mem, w.Lists)
	}
	if c := r.CTAs[0][0].Warps[0]; c.Mem[0].Count != 0 { // constant space
		t.Errorf("%+v", c.Mem)
	}
	if fmt.Sprint(code[w.Path[0]].Dst, code[w.Path[0]].Src) != "[R5] [R10 R11]" {
		t.Errorf("registers %v %v", code[w.Path[0]].Dst, code[w.Path[0]].Src)
	}
	for name, n := range map[string]uint64{"record_outside_grid": 2, "unknown_opcode": 1, "overlapping_allocation": 1,
		"unknown_command": 1} {
		if r.Diag(name) != n {
			t.Errorf("%s: %d, want %d", name, r.Diag(name), n)
		}
	}
	if len(r.Arrays) != 1 || r.Arrays[0].Bytes != 2560 || r.Meta.SourceVersion != "NVBit 1.7" {
		t.Errorf("%+v %+v", r.Arrays, r.Meta)
	}
}

// Two launches of one name are of one function.
func TestGpucachesimLaunchesOfOneFunction(t *testing.T) {
	dir := t.TempDir()
	before, launch, _ := strings.Cut(strings.TrimSuffix(converttest.GpucachesimList, "]"), `{"KernelLaunch"`)
	converttest.Put(t, dir, "commands.json", before+`{"KernelLaunch"`+launch+`,{"KernelLaunch"`+launch+"]")
	converttest.Put(t, dir, "kernel-0.msgpack", string(converttest.GpucachesimKernel()))
	r := converttest.Read(t, dir, converttest.AnyDevice)
	r.Check(t)
	if len(r.Kernels) != 2 || len(r.Functions) != 1 {
		t.Errorf("%d kernels of %d functions", len(r.Kernels), len(r.Functions))
	}
}

func TestGpucachesimMalformed(t *testing.T) {
	kernel := string(converttest.GpucachesimKernel())
	for name, c := range map[string]struct{ list, kernel, err string }{
		"no file":    {list: converttest.GpucachesimList, err: "kernel-0.msgpack"},
		"cut short":  {list: converttest.GpucachesimList, kernel: kernel[:300], err: "record 3 of 7: the file is cut short"},
		"wrong type": {list: converttest.GpucachesimList, kernel: "\xc0", err: "kernel-0.msgpack"},
		"huge count": {list: converttest.GpucachesimList, kernel: "\xdd\xff\xff\xff\xff", err: "record 1 of 4294967295"},
		"few fields": {list: converttest.GpucachesimList, kernel: "\x91\x91\x01",
			err: "1 fields, where gpucachesim writes 24 to 26"},
		"long string": {list: converttest.GpucachesimList,
			kernel: "\x91\xdc\x00\x18\x01\x01\x01\x93\x01\x01\x01\x01\x01\x20\x01\x01\xdb\x7f\xff\xff\xff",
			err:    "record 1 of 1"},
		"negative size": {list: strings.Replace(converttest.GpucachesimList, "1024", "-1", 1), err: "commands.json: offset"},
		"no array":      {list: `{"MemAlloc":1}`, err: "commands.json is an array"},
		"no grid": {list: strings.Replace(converttest.GpucachesimList, `"x":2,"y":2`, `"x":0,"y":2`, 1), kernel: kernel,
			err: "a grid of"},
	} {
		dir := t.TempDir()
		converttest.Put(t, dir, "commands.json", c.list)
		if c.kernel != "" {
			converttest.Put(t, dir, "kernel-0.msgpack", c.kernel)
		}
		_, err := converttest.Try(t, dir, "gpucachesim", converttest.AnyDevice)
		if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "someone") {
			t.Errorf("%s: %v, want %s", name, err, c.err)
		}
	}
}

func FuzzGpucachesimRecords(f *testing.F) {
	f.Add(converttest.GpucachesimKernel())
	f.Fuzz(func(t *testing.T, content []byte) {
		_ = gpucachesim.ReadRecords(bytes.NewReader(content), func(r *gpucachesim.Record) error {
			if len(r.Dst) > 64 || len(r.Src) > 64 || bits.OnesCount32(r.Mask) > len(r.Addrs) {
				t.Fatalf("%+v", r)
			}
			return nil
		})
	})
}

func FuzzGpucachesimCommands(f *testing.F) {
	f.Add(converttest.GpucachesimList)
	f.Fuzz(func(t *testing.T, text string) {
		_ = gpucachesim.ReadCommands(strings.NewReader(text), func(*gpucachesim.Command) error { return nil })
	})
}
