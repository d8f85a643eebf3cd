package nvprof_test

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"

	"github.com/google/go-cmp/cmp"
)

// Every table against the index beside them: kernels, streams, narrow kernels,
// CTAs and registers. (Its count of names takes the correlation ids along where
// a name has no parentheses, so it is no count of functions.)
func TestNvprofIndex(t *testing.T) {
	f, err := os.Open(tracetest.Data(t, "nvprof-magus-gtx1080ti", "INDEX.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files := 0
	for in := bufio.NewScanner(f); in.Scan(); {
		col := strings.Split(in.Text(), " | ")
		if len(col) < 9 || col[0] == "file" {
			continue
		}
		files++
		r := converttest.Read(t, tracetest.Data(t, "nvprof-magus-gtx1080ti", "traces_"+col[0]+".csv"), converttest.AnyDevice)
		r.Check(t)
		narrow, minCTAs, maxCTAs, minRegs, maxRegs := 0, ^uint64(0), uint64(0), ^uint32(0), uint32(0)
		for i := range r.Kernels {
			k := &r.Kernels[i]
			if k.Grid.Count()*k.Block.Count() < 500 {
				narrow++
			}
			minCTAs, maxCTAs = min(minCTAs, k.Grid.Count()), max(maxCTAs, k.Grid.Count())
			minRegs, maxRegs = min(minRegs, k.Registers), max(maxRegs, k.Registers)
		}
		got := fmt.Sprintf("%d | %d | %d | %d %d | %d %d", len(r.Kernels), r.KernelStreams(), narrow, minCTAs, maxCTAs,
			minRegs, maxRegs)
		want := strings.Join([]string{col[2], col[4], col[6], col[7], strings.TrimSpace(col[8])}, " | ")
		if got != want {
			t.Errorf("%s: %s, want %s", col[0], got, want)
		}
	}
	if files != 79 {
		t.Errorf("%d files in the index", files)
	}
}

// Every row of every table, read once more with encoding/csv and exact
// arithmetic, is in the trace.
func TestNvprofAgainstCSV(t *testing.T) {
	paths, _ := filepath.Glob(tracetest.Data(t, "nvprof-magus-gtx1080ti") + "/*.csv")
	for _, path := range paths {
		want := nvprofRows(t, path)
		got := map[string]int{}
		r := converttest.Read(t, path, converttest.AnyDevice)
		for _, op := range r.Ops {
			key := fmt.Sprintf("start %d ran %d stream %d", op.Recorded.StartNs, op.Recorded.DurationNs, op.Stream)
			if op.Kind == trace.OpLaunch {
				k := &r.Kernels[op.Kernel]
				key += fmt.Sprintf(" %s %d %d regs %d shared %d", r.Functions[k.Function].Name, k.Grid, k.Block, k.Registers,
					k.SharedBytes)
			} else {
				key += fmt.Sprint(" bytes ", op.Bytes)
			}
			got[key]++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %.800s", filepath.Base(path), diff)
		}
	}
}

func nvprofRows(t *testing.T, path string) map[string]int {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, line := range strings.Split(string(raw), "\n") {
		if strings.HasPrefix(line, `"Start"`) || len(lines) > 0 && !strings.HasPrefix(line, "==") {
			lines = append(lines, line)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(strings.Join(lines, "\n"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	scale := map[string]int64{"": 1, "s": 1e9, "ms": 1e6, "us": 1e3, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
	value := func(row []string, column int) int64 {
		v, ok := new(big.Rat).SetString(row[column])
		if !ok {
			return 0
		}
		v.Mul(v, big.NewRat(scale[rows[1][column]], 1)).Add(v, big.NewRat(1, 2))
		return new(big.Int).Div(v.Num(), v.Denom()).Int64()
	}
	first := value(rows[2], 0)
	for _, row := range rows[2:] {
		first = min(first, value(row, 0))
	}
	correlation := regexp.MustCompile(` \[\d+\]$`)
	out := map[string]int{}
	for _, row := range rows[2:] {
		key := fmt.Sprintf("start %d ran %d stream %s", value(row, 0)-first, value(row, 1), row[15])
		if name := row[16]; strings.HasPrefix(name, "[CUDA") {
			key += fmt.Sprint(" bytes ", value(row, 11))
		} else {
			key += fmt.Sprintf(" %s [%s %s %s] [%s %s %s] regs %s shared %d", correlation.ReplaceAllString(name, ""),
				row[2], row[3], row[4], row[5], row[6], row[7], row[8], value(row, 9)+value(row, 10))
		}
		out[key]++
	}
	return out
}

func TestNvprofTable(t *testing.T) {
	r := converttest.Text(t, "nvprof", converttest.NvprofSample)
	r.Check(t)
	var got []string
	for _, op := range r.Ops {
		got = append(got, fmt.Sprintf("%s stream %#x %d bytes async %v %+v", converttest.OpNames[op.Kind], op.Stream,
			op.Bytes,
			op.Async, *op.Recorded))
	}
	want := []string{
		"copy_h2d stream 0x7 1564 bytes async false {HostNs:-1 StartNs:0 DurationNs:2500}",
		"launch stream 0xe 0 bytes async false {HostNs:-1 StartNs:499999 DurationNs:10000}",
		"copy_d2h stream 0xe 2048 bytes async true {HostNs:-1 StartNs:599999 DurationNs:1000}",
		"memset stream 0x10000000e 2048 bytes async true {HostNs:-1 StartNs:699999 DurationNs:1000}",
		"copy_d2d stream 0x7 0 bytes async true {HostNs:-1 StartNs:899999 DurationNs:1000}",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	k := r.Kernels[0]
	if r.Functions[0].Name != "k<int, 4>(int*)" || k.SharedBytes != 1536+100 || k.Grid != (trace.Dim3{4, 2, 1}) ||
		k.Device != 3 {
		t.Errorf("%s %+v", r.Functions[0].Name, k)
	}
	if r.Meta.GPU != "GPU X" || r.Diag("unified_memory_record") != 1 || r.Diag("bad_value") != 1 {
		t.Errorf("%+v, %v", r.Meta, r.Diags)
	}
}

func TestNvprofMalformed(t *testing.T) {
	for name, c := range map[string]struct{ text, err, diag string }{
		"no table":        {text: "==1== nothing\n", err: "not the output of nvprof"},
		"no units":        {text: converttest.NvprofHead + "1,2,,,\n", err: "does not name the unit"},
		"no units at all": {text: converttest.NvprofHead, err: "does not name the unit"},
		"open quote":      {text: converttest.NvprofHead + "ms,ms,,\n1,2,\"x\n", err: "line 5: a quote is not closed"},
		"no start":        {text: converttest.NvprofHead + "ms,ms,,\n,2,\n", diag: "row_without_time"},
		"negative":        {text: converttest.NvprofHead + "ms,ms,,\n-1,2,\n", diag: "row_without_time"},
		"huge grid":       {text: converttest.NvprofHead + "ms,ms,,\n1,2,99999999999,1,1,1,1,1\n", diag: "bad_value"},
		"huge device": {text: converttest.NvprofHead + "ms,ms,,\n1,2,,,,,,,,,,,,\"X (99999999999)\"\n",
			diag: "bad_value"},
	} {
		r, err := converttest.TryText(t, "nvprof", c.text)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", name, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case r.Diag(c.diag) == 0:
			t.Errorf("%s: no %s in %v", name, c.diag, r.Diags)
		}
	}
}

func FuzzNvprofTable(f *testing.F) {
	f.Add(converttest.NvprofSample)
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := converttest.TryText(t, "nvprof", text); err == nil {
			r.Check(t)
		}
	})
}

func TestNvprofChildren(t *testing.T) {
	r := converttest.Read(t, converttest.Database(t, converttest.NvprofFamily()...), converttest.AnyDevice)
	r.Check(t)
	// Parent 0, its 34 children 1..34, the two children of child 34.
	if len(r.Kernels) != 37 || r.Count(trace.OpLaunch) != 1 || r.Count(trace.OpSyncDevice) != 1 {
		t.Fatalf("%d kernels, %d launches", len(r.Kernels), r.Count(trace.OpLaunch))
	}
	parent := r.Kernels[0]
	if parent.Fidelity != trace.FidelityWarp || parent.Grid != (trace.Dim3{2, 2, 1}) || len(r.CTAs[0]) != 2 {
		t.Fatalf("parent %+v with %d CTAs", parent, len(r.CTAs[0]))
	}
	first, second := r.CTAs[0][0], r.CTAs[0][1]
	if first.ID != 0 || second.ID != 3 || first.SM != -1 {
		t.Errorf("CTAs %d and %d", first.ID, second.ID)
	}
	w := first.Warps[0]
	if fmt.Sprint(w.Path, w.Masks) != "[0 0 1] [{0 4294967295} {1 1} {2 4294967295}]" || len(w.Launches) != 33 {
		t.Errorf("path %v, masks %v, %d launches", w.Path, w.Masks, len(w.Launches))
	}
	if l := w.Launches[32]; l != (trace.Launch{At: 1, Lane: 0, Marked: true, Child: 33, Workload: 128}) {
		t.Errorf("last launch %+v", l)
	}
	// Block 0's children come by start: the last row began first.
	if at := r.Kernels[1].Recorded.StartNs; at != 168-90 || r.Kernels[1].Flags != trace.KernelChild {
		t.Errorf("first child starts at %d", at)
	}
	grandparent := r.CTAs[34]
	if len(grandparent) != 1 || grandparent[0].ID != 1 || len(grandparent[0].Warps[0].Launches) != 2 ||
		grandparent[0].Warps[0].Launches[0].Child != 35 {
		t.Errorf("%+v", grandparent)
	}
	for name, n := range map[string]uint64{"parent_work_unknown": 2, "child_without_parent": 3,
		"child_outside_parent": 1} {
		if r.Diag(name) != n {
			t.Errorf("%s: %d, want %d", name, r.Diag(name), n)
		}
	}
	if r.Meta.GPU != "GPU Y" || r.Meta.SMs != 13 || r.Meta.SMVersion != 35 {
		t.Errorf("%+v", r.Meta)
	}
}

// The host's own time of a wait whose call the capture does not have is its part behind the end of the kernel, at 250.
func TestNvprofWaitWithoutACall(t *testing.T) {
	path := converttest.Database(t, append(converttest.NvprofFamily(),
		`CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
			streamId INTEGER, correlationId INTEGER, type INTEGER, cudaEventId INTEGER)`,
		`INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (400, 410, 0, 1, 7, 99, 3, NULL)`)...)
	var waits []int64
	for _, op := range converttest.Read(t, path, converttest.AnyDevice).Ops {
		if op.Kind == trace.OpSyncStream {
			waits = append(waits, op.Ns)
		}
	}
	if len(waits) != 1 || waits[0] != 10 {
		t.Errorf("waits with %d ns of the host, want one of 10", waits)
	}
}
