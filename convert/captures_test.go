package convert_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/trace/tracetest"
)

var update = flag.Bool("update", false, "write the golden summaries anew")

// captureSet is files of one format.
type captureSet struct {
	format   string
	patterns []string
}

func (c *captureSet) paths(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range c.patterns {
		found, err := filepath.Glob(filepath.Join(tracetest.Data(t), pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d captures like %s, %v", c.format, len(found), pattern, err)
		}
		paths = append(paths, found...)
	}
	return paths
}

// captures are the real captures by format.
var captures = []captureSet{
	{"kineto", []string{"kineto-*/*.gz", "captures-more/*trace.json*"}},
	{"nsys", []string{"nsys-*/*.sqlite", "captures-more/gaussian3.sqlite", "captures-more/testcuda.sqlite"}},
	{"nvprof", []string{"nvprof-*/*.csv"}},
	{"rocprof", []string{"captures-more/rocprofv3-*/*_kernel_trace.csv", "captures-more/*.rpd"}},
	{"gpucachesim", []string{"gpucachesim-*/traces"}},
	{"accelsim", []string{"accelsim-*/kernelslist.g"}},
}

// Each real capture is recognised, converts into a trace without contradictions, and has the sums of its golden
// summary, without a word of the people and machines of the capture.
func TestCaptures(t *testing.T) {
	for _, c := range captures {
		var b strings.Builder
		for _, path := range c.paths(t) {
			r := converttest.Read(t, path, converttest.AnyDevice)
			r.Check(t)
			fmt.Fprintf(&b, "== %s\n%s\n", filepath.Base(path), r.Summary())
			private(t, filepath.Base(path), r.Text())
			if r.Meta.Source != c.format {
				t.Errorf("%s: taken for %s", path, r.Meta.Source)
			}
		}
		golden(t, filepath.Join("testdata", c.format+".golden"), b.String())
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, wanted := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(lines), len(wanted)) {
		if i >= len(lines) || i >= len(wanted) || lines[i] != wanted[i] {
			t.Errorf("%s differs from line %d on (-update writes it anew):\n got %q\nwant %q", path, i+1,
				converttest.LineAt(lines, i),
				converttest.LineAt(wanted, i))
			return
		}
	}
}

// secrets are words of the captures that tell people, machines and paths.
var secrets = []string{
	"rhzhang", "lava", "report13.nsys-rep", "UTC", // export metadata of nsys
	"sraikund", "twshared", "facebook", "torchx", "mast_", "tsp_pnb", // job metadata of kineto
	"/tmp/", "/home/", "python3", "benchmark_result", "libkineto", // paths and processes
	"NVPROF is profiling", "command:", "./", ".bmp", "inputs", // command lines of nvprof
	"enze", "yss2", "GPU_Benchmarks", // the INFO files beside Accel-Sim's captures
	"trace-reconstruction", "secret", "someone",
}

func private(t *testing.T, name, text string) {
	t.Helper()
	for _, word := range secrets {
		if strings.Contains(text, word) {
			t.Errorf("%s: the trace says %q", name, word)
		}
	}
}

// The generated captures hold secrets everywhere where the tools put them.
func TestNothingPersonal(t *testing.T) {
	paths := converttest.Generated(t)
	paths["nvprof children"] = converttest.Database(t,
		append(converttest.NvprofFamily(), `INSERT INTO CUPTI_ACTIVITY_KIND_ENVIRONMENT VALUES ('/home/someone')`)...)
	paths["nsys"] = converttest.Database(t, append(converttest.NsysStory,
		`CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)`,
		`INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_HOST', 'secret'), ('EXPORT_USER', 'someone'), `+
			`('EXPORT_PRODUCT_VERSION', '2030.1')`)...)
	converttest.Put(t, paths["hyfiss"], "configs/app.config",
		"# by someone\n-app_kernels_id 1\n-kernel_1_kernel_name k\n-kernel_1_path /home/someone\n")
	for name, path := range paths {
		r := converttest.Read(t, path, converttest.AnyDevice)
		private(t, name, r.Text())
		if name == "nsys" && r.Meta.SourceVersion != "2030.1" {
			t.Errorf("version %q", r.Meta.SourceVersion)
		}
	}
}
