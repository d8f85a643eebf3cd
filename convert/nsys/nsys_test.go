package nsys_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"

	"github.com/klauspost/compress/gzip"
)

// dump reads a csv.gz that lies beside an export: one map a row.
func dump(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, key := range rows[0] {
			m[key] = row[i]
		}
		out = append(out, m)
	}
	return out
}

func integer(t *testing.T, text string) int64 {
	t.Helper()
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Every kernel and copy of the exports, field by field, against the plain dumps beside them; the host's launch time
// comes from the call with the same correlation id.
func TestNsysAgainstDumps(t *testing.T) {
	for report, facts := range map[string]struct{ kernels, functions int }{"report13": {6461, 16}, "report19": {9359, 16},
		"report23": {68, 15}} {
		dir := tracetest.Data(t, "nsys-balinski-gomory-rtx3090")
		r := converttest.Read(t, dir+"/"+report+".sqlite", converttest.AnyDevice)
		r.Check(t)
		calls := map[string]int64{}
		first := int64(1) << 62
		for _, row := range dump(t, dir+"/"+report+".runtime.csv.gz") {
			calls[row["correlationId"]] = integer(t, row["start"])
			if api := row["api"]; strings.Contains(api, "Launch") || strings.Contains(api, "Memcpy") ||
				strings.Contains(api, "Memset") {
				first = min(first, integer(t, row["start"]))
			}
		}
		kernels := map[string]int{}
		for _, row := range dump(t, dir+"/"+report+".kernels.csv.gz") {
			start, end := integer(t, row["start"]), integer(t, row["end"])
			shared := integer(t, row["staticSharedMemory"]) + integer(t, row["dynamicSharedMemory"])
			kernels[fmt.Sprintf("host %d start %d ran %d grid %s.%s.%s block %s.%s.%s regs %s shared %d local %s stream %s",
				calls[row["correlationId"]]-first, start-first, end-start, row["gridX"], row["gridY"], row["gridZ"],
				row["blockX"], row["blockY"], row["blockZ"], row["registersPerThread"], shared, row["localMemoryPerThread"],
				row["streamId"])]++
		}
		for i := range r.Kernels {
			k := &r.Kernels[i]
			key := fmt.Sprintf("host %d start %d ran %d grid %d.%d.%d block %d.%d.%d regs %d shared %d local %d stream %d",
				k.Recorded.HostNs, k.Recorded.StartNs, k.Recorded.DurationNs, k.Grid[0], k.Grid[1], k.Grid[2],
				k.Block[0], k.Block[1], k.Block[2], k.Registers, k.SharedBytes, k.LocalBytes, k.Stream)
			if kernels[key]--; kernels[key] < 0 {
				t.Fatalf("%s: kernel %d is not in the dump: %s", report, i, key)
			}
		}
		if len(r.Kernels) != facts.kernels || len(r.Functions) != facts.functions {
			t.Errorf("%s: %d kernels of %d functions, want %+v", report, len(r.Kernels), len(r.Functions), facts)
		}
		var bytes, copies, migrations int64
		for _, row := range dump(t, dir+"/"+report+".memcpy.csv.gz") {
			if kind := integer(t, row["copyKind"]); kind >= 11 {
				migrations++
				continue
			}
			copies++
			bytes += integer(t, row["bytes"])
		}
		for _, op := range r.Ops {
			if op.Kind == trace.OpCopyH2D || op.Kind == trace.OpCopyD2H {
				copies--
				bytes -= int64(op.Bytes)
			}
		}
		if copies != 0 || bytes != 0 || int64(r.Diag("unified_memory_copy")) != migrations {
			t.Errorf("%s: %d copies and %d bytes differ; %d migrations, want %d", report, copies, bytes,
				r.Diag("unified_memory_copy"), migrations)
		}
	}
}

func TestNsysOldSchema(t *testing.T) {
	r := converttest.Read(t, converttest.Database(t, converttest.NsysStory...), converttest.AnyDevice)
	r.Check(t)
	var got []string
	for _, op := range r.Ops {
		switch op.Kind {
		case trace.OpLaunch:
			k := &r.Kernels[op.Kernel]
			got = append(got, fmt.Sprintf("%s on %#x at %d, shared %d", r.Functions[k.Function].Name, op.Stream,
				op.Recorded.HostNs, k.SharedBytes))
		case trace.OpEventRecord, trace.OpStreamWait:
			got = append(got, fmt.Sprintf("%s event %d on %#x", converttest.OpNames[op.Kind], op.Event, op.Stream))
		}
	}
	want := []string{
		"k<int>(int*) on 0x7 at 0, shared 128", " on 0x100000007 at 5, shared 0", "event_record event 3 on 0x7",
		"stream_wait event 3 on 0xd",
		"k<int>(int*) on 0xd at 16, shared 0", "CUDA graph on 0x7 at 21, shared 0",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for name, n := range map[string]uint64{"page_fault": 2, "kernel_without_name": 1, "whole_graph": 1,
		"graph_activity": 1, "host_threads": 2} {
		if r.Diag(name) != n {
			t.Errorf("%s: %d, want %d", name, r.Diag(name), n)
		}
	}
}

// The ids of graphs and of their nodes mark activities of graph launches, which are told apart by their calls.
func TestNsysGraphs(t *testing.T) {
	story := append([]string{}, converttest.NsysStory[:2]...)
	story = append(story, `ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN graphNodeId INTEGER`,
		`ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN graphId INTEGER`,
		`INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaGraphLaunch_v10000'), (3, 'cudaLaunchKernel')`,
		`INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
			(150, 160, 0, 1, 7, 1, 0x1000000, 1, 1, 16, 4, 1, 1, 32, 1, 1, 0, 0, 0, 11, 5),
			(155, 170, 0, 1, 7, 1, 0x1000000, 1, 1, 16, 4, 1, 1, 32, 1, 1, 0, 0, 0, NULL, 5),
			(180, 190, 0, 1, 7, 2, 0x1000000, 1, 1, 16, 4, 1, 1, 32, 1, 1, 0, 0, 0, 11, NULL),
			(190, 199, 0, 1, 7, 3, 0x1000000, 1, 1, 16, 4, 1, 1, 32, 1, 1, 0, 0, 0, NULL, NULL)`,
		`INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0x1000001, 1, 2), (112, 114, 0x1000001, 2, 2),
			(115, 116, 0x1000001, 3, 3)`)
	r := converttest.Read(t, converttest.Database(t, story...), converttest.AnyDevice)
	var got []string
	for _, op := range r.Ops {
		if op.Kind == trace.OpLaunch {
			got = append(got, fmt.Sprint(op.Graph, r.Kernels[op.Kernel].Flags&trace.KernelProgrammatic != 0))
		}
	}
	if want := "1 false, 1 true, 2 false, 0 false"; strings.Join(got, ", ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// Activities of an export without processes are joined by correlation id alone.
func TestNsysWithoutProcesses(t *testing.T) {
	story := append([]string{}, converttest.NsysStory[:2]...)
	story = append(story, `ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN globalPid`,
		`INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaLaunchKernel')`,
		`INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (150, 160, 0, 1, 7, 1, 1, 1, 16, 4, 1, 1, 32, 1, 1, 0, 0, 0)`,
		`INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0x1000001, 1, 2)`)
	r := converttest.Read(t, converttest.Database(t, story...), converttest.AnyDevice)
	if len(r.Kernels) != 1 || r.Kernels[0].Recorded.HostNs != 0 || r.Kernels[0].Recorded.StartNs != 50 {
		t.Errorf("%+v, %v", r.Kernels, r.Diags)
	}
}

// Old exports keep the machine in TARGET_INFO_CUDA_GPU, under CUPTI's names and in
// its units; new ones in TARGET_INFO_GPU, whose id is not CUDA's.
func TestNsysMachine(t *testing.T) {
	ga106 := trace.Machine{Name: "RTX 3060", SMVersion: 86, SMs: 28, ClockHz: 1777e6, WarpSize: 32, WarpsPerSM: 48,
		RegistersPerSM: 65536, L2Bytes: 2359296, MemoryBytes: 12 << 30, MemoryBytesPerSecond: 360048e6}
	for name, sql := range map[string][]string{
		"2021": {`CREATE TABLE TARGET_INFO_CUDA_GPU (deviceId INTEGER, name TEXT, numMultiprocessors INTEGER, ` +
			`computeCapabilityMajor INTEGER,
			computeCapabilityMinor INTEGER, coreClockRate INTEGER, numThreadsPerWarp INTEGER, maxWarpsPerMultiprocessor INTEGER,
			maxRegistersPerMultiprocessor INTEGER, l2CacheSize INTEGER, globalMemorySize INTEGER, globalMemoryBandwidth ` +
			`INTEGER)`,
			`INSERT INTO TARGET_INFO_CUDA_GPU VALUES (1, 'another', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
				(0, 'RTX 3060', 28, 8, 6, 1777000, 32, 48, 65536, 2359296, 12884901888, 360048000)`},
		"2024": {`CREATE TABLE TARGET_INFO_GPU (id INTEGER, cuDevice INTEGER, name TEXT, smCount INTEGER, computeMajor ` +
			`INTEGER, computeMinor INTEGER,
			clockRate INTEGER, threadsPerWarp INTEGER, maxWarpsPerSm INTEGER, maxRegistersPerSm INTEGER, l2CacheSize INTEGER,` +
			` totalMemory INTEGER, memoryBandwidth INTEGER)`,
			`INSERT INTO TARGET_INFO_GPU VALUES (0, 1, 'another', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
				(1, 0, 'RTX 3060', 28, 8, 6, 1777000000, 32, 48, 65536, 2359296, 12884901888, 360048000000)`},
	} {
		r := converttest.Read(t, converttest.Database(t, append(append([]string{}, converttest.NsysStory...), sql...)...),
			converttest.AnyDevice)
		if got := r.Meta.Machine(); got != ga106 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// NVTX ranges hold the kernels that are called in them: those that one thread
// pushed, and those that were started and ended apart, on whichever thread. Marks
// are none.
func TestNsysRanges(t *testing.T) {
	story := append(append([]string{}, converttest.NsysStory...),
		`CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid `+
			`INTEGER)`,
		`INSERT INTO StringIds VALUES (6, 'decode')`,
		`INSERT INTO NVTX_EVENTS VALUES (99, 111, 59, NULL, 6, 0x1000001), (90, NULL, 60, 'request 7', NULL, 0x1000009),
			(99, NULL, 34, 'a mark', NULL, 0x1000001), (80, 300, 59, 'of another thread', NULL, 0x1000009)`)
	r := converttest.Read(t, converttest.Database(t, story...), converttest.AnyDevice)
	p := trace.Program{Scopes: r.Scopes}
	var got []string
	for i := range r.Kernels {
		got = append(got, strings.Join(p.ScopePath(r.Kernels[i].Scope), "/"))
	}
	if want := []string{"request 7/decode", "", "request 7", "request 7"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNsysMalformed(t *testing.T) {
	for name, c := range map[string]struct{ sql, diag, err string }{
		"text for numbers": {sql: `INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('a','b','c','d','e','f','g','h','i','j',` +
			`'k','l','m','n','o','p','q','r','s')`, diag: "bad_row"},
		"nulls": {sql: `INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start) VALUES (1)`, diag: "bad_row"},
		"huge": {sql: `INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2,0,1,7,9223372036854775807,-1,1,1,-5,` +
			`9223372036854775807,-1,1,1,1,1,9e30,4294967295,1)`, diag: "kernel_without_grid"},
		"backwards": {sql: `INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (9,2,0,1,7,1,0,'a name',1,16,1,1,1,1,1,1,0,0,0)`,
			diag: "negative_duration"},
		"no such format": {sql: `DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL`, err: "no table of an Nsight Systems export"},
	} {
		r, err := converttest.Try(t, converttest.Database(t, converttest.NsysTables, c.sql), "nsys", converttest.AnyDevice)
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
	if _, err := converttest.TryText(t, "nsys", "SQLite format 3\x00"); err == nil || !strings.Contains(err.Error(),
		"read in place") {
		t.Errorf("from standard input: %v", err)
	}
}

// Streams of two contexts that share a number are apart, and apart from every stream of the first: its number 65543
// is 7 and 1<<16.
func TestNsysStatsContexts(t *testing.T) {
	text := converttest.NsysStats
	for _, x := range []struct{ ctx, stream string }{{"1", "65543"}, {"2", "7"}, {"2", "13"}, {"1", "7"}} {
		text += "5000,10,3,4,1,1,32,1,1,16,0,0,,,,,NVIDIA RTX 3090 (0)," + x.ctx + ",," + x.stream + ",k\n"
	}
	var got []uint64
	for _, op := range converttest.Text(t, "nsys", text).Ops {
		if op.Kind == trace.OpLaunch {
			got = append(got, op.Stream)
		}
	}
	slices.Sort(got)
	if want := []uint64{7, 13, 65543, 1<<32 | 7, 1<<32 | 13}; !slices.Equal(got, want) {
		t.Errorf("streams %d, want %d", got, want)
	}
}

// Each direction in both spellings; copies within the host are no work of the device.
func TestNsysStatsCopies(t *testing.T) {
	head, _, _ := strings.Cut(converttest.NsysStats, "\n")
	for text, want := range map[string]trace.OpKind{
		"HtoD": trace.OpCopyH2D, "Host-to-Device": trace.OpCopyH2D, "HtoA": trace.OpCopyH2D,
		"Host-to-Array": trace.OpCopyH2D,
		"DtoH":          trace.OpCopyD2H, "Device-to-Host": trace.OpCopyD2H, "AtoH": trace.OpCopyD2H,
		"Array-to-Host": trace.OpCopyD2H,
		"DtoD":          trace.OpCopyD2D, "Device-to-Device": trace.OpCopyD2D, "DtoA": trace.OpCopyD2D,
		"AtoD": trace.OpCopyD2D,
		"PtoP": trace.OpCopyP2P, "Peer-to-Peer": trace.OpCopyP2P,
		"HtoH": trace.NumOpKinds, "Host-to-Host": trace.NumOpKinds,
	} {
		r := converttest.Text(t, "nsys", head+"\n"+
			"1000,700,1,,,,,,,,,,1.5,1.0,,,NVIDIA RTX 3090 (0),1,,7,[CUDA memcpy "+text+"]\n"+
			"2500,2000,2,4,1,1,32,1,1,16,0,0,,,,,NVIDIA RTX 3090 (0),1,,7,k\n")
		got := trace.OpKind(trace.NumOpKinds)
		for _, op := range r.Ops {
			if op.Kind != trace.OpLaunch && op.Recorded != nil {
				got = op.Kind
			}
		}
		if got != want {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
}

// Launches of two threads of a process are of two threads of the trace.
func TestNsysThreads(t *testing.T) {
	r := converttest.Read(t, converttest.Database(t, converttest.NsysTables,
		`CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, `+
			`nameId INTEGER)`,
		`INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000')`,
		`INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
			(150, 160, 0, 1, 7, 1, 0x1000000, 1, 1, 16, 4, 1, 1, 32, 1, 1, 0, 0, 0),
			(170, 190, 0, 1, 7, 2, 0x1000000, 1, 1, 16, 4, 1, 1, 32, 1, 1, 0, 0, 0)`,
		`INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0x1000001, 1, 2), (120, 130, 0x1000002, 2, 2)`),
		converttest.AnyDevice)
	r.Check(t)
	threads := map[uint32]bool{}
	for i := range r.Ops {
		if r.Ops[i].Kind == trace.OpLaunch {
			threads[r.Ops[i].Thread] = true
		}
	}
	if len(threads) != 2 {
		t.Errorf("the launches are of threads %v", threads)
	}
}
