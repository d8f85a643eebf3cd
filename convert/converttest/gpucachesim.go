package converttest

import (
	"bytes"

	"github.com/tinylib/msgp/msgp"
)

// GpucachesimList are the commands of the folder.
const GpucachesimList = `[{"MemAlloc":{"allocation_name":"a","device_ptr":4096,"num_bytes":1024,"fill_l2":"Auto"}},
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

// GpucachesimKernel has the warps of two CTAs mixed, an access with a stride,
// one without, and records outside the grid.
func GpucachesimKernel() []byte {
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
