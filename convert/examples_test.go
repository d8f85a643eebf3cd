package convert

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/convert/sqlite"
	"gpureplay/trace/container"
)

// example is a small capture of one kind of input of a format, Format.Reads at that index.
type example struct {
	format string
	reads  int
	make   func(t testing.TB) (path string)
}

// examples has captures of every format. Each kind of input has one at least, which the loops below take through
// detection, conversion, the checker, damage and interruption; a new format adds its own here, or in its test's
// init.
var examples = map[string]example{
	"accelsim":     {"accelsim", 0, accelsimFolderOf},
	"accelsim raw": {"accelsim", 0, inFile("kernel-1.trace", accelsimRaw)},
	"chakra":       {"chakra", 0, func(t testing.TB) string { return put(t, t.TempDir(), "c.et", chakraProto()) }},
	"chakra text":  {"chakra", 0, func(t testing.TB) string { return put(t, t.TempDir(), "c.json", chakraText()) }},
	"chakra graph": {"chakra", 0,
		inFile("w.json", `{"workload_graph": [{"Id": 2, "Name": "f", "NodeType": 4, "is_cpu_op": false, "runtime": 5}]}`)},
	"gpucachesim": {"gpucachesim", 0, gpucachesimFolder},
	"gpucachesim list": {"gpucachesim", 0, func(t testing.TB) string {
		return filepath.Join(gpucachesimFolder(t), "commands.json")
	}},
	"hyfiss":      {"hyfiss", 0, hyfissFolder},
	"kineto":      {"kineto", 0, inFile("k.json", kinetoSample)},
	"onnxruntime": {"onnxruntime", 0, inFile("o.json", onnxSample(5))},
	"macsim":      {"macsim", 0, macsimFolder},
	"macsim kernel": {"macsim", 0, func(t testing.TB) string {
		return filepath.Join(macsimFolder(t), "Kernel0", "trace.txt")
	}},
	"ncu details":         {"ncu", 0, inFile("n.csv", ncuDetails)},
	"ncu raw":             {"ncu", 0, inFile("n.csv", ncuRaw)},
	"nsys":                {"nsys", 0, func(t testing.TB) string { return database(t, nsysStory...) }},
	"nsys stats":          {"nsys", 1, inFile("s.csv", nsysStats)},
	"nvprof children":     {"nvprof", 0, func(t testing.TB) string { return database(t, nvprofFamily()...) }},
	"nvprof table":        {"nvprof", 1, inFile("t.csv", nvprofSample)},
	"rocpd":               {"rocprof", 0, func(t testing.TB) string { return database(t, rocpdStory...) }},
	"rocprof json":        {"rocprof", 0, inFile("r.json", rocprofJSON)},
	"rocprof csv":         {"rocprof", 0, rocprofTablesIn},
	"rpd":                 {"rocprof", 1, func(t testing.TB) string { return database(t, rpdStory...) }},
	"rocprof v1":          {"rocprof", 2, inFile("v.csv", rocprofV1)},
	"rocprof v1 timeline": {"rocprof", 3, inFile("results.json", rocprofV1JSON)},
	"tables": {"tables", 0, func(t testing.TB) string {
		return handMade(t, map[string]string{"kernels": oneKernel, "accesses": "kernel,cta,address\n0,1,4\n"})
	}},
}

func inFile(name, text string) func(testing.TB) string {
	return func(t testing.TB) string { return put(t, t.TempDir(), name, text) }
}

func gpucachesimFolder(t testing.TB) string {
	dir := t.TempDir()
	put(t, dir, "commands.json", gpucachesimList)
	put(t, dir, "kernel-0.msgpack", string(gpucachesimKernel()))
	return dir
}

const nsysStats = `Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),` +
	`Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name
1000,700,1,,,,,,,,,,1.5,1.0,Pageable,Device,NVIDIA RTX 3090 (0),1,,7,[CUDA memcpy Host-to-Device]
2500,2000,2,4,1,1,32,1,1,16,0.001,0.0005,,,,,NVIDIA RTX 3090 (0),1,,13,"k<int, 4>(int*)"
`

const rocprofV1 = `"Index","KernelName","gpu-id","queue-id","pid","tid","grd","wgr","lds","scr","arch_vgpr",` +
	`"accum_vgpr","BeginNs","EndNs"
0,"scale(float*) [clone .kd]",1,3,77,77,1000,64,512,16,20,4,2000,2500
`

// rpdStory is a launch and its kernel in the tables of rocmProfileData.
var rpdStory = []string{
	`CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT)`,
	`INSERT INTO rocpd_string VALUES (1, 'hipLaunchKernel'), (2, 'KernelExecution'), (3, 'scale')`,
	`CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER, apiName_id ` +
		`INTEGER, args_id INTEGER)`,
	`INSERT INTO rocpd_api VALUES (1, 7, 7, 1000, 1500, 1, 0)`,
	`CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, sequenceId INTEGER, start INTEGER,` +
		` end INTEGER, description_id INTEGER, opType_id INTEGER)`,
	`INSERT INTO rocpd_op VALUES (1, 0, 2, 0, 2000, 2600, 3, 2)`,
	`CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER)`,
	`INSERT INTO rocpd_api_ops VALUES (1, 1, 1)`,
	`CREATE TABLE rocpd_copyapi (api_ptr_id INTEGER, size INTEGER)`,
	`CREATE TABLE rocpd_kernelapi (api_ptr_id INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, workgroupX INTEGER,` +
		` workgroupY INTEGER, workgroupZ INTEGER, groupSegmentSize INTEGER, privateSegmentSize INTEGER, kernelName_id ` +
		`INTEGER)`,
	`INSERT INTO rocpd_kernelapi VALUES (1, 4, 1, 1, 64, 1, 1, 0, 0, 3)`,
}

// generated returns the examples as paths.
func generated(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, e := range examples {
		all[name] = e.make(t)
	}
	return all
}

// Every kind of input of every format has an example, and every example is recognised as its format alone, has a
// kernel, and becomes a trace that keeps the rules and names no person.
func TestExamples(t *testing.T) {
	has := map[string]map[int]bool{}
	for name, e := range examples {
		if has[e.format] == nil {
			has[e.format] = map[int]bool{}
		}
		has[e.format][e.reads] = true
		path := e.make(t)
		in, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if f, err := Detect(in); err != nil || f.Name != e.format {
			t.Errorf("%s: %s, %v; want %s", name, f.Name, err, e.format)
			continue
		}
		if r := capture(t, path, Options{Device: -1}); len(r.kernels) == 0 {
			t.Errorf("%s: no kernel", name)
		}
		private(t, name, verified(t, path))
	}
	for _, f := range Formats() {
		for i, c := range f.Reads {
			if !has[f.Name][i] {
				t.Errorf("format %s: no example of %q: add one to examples, in examples_test.go", f.Name, c.Give)
			}
		}
	}
}

// Interrupting ends a conversion with the context's error.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, path := range generated(t) {
		in, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(in.Head(), []byte(sqlite.Magic)) {
			continue // too few rows to look at the context
		}
		if err := Convert(ctx, in, "", &recording{}, anyDevice); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// files are an example's, by their paths within its folder, and the input: the folder itself, or one of the files.
type files struct {
	content map[string][]byte
	give    string
}

func filesOf(t testing.TB, path string) files {
	t.Helper()
	dir, give := filepath.Split(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		dir, give = path, "."
	}
	f := files{map[string][]byte{}, give}
	err := filepath.WalkDir(dir, func(at string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, at)
			f.content[rel], err = os.ReadFile(at)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// convertDamaged converts an example with one of its files changed: to an error of one
// line, or to a trace that keeps the rules.
func convertDamaged(t testing.TB, f files, name string, content []byte) {
	t.Helper()
	dir := t.TempDir()
	for other, whole := range f.content {
		if other == name {
			whole = content
		}
		put(t, dir, other, string(whole))
	}
	in, err := Open(filepath.Join(dir, f.give), nil)
	if err != nil {
		return
	}
	target := filepath.Join(t.TempDir(), "t.trace.zst")
	if err := Run(t.Context(), in, "", target, anyDevice); err != nil {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is more than one line", err)
		}
		if _, err := os.Stat(target); err == nil {
			t.Error("a conversion that failed left a trace")
		}
		return
	}
	r, err := container.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := container.Verify(t.Context(), r, func(err error) { t.Error(err) }); err != nil {
		t.Error(err)
	}
}

// Each file of each example, cut at several places.
func TestTruncated(t *testing.T) {
	for name, path := range generated(t) {
		f := filesOf(t, path)
		for file, whole := range f.content {
			for _, n := range []int{0, 1, len(whole) / 3, 2 * len(whole) / 3, len(whole) - 1} {
				if n >= 0 && n < len(whole) {
					convertDamaged(t, f, file, whole[:n])
				}
			}
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// FuzzExamples changes bytes of any file of any example.
func FuzzExamples(f *testing.F) {
	names := slices.Sorted(maps.Keys(examples))
	all := make([]files, len(names))
	for i, name := range names {
		all[i] = filesOf(f, examples[name].make(f))
		f.Add(uint8(i), uint8(0), uint32(100+37*i), []byte{0xff})
	}
	f.Fuzz(func(t *testing.T, which, file uint8, at uint32, change []byte) {
		x := all[int(which)%len(all)]
		list := slices.Sorted(maps.Keys(x.content))
		if len(list) == 0 {
			return
		}
		name := list[int(file)%len(list)]
		content := bytes.Clone(x.content[name])
		if len(content) > 0 {
			copy(content[int(at)%len(content):], change)
		}
		convertDamaged(t, x, name, content)
	})
}
