package convert

import (
	"testing"

	"gpureplay/convert/gpucachesim"
	"gpureplay/convert/macsim"
	"gpureplay/convert/warps"
	"gpureplay/trace"
)

// body is a function's body that keeps its instructions in list.
func body(list *[]trace.Inst) *warps.Code {
	return warps.NewCode(func(in trace.Inst) uint32 {
		*list = append(*list, in)
		return uint32(len(*list) - 1)
	})
}

// A thread of a MacSim capture may access a single byte.
func TestMacsimByteAccess(t *testing.T) {
	load := uint8(0)
	for macsim.Opcode(load) != "LDG" {
		load++
	}
	for _, width := range []uint8{1, 2} {
		var insts []trace.Inst
		c := macsimCTA{r: &macsimReader{}, code: body(&insts)}
		s := macsim.Step{Record: macsim.Record{Opcode: load, Mask: 1, PC: 16, Addr: 0x1001, Size: width},
			Addrs: []uint64{0x1001}}
		var w trace.Warp
		if err := c.step(&w, &s); err != nil {
			t.Fatal(err)
		}
		if insts[0].Width != uint32(width) || len(w.Mem) != 1 || w.Mem[0] != (trace.Access{Base: 0x1001, Count: 1}) {
			t.Errorf("width %d, accesses %+v; want %d bytes at 0x1001", insts[0].Width, w.Mem, width)
		}
	}
}

// A record of gpucachesim accesses memory if it says so or is a load or a store, whatever its opcode.
func TestGpucachesimMemory(t *testing.T) {
	for _, x := range []struct {
		memory, load, store bool
		want                trace.Class
	}{
		{false, false, false, trace.ClassInt}, {true, false, false, trace.ClassMemory},
		{false, true, false, trace.ClassMemory}, {false, false, true, trace.ClassMemory},
	} {
		var insts []trace.Inst
		g := warps.New(t.TempDir(), 0)
		err := (&gpucachesimReader{}).record(g, body(&insts),
			&gpucachesim.Command{Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{32, 1, 1}},
			&gpucachesim.Record{WarpSize: 32, Opcode: "MOV", Space: "Shared", Memory: x.memory, Load: x.load,
				Store: x.store, Mask: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := insts[0].Class; got != x.want {
			t.Errorf("memory %v, load %v, store %v: class %d, want %d", x.memory, x.load, x.store, got, x.want)
		}
		g.Close()
	}
}
