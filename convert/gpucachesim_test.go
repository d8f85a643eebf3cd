package convert

import (
	"bytes"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/tinylib/msgp/msgp"

	"gpureplay/convert/gpucachesim"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// The capture beside its CUDA source: four kernels of one warp; 4, 5, 2 and 2
// instructions; fourteen allocations, each filled by a copy.
func TestGpucachesimCapture(t *testing.T) {
	r := capture(t, tracetest.Data(t, "gpucachesim-msgpack", "traces"), anyDevice)
	r.check(t)
	var insts []int
	for i := range r.kernels {
		if len(r.ctas[i]) != 1 || len(r.ctas[i][0].Warps) != 1 || r.ctas[i][0].SM != 0 {
			t.Fatalf("kernel %d: %+v", i, r.ctas[i])
		}
		insts = append(insts, len(r.ctas[i][0].Warps[0].Path))
	}
	if fmt.Sprint(insts) != "[4 5 2 2]" || len(r.arrays) != 14 || r.count(trace.OpCopyH2D) != 14 ||
		r.count(trace.OpLaunch) != 4 {
		t.Errorf("%v instructions, %d arrays, %d copies, %d launches", insts, len(r.arrays), r.count(trace.OpCopyH2D),
			r.count(trace.OpLaunch))
	}
	// if (tid < 16) { ...; if (tid < 8) ... }: the upper half leaves, then lanes 8 to 15, then the rest.
	masks := r.ctas[0][0].Warps[0].Masks
	if fmt.Sprint(masks) != "[{0 4294967295} {1 4294901760} {2 65280} {3 255}]" {
		t.Errorf("masks %v", masks)
	}
	for _, a := range r.arrays {
		if a.Flags != trace.ArrayInput {
			t.Errorf("%+v is no input", a)
		}
	}
	for _, op := range r.ops {
		if op.Kind == trace.OpCopyH2D &&
			(op.Array == trace.NoArray || r.arrays[op.Array].Base != op.Addr || r.arrays[op.Array].Bytes != op.Bytes) {
			t.Errorf("%+v is into no array", op)
		}
	}
}

const gpucachesimList = `[{"MemAlloc":{"allocation_name":"a","device_ptr":4096,"num_bytes":1024,"fill_l2":"Auto"}},
{"MemAlloc":{"allocation_name":null,"device_ptr":4608,"num_bytes":2048}},
{"MemcpyHtoD":{"allocation_name":null,"dest_device_addr":4096,"num_bytes":512}},{"Prefetch":{"x":1}},
{"KernelLaunch":{"mangled_name":"_Z1kPf","unmangled_name":"k(float*)","trace_file":"/home/someone/kernel-0.msgpack",` +
	`"id":0,
"grid":{"x":2,"y":2,"z":1},"block":{"x":64,"y":1,"z":1},"shared_mem_bytes":256,"num_registers":12,` +
	`"binary_version":80,"stream_id":3,
"shared_mem_base_addr":1,"local_mem_base_addr":2,"nvbit_version":"1.7","device_properties":{"warp_size":null}}}]`

// packed is one record in MessagePack, as the tracer writes it: with the device
// and the thread indices if full.
func packed(full bool, sm uint32, block [3]uint32, warp uint32, opcode string, pc uint32, space string, load,
	store bool, mask uint32,
	addr func(lane int) uint64) []byte {
	var b []byte
	fields := uint32(24)
	if full {
		fields = 26
	}
	b = msgp.AppendUint64(msgp.AppendArrayHeader(b, fields), 7)
	if full {
		b = msgp.AppendUint32(b, 0)
	}
	b = msgp.AppendUint64(msgp.AppendUint32(b, sm), 0)
	b = msgp.AppendArrayHeader(b, 3)
	for _, x := range block {
		b = msgp.AppendUint32(b, x)
	}
	for _, v := range []uint32{9, warp, 32, 1, 4} {
		b = msgp.AppendUint32(b, v)
	}
	b = msgp.AppendUint32(msgp.AppendUint32(msgp.AppendString(b, opcode), pc), 1)
	b = msgp.AppendBool(msgp.AppendBool(msgp.AppendInt(msgp.AppendArrayHeader(b, 3), 0), false), false)
	b = msgp.AppendString(b, space)
	for _, v := range []bool{load || store, load, store, false} {
		b = msgp.AppendBool(b, v)
	}
	b = msgp.AppendUint32(msgp.AppendUint32(msgp.AppendArrayHeader(b, 1), 5), 1)
	b = msgp.AppendArrayHeader(b, 5)
	for i := range uint32(5) {
		b = msgp.AppendUint32(b, 10+i)
	}
	b = msgp.AppendUint32(msgp.AppendUint32(b, 2), mask)
	b = msgp.AppendArrayHeader(b, 32)
	for lane := range 32 {
		b = msgp.AppendUint64(b, addr(lane))
	}
	if full {
		b = msgp.AppendArrayHeader(b, 0)
	}
	return b
}

// gpucachesimKernel has the warps of two CTAs mixed, an access with a stride,
// one without, and records outside the grid.
func gpucachesimKernel() []byte {
	none := func(int) uint64 { return 0 }
	records := [][]byte{
		packed(true, 3, [3]uint32{1, 1, 0}, 1, "LDG.E.64", 16, "Global", true, false, 0xf0, func(l int) uint64 {
			return 4096 + 8*uint64(l)
		}),
		packed(true, 2, [3]uint32{0, 0, 0}, 0, "MOV", 8, "None", false, false, 1<<32-1, none),
		packed(false, 3, [3]uint32{1, 1, 0}, 1, "STS", 24, "Shared", false, true, 7, func(l int) uint64 {
			return uint64(l * l)
		}),
		packed(true, 3, [3]uint32{1, 1, 0}, 0, "FROB.X", 32, "None", false, false, 1, none),
		packed(true, 3, [3]uint32{2, 0, 0}, 0, "MOV", 8, "None", false, false, 1, none),
		packed(true, 3, [3]uint32{0, 0, 0}, 2, "MOV", 8, "None", false, false, 1, none),
		packed(true, 2, [3]uint32{0, 0, 0}, 0, "LDC", 40, "Constant", true, false, 1, func(int) uint64 { return 99 }),
	}
	return append(msgp.AppendArrayHeader(nil, uint32(len(records))), bytes.Join(records, nil)...)
}

func TestGpucachesimRecords(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "commands.json", gpucachesimList)
	put(t, dir, "kernel-0.msgpack", string(gpucachesimKernel()))
	r := capture(t, dir, anyDevice)
	r.check(t)
	if len(r.ctas[0]) != 2 || r.ctas[0][0].ID != 0 || r.ctas[0][0].SM != 2 || r.ctas[0][1].ID != 3 ||
		r.ctas[0][1].SM != 3 {
		t.Fatalf("%+v", r.ctas[0])
	}
	code := r.functions[0].Insts
	w := r.ctas[0][1].Warps[1]
	if w.ID != 1 || len(w.Path) != 2 || code[w.Path[0]].Width != 8 || code[w.Path[0]].Space != trace.SpaceGlobal ||
		code[w.Path[1]].Space != trace.SpaceShared {
		t.Fatalf("%+v of %+v", w, code)
	}
	if w.Mem[0] != (trace.Access{Base: 4096 + 32, Stride: 8, Count: 4}) || w.Mem[1].Count != 3 ||
		fmt.Sprint(w.Lists) != "[0 1 4]" {
		t.Errorf("%+v %v", w.Mem, w.Lists)
	}
	if c := r.ctas[0][0].Warps[0]; c.Mem[0].Count != 0 { // constant space
		t.Errorf("%+v", c.Mem)
	}
	if fmt.Sprint(code[w.Path[0]].Dst, code[w.Path[0]].Src) != "[R5] [R10 R11]" {
		t.Errorf("registers %v %v", code[w.Path[0]].Dst, code[w.Path[0]].Src)
	}
	for name, n := range map[string]uint64{"record_outside_grid": 2, "unknown_opcode": 1, "overlapping_allocation": 1,
		"unknown_command": 1} {
		if r.diag(name) != n {
			t.Errorf("%s: %d, want %d", name, r.diag(name), n)
		}
	}
	if len(r.arrays) != 1 || r.arrays[0].Bytes != 2560 || r.meta.SourceVersion != "NVBit 1.7" {
		t.Errorf("%+v %+v", r.arrays, r.meta)
	}
}

func TestGpucachesimMalformed(t *testing.T) {
	kernel := string(gpucachesimKernel())
	for name, c := range map[string]struct{ list, kernel, err string }{
		"no file":    {list: gpucachesimList, err: "kernel-0.msgpack"},
		"cut short":  {list: gpucachesimList, kernel: kernel[:300], err: "record 3 of 7: the file is cut short"},
		"wrong type": {list: gpucachesimList, kernel: "\xc0", err: "kernel-0.msgpack"},
		"huge count": {list: gpucachesimList, kernel: "\xdd\xff\xff\xff\xff", err: "record 1 of 4294967295"},
		"few fields": {list: gpucachesimList, kernel: "\x91\x91\x01", err: "1 fields, where gpucachesim writes 24 to 26"},
		"long string": {list: gpucachesimList,
			kernel: "\x91\xdc\x00\x18\x01\x01\x01\x93\x01\x01\x01\x01\x01\x20\x01\x01\xdb\x7f\xff\xff\xff",
			err:    "record 1 of 1"},
		"negative size": {list: strings.Replace(gpucachesimList, "1024", "-1", 1), err: "commands.json: offset"},
		"no array":      {list: `{"MemAlloc":1}`, err: "commands.json is an array"},
		"no grid": {list: strings.Replace(gpucachesimList, `"x":2,"y":2`, `"x":0,"y":2`, 1), kernel: kernel,
			err: "a grid of"},
	} {
		dir := t.TempDir()
		put(t, dir, "commands.json", c.list)
		if c.kernel != "" {
			put(t, dir, "kernel-0.msgpack", c.kernel)
		}
		_, err := tryConvert(t, dir, "gpucachesim", anyDevice)
		if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "someone") {
			t.Errorf("%s: %v, want %s", name, err, c.err)
		}
	}
}

func FuzzGpucachesimRecords(f *testing.F) {
	f.Add(gpucachesimKernel())
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
	f.Add(gpucachesimList)
	f.Fuzz(func(t *testing.T, text string) {
		_ = gpucachesim.ReadCommands(strings.NewReader(text), func(*gpucachesim.Command) error { return nil })
	})
}
