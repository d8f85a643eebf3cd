package model

import (
	"errors"
	"io"
	"maps"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory/coalesce"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"

	_ "gpureplay/samples/all"
)

// The footprint of a kernel has the sectors of its accesses, those that it writes marked: of runs, strides of both
// signs, and lists.
func TestFootprintHasTheSectorsOfAccesses(t *testing.T) {
	strides := tracetest.FromText(t, "array a bytes=1M\nlaunch k grid=2 block=64\ncta 0..1\nwarp 0..1\n"+
		"load R1 @a+4 cta=4096 warp=128\nload R1 @a[65536]-96 cta=64\nstore R1 @a[8192]+100 warp=32768\n"+
		"atomic R1 mask=00000003 @0x100000000,0x100080010\nexit\n")
	for name, r := range map[string]*container.Reader{
		"strides": strides, "stencil": samplestest.Trace(t, "stn", "kernels=1", "nx=32", "ny=32", "nz=8"),
		"lists": samplestest.Trace(t, "bfs", "nodes=512"),
	} {
		m := &core{tr: r, prog: r.Program()}
		for id := range r.Kernels() {
			f, err := m.footprint(uint32(id))
			if err != nil {
				t.Fatal(err)
			}
			got, want := map[uint64]bool{}, sectorsOf(t, r, uint32(id))
			for _, p := range f.pages {
				for i := range 64 {
					if p.touched>>i&1 != 0 {
						got[p.page<<6+uint64(i)] = p.written>>i&1 != 0
					}
				}
			}
			if !maps.Equal(got, want) || len(want) == 0 || f.bytes() != uint64(len(want))<<hardware.SectorShift {
				t.Errorf("%s, kernel %d: %d sectors, %d bytes, for %d", name, id, len(got), f.bytes(), len(want))
			}
		}
	}
}

// sectorsOf are the sectors of global memory that a coalescer finds in a kernel's accesses: whether they are written.
func sectorsOf(t *testing.T, r *container.Reader, kernel uint32) map[uint64]bool {
	t.Helper()
	var k trace.Kernel
	ctas, err := r.CTAs(kernel, 0)
	if err == nil {
		err = r.Kernel(kernel, &k)
	}
	sectors, co := map[uint64]bool{}, coalesce.New("")
	for c := new(trace.CTA); err == nil; {
		if err = ctas.Next(c); err != nil {
			break
		}
		for i := range c.Warps {
			for in, a := range c.Warps[i].Accesses(r.Program().Functions[k.Function].Insts) {
				co.Coalesce(a, c.Warps[i].Lists, uint64(in.Width))
				for _, s := range co.Sectors {
					if in.Space == trace.SpaceGlobal {
						sectors[s] = sectors[s] || in.Flags&(trace.InstStore|trace.InstAtomic) != 0
					}
				}
			}
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return sectors
}
