package neutral

import (
	"io"
	"maps"
	"path/filepath"
	"testing"

	"gpureplay/replay/table"
	"gpureplay/trace/tracetest"
)

// oneOfEach is a trace with rows in every table.
const oneOfEach = `meta source="s" fidelity=warp
attr "driver" "1"
attr "host" "h"
diagnostic odd info count=3 help="three odd ones"
diagnostic lost data_loss count=1
scope step
array a bytes=4K input
h2d a
memset a 64 stream=2
launch k grid=2 block=64 scope=0
cta 0
 range a read 0..512
 warp 0
  load R2 <- R1 @a+4
  int x3
  devlaunch
  child 1 lane=0 work=4
  exit
 warp 1
  load R2 <- R1 @a[32]+4
  exit
cta 1
 warp 0
  store <- R1 R2 @a+4 mask=0000ffff
  exit
kernel c child block=32
cta 0
 warp 0
  exit
launch n grid=1 block=32 fidelity=cta
cta 0
 count int x7
sync
work 1000
spawn t grid=1 block=32 arrival=50 in=1K
cta 0
 warp 0
  exit
waittask 3
d2h a
`

// The rows of an export, counted in the text above: warps of 6, 2, 2, 1 and 1 steps.
func TestRowsOfEveryTable(t *testing.T) {
	r, dir := tracetest.FromText(t, oneOfEach), t.TempDir()
	done, err := Export(t.Context(), r, dir, table.Parquet, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]uint64{"trace": 1, "attributes": 2, "diagnostics": 2, "scopes": 1, "arrays": 1, "functions": 4,
		"instructions": 8, "copies": 3, "tasks": 1, "calls": 5, "ctas": 5, "ranges": 1, "counts": 1, "warps": 5,
		"steps": 12, "accesses": 3, "launches": 1, "kernels": 4}
	if !maps.Equal(done.Rows, want) || done.Dropped != 0 {
		t.Errorf("%v, %d dropped, want %v", done.Rows, done.Dropped, want)
	}
	for name, n := range want {
		if got := uint64(len(column(t, dir, name, ""))); got != n {
			t.Errorf("%s has %d rows, want %d", name, got, n)
		}
	}
	for _, c := range []struct {
		table, column string
		want          []string
	}{
		{"copies", "kind", []string{"h2d", "memset", "d2h"}},
		{"copies", "bytes", []string{"4096", "64", "4096"}},
		{"calls", "kind", []string{"launch", "launch", "sync", "work", "waittask"}},
		{"warps", "steps", []string{"6", "2", "2", "1", "1"}},
		{"diagnostics", "count", []string{"3", "1"}},
		{"accesses", "lanes", []string{"32", "32", "16"}},
		{"counts", "executions", []string{"7"}},
		{"tasks", "in_bytes", []string{"1024"}},
	} {
		got := column(t, dir, c.table, c.column)
		for i := range max(len(got), len(c.want)) {
			if i >= len(got) || i >= len(c.want) || got[i] != c.want[i] {
				t.Errorf("%s, %s: %q, want %q", c.table, c.column, got, c.want)
				break
			}
		}
	}
}

// column returns the cells of a column as text; of "" a text for each row.
func column(t *testing.T, dir, name, column string) (cells []string) {
	t.Helper()
	r, err := table.OpenReader(filepath.Join(dir, name+".parquet"), table.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return cells
		}
		if err != nil {
			t.Fatal(err)
		}
		for row := range b.Rows {
			text := ""
			if column != "" {
				text, _ = b.Column(column).Text(row)
			}
			cells = append(cells, text)
		}
	}
}
