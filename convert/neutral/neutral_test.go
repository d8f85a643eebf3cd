package neutral_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
	"gpureplay/replay/table"
	"gpureplay/replay/table/neutral"
	"gpureplay/samples"
	_ "gpureplay/samples/all"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// fromTables converts a folder of tables.
func fromTables(t *testing.T, dir string) (*container.Reader, error) {
	t.Helper()
	in, err := convert.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "again.trace.zst")
	if err := convert.Run(context.Background(), in, "", target, converttest.AnyDevice); err != nil {
		return nil, err
	}
	r, err := container.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, nil
}

// thereAndBack exports a trace, converts the tables, and compares all that the
// two traces say.
func thereAndBack(t *testing.T, r *container.Reader, format string) {
	t.Helper()
	dir := t.TempDir()
	done, err := neutral.Export(context.Background(), r, dir, format, []table.KeyValue{{Key: "trace", Value: t.Name()}})
	if err != nil {
		t.Fatal(err)
	}
	if done.Dropped > 0 {
		t.Errorf("%d host operations lost a value", done.Dropped)
	}
	again, err := fromTables(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := container.Verify(t.Context(), again, func(err error) { t.Error(err) }); err != nil {
		t.Error(err)
	}
	got, want := strings.Split(tracetest.Text(t, again), "\n"), strings.Split(tracetest.Text(t, r), "\n")
	for i := range max(len(got), len(want)) {
		if converttest.LineAt(got, i) != converttest.LineAt(want, i) {
			t.Fatalf("line %d of the text form:\n got %q\nwant %q", i+1, converttest.LineAt(got, i), converttest.LineAt(want, i))
		}
	}
}

// smallSamples are the generators whose traces are small enough, and how they
// are made so.
var smallSamples = map[string][]string{
	"dp-bfs": {"scale=7"}, "dp-amr": {"side=4", "sync=yes"}, "tasks-slud": {"tiles=3"}, "tasks-mm": {"tasks=8", "n=16"},
	"bfs": {"nodes=500"}, "stn": {"nx=32", "ny=8", "nz=4", "kernels=2"}, "matmul": {"m=32", "n=32", "k=32"}, "walk": nil,
}

// everythingTrace has a bit of all that a trace can hold.
func everythingTrace(t *testing.T) *container.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := container.NewWriter(&out, container.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ok := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	w.SetMeta(trace.Meta{Source: "test", SourceVersion: "1.2", GPU: "Some \"GPU\", é", SMVersion: 80, SMs: 108,
		Fidelity:   trace.FidelityKernel,
		ArraysFrom: "memcpy", Attrs: []trace.Attr{{Key: "a", Value: "b, \"c\"\n"}, {Key: "z"}}})
	w.Diagnose(trace.Diagnostic{Name: "odd", Severity: trace.DataLoss, Count: 1 << 60, Help: "what, it means"})
	w.AddArray(trace.Array{Name: "A", Base: 0x7f0000000000, Bytes: 4096, Flags: trace.ArrayInput})
	w.AddArray(trace.Array{Name: "A", Base: 0x7f0000001000, Bytes: 8192, Flags: trace.ArrayOutput})
	w.AddArray(trace.Array{Base: math.MaxUint64 - 15, Bytes: 15})
	f := w.AddFunction("f")
	w.AddFunction("f") // the same name, no instruction
	w.AddFunction("=SUM(A1:A9)")
	w.AddScope(trace.Scope{Name: "ProfilerStep#1"})
	w.AddScope(trace.Scope{Name: "-'forward', \"x\"", In: 1})
	w.AddScope(trace.Scope{Name: "'=", In: 2})
	for _, in := range []trace.Inst{
		{Opcode: "S2R", Class: trace.ClassInt, Dst: []trace.Reg{1}},
		{PC: 16, Opcode: "LDG.E", Class: trace.ClassMemory, Space: trace.SpaceGlobal,
			Flags: trace.InstLoad | trace.InstBypassL1, Width: 4,
			Dst: []trace.Reg{2}, Src: []trace.Reg{255, trace.RegUniform | 3, trace.RegUniformPredicate | 7}},
		{PC: 32, Opcode: "BAR", Class: trace.ClassBarrier, Imm: math.MaxUint64},
		{PC: 48, Opcode: "LAUNCH", Class: trace.ClassLaunch},
		{PC: 64, Opcode: "UBLKCP", Class: trace.ClassMemory, Space: trace.SpaceShared,
			Flags: trace.InstStore | trace.InstBulk, Width: 16},
		{PC: 64, Opcode: "ATOM", Class: trace.ClassMemory, Space: trace.SpaceGlobal,
			Flags: trace.InstAtomic | trace.InstLoad, Width: 8},
	} {
		w.AddInst(f, in)
	}
	for _, op := range []trace.HostOp{
		{Kind: trace.OpFileRead, Array: 0, Bytes: 0},
		{Kind: trace.OpCopyH2D, Array: 0, Bytes: 4096, Addr: 0x7f0000000000, Async: true, Stream: 3, Scope: 2,
			Recorded: &trace.Recorded{HostNs: -1, StartNs: 10, DurationNs: 5}},
		{Kind: trace.OpCopyD2D, Array: trace.NoArray, Bytes: math.MaxUint64, Addr: 16},
		{Kind: trace.OpLaunch, Kernel: 0, Array: trace.NoArray, Stream: math.MaxUint64, Scope: 3,
			Recorded: &trace.Recorded{HostNs: 0, StartNs: -1, DurationNs: -1}},
		{Kind: trace.OpEventRecord, Event: 4, Stream: 1}, {Kind: trace.OpStreamWait, Event: 4, Stream: 2},
		{Kind: trace.OpSyncEvent, Event: 4},
		{Kind: trace.OpSyncStream, Stream: 1}, {Kind: trace.OpHostWork, Ns: 12345},
		{Kind: trace.OpSpawn, Kernel: 1, InBytes: 10, OutBytes: 20, ArrivalNs: 7, Sync: true, Scope: 1},
		{Kind: trace.OpSpawn, Kernel: 2, Deps: []uint32{1}, Array: trace.NoArray},
		{Kind: trace.OpWaitTask, Kernel: 2}, {Kind: trace.OpSyncDevice}, {Kind: trace.OpCopyD2H, Array: 1, Bytes: 3},
		{Kind: trace.OpFileWrite, Array: 1, Bytes: 8192},
	} {
		ok(w.Host(&op))
	}
	begin := func(k trace.Kernel) {
		_, err := w.BeginKernel(&k)
		ok(err)
	}
	begin(trace.Kernel{Function: f, Fidelity: trace.FidelityWarp, Grid: trace.Dim3{2, 3, 4}, Block: trace.Dim3{33, 1, 1},
		Cluster: trace.Dim3{2, 1, 1}, Registers: 32, SharedBytes: 1, LocalBytes: 2,
		Stream: math.MaxUint64, SharedBase: 1 << 40, LocalBase: 2 << 40,
		Device: 3, Scope: 3, Recorded: &trace.Recorded{HostNs: 1, StartNs: 2, DurationNs: 3}})
	ok(w.WriteCTA(&trace.CTA{ID: 0, SM: 7, Ranges: []trace.Range{}}))
	ok(w.WriteCTA(&trace.CTA{ID: 5, SM: -1,
		Ranges: []trace.Range{{Array: 1, Mode: trace.ReadWrite, Lo: 0, Hi: 8}, {Array: 2, Mode: trace.Write, Lo: 1, Hi: 1}},
		Warps: []trace.Warp{{ID: 0}, {
			ID: 1, Path: []uint32{0, 1, 1, 4, 5, 3, 2},
			Masks: []trace.MaskRun{{At: 0, Mask: 7}, {At: 2, Mask: 0}, {At: 4, Mask: 5}, {At: 5, Mask: 1}},
			Mem: []trace.Access{{List: 1, Count: 3}, {},
				{Base: math.MaxUint64 - 7, Stride: math.MinInt32, Count: 40}, {Base: 3, Stride: -1, Count: 2}},
			Lists: []uint64{9, 5, math.MaxUint64},
			Launches: []trace.Launch{{At: 5, Lane: 0, Marked: true, Child: 3, Workload: 5, ParamBytes: 8},
				{At: 5, Lane: 31, SharedSWQ: true, Child: 4}},
		}}}))
	ok(w.EndKernel(trace.KernelIrregular))
	begin(trace.Kernel{Function: f + 1, Fidelity: trace.FidelityCTA, Grid: trace.Dim3{9, 1, 1},
		Block: trace.Dim3{32, 1, 1},
		Flags: trace.KernelTask})
	ok(w.WriteCTA(&trace.CTA{ID: 8, SM: 0, Touches: []trace.Range{{Array: 0, Mode: trace.Read, Lo: 0, Hi: 4096}}}))
	ok(w.EndKernel(0))
	begin(trace.Kernel{Function: f + 1, Fidelity: trace.FidelityNone, Flags: trace.KernelTask})
	ok(w.EndKernel(0))
	for range 2 {
		begin(trace.Kernel{Function: f, Fidelity: trace.FidelityKernel, Grid: trace.Dim3{1, 1, 1},
			Block: trace.Dim3{1, 1, 1}})
		ok(w.EndKernel(trace.KernelChild))
	}
	begin(trace.Kernel{Function: f, Fidelity: trace.FidelityCTA, Grid: trace.Dim3{9, 1, 1}, Block: trace.Dim3{70, 1, 1}})
	ok(w.WriteCTA(&trace.CTA{ID: 3, SM: -1, Counts: []trace.Count{{Inst: 0, Times: 1}, {Inst: 4, Times: trace.MaxTimes}}}))
	ok(w.WriteCTA(&trace.CTA{ID: 4, SM: -1, Counts: []trace.Count{{Inst: 5, Times: 3}},
		Touches: []trace.Range{{Array: 0, Mode: trace.Read, Lo: 0, Hi: 4096}}}))
	ok(w.EndKernel(0))
	ok(w.Close())
	return tracetest.Read(t, out.Bytes())
}

// Values of every kind, at the ends of their ranges, survive both formats.
func TestTablesEverything(t *testing.T) {
	for _, format := range neutral.Formats() {
		t.Run(format, func(t *testing.T) { thereAndBack(t, everythingTrace(t), format) })
	}
}

// Every sample generator's trace survives export and conversion.
func TestTablesOfSamples(t *testing.T) {
	for _, g := range samples.List() {
		params, ok := smallSamples[g.Name]
		if !ok {
			continue
		}
		path := filepath.Join(t.TempDir(), "s.trace.zst")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Write(f, params...); err != nil {
			t.Fatalf("%s: %v", g.Name, err)
		}
		f.Close()
		r, err := container.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		t.Run(g.Name, func(t *testing.T) { thereAndBack(t, r, table.Parquet) })
	}
}

// So do real captures: a profiler's, at kernel fidelity, and a tracer's.
func TestTablesOfCaptures(t *testing.T) {
	for _, pattern := range []string{"nvprof-*/*.csv", "nsys-*/*.sqlite", "kineto-hta/critical_path__alexnet*",
		"accelsim-rodinia-bfs-a100/kernelslist.g"} {
		paths, _ := filepath.Glob(filepath.Join(tracetest.Data(t), pattern))
		if len(paths) == 0 {
			t.Errorf("no capture %s", pattern)
			continue
		}
		rel, err := filepath.Rel(tracetest.Data(t), paths[0])
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Dir(rel), func(t *testing.T) {
			thereAndBack(t, converttest.Trace(t, tracetest.Data(t, rel)),
				table.Parquet)
		})
	}
}
