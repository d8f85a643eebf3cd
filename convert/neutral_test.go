package convert

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/replay/table"
	"gpureplay/replay/table/neutral"
	"gpureplay/samples"
	_ "gpureplay/samples/all"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// text returns the text form of a trace.
func text(t *testing.T, r *trace.Reader) string {
	t.Helper()
	var b strings.Builder
	if err := trace.WriteText(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// fromTables converts a folder of tables.
func fromTables(t *testing.T, dir string) (*trace.Reader, error) {
	t.Helper()
	in, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "again.trace.zst")
	if err := Run(context.Background(), in, "", target, anyDevice); err != nil {
		return nil, err
	}
	r, err := trace.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, nil
}

// thereAndBack exports a trace, converts the tables, and compares all that the
// two traces say.
func thereAndBack(t *testing.T, r *trace.Reader, format string) {
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
	if err := trace.Verify(again, func(err error) { t.Error(err) }); err != nil {
		t.Error(err)
	}
	got, want := strings.Split(text(t, again), "\n"), strings.Split(text(t, r), "\n")
	for i := range max(len(got), len(want)) {
		if at(got, i) != at(want, i) {
			t.Fatalf("line %d of the text form:\n got %q\nwant %q", i+1, at(got, i), at(want, i))
		}
	}
}

// everything is a trace with a bit of all that a trace can hold.
const everything = `trace 1
meta source="test" version="1.2" gpu="Some GPU" sm=80 sms=108 fidelity=kernel arrays="memcpy"
attr "a" "b, \"c\"\n"
attr "z" ""
diagnostic odd data_loss count=3 help="what, it means"
array A base=0x7f0000000000 bytes=4096 input
array A base=0x7f0000001000 bytes=8192 output
array "" base=0xfffffffffffff000 bytes=16
function f
  0000: S2R R1 class=int
  0010: LDG.E R2, R255, UR3, P1, UP7 class=memory space=global load width=4
  0020: STS class=memory space=shared store width=8
  0030: BAR class=barrier imm=18446744073709551615
  0040: LAUNCH class=devlaunch
  0050: UBLKCP class=memory space=global load bulk width=16
  0060: EXIT class=exit
function f
function "g h"
read 0 bytes=0
h2d 0 async stream=3 start=10 duration=5
h2d none bytes=12 addr=0x10
memset 1 bytes=100 addr=0x7f0000001010
launch 0 stream=18446744073709551615 host=0
record 4 stream=1
wait 4 stream=2
syncevent 4
syncstream 1
work 12345
spawn 2 in=10 out=20 arrival=7 syncs
spawn 3 deps=2 arrival=9
waittask 3
sync
d2h 1
write 1
`

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
		r, err := trace.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		t.Run(g.Name, func(t *testing.T) { thereAndBack(t, r, table.Parquet) })
	}
}

// So do real captures: a profiler's, at kernel fidelity, and a tracer's.
func TestTablesOfCaptures(t *testing.T) {
	for _, pattern := range []string{"nvprof-*/*.csv", "nsys-*/*.sqlite", "accelsim-rodinia-bfs-a100/kernelslist.g"} {
		paths, _ := filepath.Glob(filepath.Join(tracetest.Data(t), pattern))
		if len(paths) == 0 {
			t.Errorf("no capture %s", pattern)
			continue
		}
		rel, err := filepath.Rel(tracetest.Data(t), paths[0])
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Dir(rel), func(t *testing.T) { thereAndBack(t, runFile(t, rel), table.Parquet) })
	}
}
