package convert_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
	"gpureplay/trace/tracetest"

	"github.com/google/go-cmp/cmp"
)

// With room for a handful of records everything goes over files, and the trace
// is the same; the files are gone afterwards.
func TestMemoryDoesNotMatter(t *testing.T) {
	paths := converttest.Generated(t)
	for _, file := range []string{
		"kineto-hta/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz",
		"kineto-hta/trace_filter__sampled_rank-0.json.gz", "nsys-balinski-gomory-rtx3090/report23.sqlite",
		"nvprof-magus-gtx1080ti/traces_cudasdk_batchCUBLAS.csv", "gpucachesim-msgpack/traces",
	} {
		paths[file] = tracetest.Data(t, file)
	}
	for name, path := range paths {
		want, err := converttest.Try(t, path, "", converttest.AnyDevice)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		got, err := convertWith(t, path, convert.Options{Device: -1, Memory: 1, TempDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(converttest.Recording{})); diff != "" {
			t.Errorf("%s: %.600s", name, diff)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s: %d files left", name, len(left))
		}
	}
}

func convertWith(t testing.TB, path string, opt convert.Options) (*converttest.Recording, error) {
	t.Helper()
	in, err := convert.Open(path, nil)
	if err != nil {
		return nil, err
	}
	r := &converttest.Recording{}
	return r, convert.Convert(t.Context(), in, "", r, opt)
}

// The same capture gives the same bytes.
func TestDeterministic(t *testing.T) {
	for name, path := range converttest.Generated(t) {
		var first []byte
		for i := range 2 {
			in, err := convert.Open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			target := filepath.Join(t.TempDir(), "t.zst")
			if err := convert.Run(t.Context(), in, "", target, converttest.AnyDevice); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			content, err := os.ReadFile(target)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = content
			} else if !bytes.Equal(first, content) {
				t.Errorf("%s: two conversions differ", name)
			}
		}
	}
}

// A folder for temporary files that is not there is an error, once there is
// need of it.
func TestNoTempFolder(t *testing.T) {
	path := tracetest.Data(t, "kineto-hta/trace_filter__sampled_rank-0.json.gz")
	_, err := convertWith(t, path, convert.Options{Device: -1, Memory: 1, TempDir: "/does/not/exist"})
	if err == nil || !strings.Contains(err.Error(), "set TMPDIR") {
		t.Errorf("%v", err)
	}
}

// Each device of a capture becomes a trace of its own; the sum is the whole.
func TestDevices(t *testing.T) {
	var events []string
	for i := range 30 {
		device := i % 3
		events = append(events,
			fmt.Sprintf(`{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":%d,"tid":1,"ts":%d,"dur":1,`+
				`"args":{"correlation":%d}}`, 100+device, 10*i, i/3+1),
			fmt.Sprintf(`{"ph":"X","cat":"kernel","name":"k%d","pid":%d,"tid":7,"ts":%d,"dur":1,"args":{"correlation":%d,`+
				`"grid":[1,1,1],"block":[32,1,1]}}`, device, device, 10*i+2, i/3+1))
	}
	path := converttest.Put(t, t.TempDir(), "k.json", `{"traceEvents":[`+strings.Join(events, ",")+`]}`)
	for device := range 3 {
		r, err := convertWith(t, path, convert.Options{Device: device})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Kernels) != 10 || len(r.Functions) != 1 || r.Functions[0].Name != fmt.Sprint("k", device) ||
			r.Kernels[0].Device != uint32(device) {
			t.Errorf("device %d: %d kernels of %v", device, len(r.Kernels), r.Functions)
		}
		for i := range r.Kernels { // one correlation id names the calls of all three processes
			if at := r.Kernels[i].Recorded; at.StartNs-at.HostNs != 2000 {
				t.Errorf("device %d, kernel %d: %+v", device, i, *at)
			}
		}
		if r.Diag("other_devices") != 20 {
			t.Errorf("%v", r.Diags)
		}
	}
	if _, err := convertWith(t, path, convert.Options{Device: 9}); err == nil ||
		!strings.Contains(err.Error(), "no activity of device 9; the capture has devices [0 1 2]") {
		t.Errorf("%v", err)
	}
}
