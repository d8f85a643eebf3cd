package rocprof_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/convert/rocprof"
	"gpureplay/trace"
)

func TestRocprofFormsAgree(t *testing.T) {
	for name, path := range map[string]string{
		"rocpd": converttest.Database(t, converttest.RocpdStory...), "json": converttest.Put(t, t.TempDir(),
			"77_results.json", converttest.RocprofJSON),
		"csv": converttest.RocprofTablesIn(t),
	} {
		r := converttest.Read(t, path, converttest.AnyDevice)
		r.Check(t)
		var got []string
		for _, op := range r.Ops {
			line := fmt.Sprintf("%s stream %d %d bytes async %v %d ns", converttest.OpNames[op.Kind], op.Stream, op.Bytes,
				op.Async, op.Ns)
			if op.Recorded != nil {
				line += fmt.Sprintf(" %+v", *op.Recorded)
			}
			got = append(got, line)
		}
		want := []string{
			"copy_h2d stream 3 4000 bytes async true 10 ns {HostNs:0 StartNs:500 DurationNs:100}",
			"host_work stream 0 0 bytes async false 10 ns",
			"launch stream 3 0 bytes async false 10 ns {HostNs:20 StartNs:1000 DurationNs:500}",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		k := r.Kernels[0]
		if k.Grid != (trace.Dim3{16, 1, 1}) || k.Block != (trace.Dim3{64, 1, 1}) || k.Registers != 24 ||
			k.SharedBytes != 512 ||
			k.LocalBytes != 16 {
			t.Errorf("%s: %+v", name, k)
		}
		if r.Functions[k.Function].Name != "scale(float*)" || r.Meta.GPU != "AMD Instinct MI210" {
			t.Errorf("%s: %q on %q", name, r.Functions[k.Function].Name, r.Meta.GPU)
		}
		mi210 := trace.Machine{
			Name: "AMD Instinct MI210", Architecture: "gfx90a", SMs: 104, ClockHz: 1700e6, WarpSize: 64, WarpsPerSM: 32,
			SharedBytesPerSM: 65536,
		}
		if got := r.Meta.Machine(); got != mi210 {
			t.Errorf("%s: captured on %+v", name, got)
		}
		if name == "json" && r.Diag("page_fault") != 1 {
			t.Errorf("%v", r.Diags)
		}
	}
}

// In rocmProfileData the bytes of a copy are in a table of their own, by its call. A reader holds as many calls and as
// many sizes as its bound allows; later copies have no bytes.
func TestRPDCopies(t *testing.T) {
	for _, c := range []struct {
		holds int
		sizes string
		want  []uint64
	}{
		{1 << 20, "(2, 4096), (3, 512)", []uint64{4096, 512}},
		{3, "(2, 4096), (3, 512)", []uint64{4096, 512}},
		{2, "(2, 4096), (3, 512)", []uint64{4096, 0}},                 // the third call is one too many
		{3, "(8, 1), (9, 1), (2, 4096), (3, 512)", []uint64{4096, 0}}, // the fourth size is
	} {
		rocprof.Hold(t, c.holds)
		path := converttest.Database(t, append(slices.Clone(converttest.RpdStory),
			`INSERT INTO rocpd_string VALUES (4, 'hipMemcpyAsync'), (5, 'CopyHostToDevice'), (6, '')`,
			`INSERT INTO rocpd_api VALUES (2, 7, 7, 3000, 3100, 4, 0), (3, 7, 7, 4000, 4100, 4, 0)`,
			`INSERT INTO rocpd_op VALUES (2, 0, 2, 1, 3200, 3300, 6, 5), (3, 0, 2, 2, 4200, 4300, 6, 5)`,
			`INSERT INTO rocpd_api_ops VALUES (2, 2, 2), (3, 3, 3)`,
			`INSERT INTO rocpd_copyapi VALUES `+c.sizes)...)
		var bytes []uint64
		for _, op := range converttest.Read(t, path, converttest.AnyDevice).Ops {
			if op.Kind == trace.OpCopyH2D {
				bytes = append(bytes, op.Bytes)
			}
		}
		if !slices.Equal(bytes, c.want) {
			t.Errorf("%d entries of %s: copies of %d bytes, want %d", c.holds, c.sizes, bytes, c.want)
		}
	}
}

// In rocmProfileData the name of a kernel is an entry of the strings, which may lack it.
func TestRPDNames(t *testing.T) {
	for change, want := range map[string]uint64{
		"SELECT 1": 0, "DELETE FROM rocpd_string WHERE id = 3": 1, "UPDATE rocpd_string SET string = '' WHERE id = 3": 1,
	} {
		path := converttest.Database(t, append(slices.Clone(converttest.RpdStory), change)...)
		if n := converttest.Read(t, path, converttest.AnyDevice).Diag("kernel_without_name"); n != want {
			t.Errorf("%s: %d kernels without a name, want %d", change, n, want)
		}
	}
}

func TestRocprofMalformed(t *testing.T) {
	for name, c := range map[string]struct{ text, err, diag string }{
		"cut short": {text: converttest.RocprofJSON[:900], err: "the input ends inside a value"},
		"no times": {text: strings.ReplaceAll(converttest.RocprofJSON, "start_timestamp", "when"),
			diag: "record_without_time"},
		"no symbols": {text: strings.ReplaceAll(converttest.RocprofJSON, "kernel_symbols", "other"),
			diag: "kernel_without_name"},
		"no agents": {text: strings.ReplaceAll(converttest.RocprofJSON, `"agents"`, `"other"`), diag: "host_copy"},
		"wrong types": {text: `{"rocprofiler-sdk-tool":[{"agents":7,"buffer_records":{"kernel_dispatch":[1,"a"]}}]}`,
			diag: "bad_value"},
		"zero groups": {text: strings.ReplaceAll(converttest.RocprofJSON, `"x":64`, `"x":0`), diag: "kernel_without_grid"},
	} {
		r, err := converttest.Try(t, converttest.Put(t, t.TempDir(), "r.json", c.text), "rocprof", converttest.AnyDevice)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		default:
			if r.Check(t); r.Diag(c.diag) == 0 {
				t.Errorf("%s: no %s in %v", name, c.diag, r.Diags)
			}
		}
	}
	if _, err := converttest.TryText(t, "rocprof", converttest.RocprofJSON); err == nil || !strings.Contains(err.Error(),
		"read more than once") {
		t.Errorf("from standard input: %v", err)
	}
}

func FuzzRocprofJSON(f *testing.F) {
	f.Add(converttest.RocprofJSON)
	path := filepath.Join(f.TempDir(), "r.json")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := converttest.Try(t, path, "rocprof", converttest.AnyDevice); err == nil {
			r.Check(t)
		}
	})
}

func FuzzRocprofTable(f *testing.F) {
	f.Add(converttest.RocprofTables["77_kernel_trace.csv"])
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := converttest.TryText(t, "rocprof", text); err == nil {
			r.Check(t)
		}
	})
}
