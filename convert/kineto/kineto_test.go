package kineto_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// kinetoFact has the counts of the notes beside the captures: kernels, and streams with kernels.
type kinetoFact struct {
	file             string
	kernels, streams int
}

var kinetoFacts = []kinetoFact{
	{"kineto-hta/negative_queue_length_values_check__rank0.json.gz", 6080, 5},
	{"kineto-hta/trace_diff__control__control.json.gz", 8568, 3},
	{"kineto-hta/trace_diff__test__test.json.gz", 9876, 3},
	{"kineto-hta/trace_filter__sampled_rank-0.json.gz", 1154, 4},
	{"kineto-hta/trace_filter__sampled_rank-1.json.gz", 1104, 4},
	{"kineto-hta/nccl_parser_config__nccl_data.json.gz", 2700, 2},
	{"kineto-hta/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz", 79, 2},
	{"kineto-hta/critical_path__cuda_event_sync_multi_stream__event_sync_trace.json.gz", 3, 3},
	{"kineto-hta/df_index_resolver__df_index_resolver.json.gz", 19370, 2},
	{"kineto-hta/ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", 4350, 1},
	{"kineto-tracelens/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1465, 1},
	{"kineto-tracelens/h100__google_owlv2-large-patch14-ensemble__1016001.json.gz", 4330, 1},
	{"kineto-tracelens/b200__eager_trace.json.gz", 768, 1},
	{"kineto-tracelens/inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz", 555, 2},
	{"kineto-tracelens/inference__vllm_decode_full__graph_execution.json.gz", 425, 1},
	{"kineto-tracelens/mi300__resnet_act_checkpoint.json.gz", 2995, 2},
}

func TestKinetoFacts(t *testing.T) {
	for _, f := range kinetoFacts {
		r := converttest.Read(t, tracetest.Data(t, f.file), converttest.AnyDevice)
		if len(r.Kernels) != f.kernels || r.KernelStreams() != f.streams {
			t.Errorf("%s: %d kernels on %d streams, want %d on %d", f.file, len(r.Kernels), r.KernelStreams(), f.kernels,
				f.streams)
		}
	}
	graph := converttest.Read(t, tracetest.Data(t,
		"kineto-tracelens/inference__vllm_decode_full__graph_execution.json.gz"),
		converttest.AnyDevice)
	if n := graph.Diag("kernel_without_grid"); n != 425-4 || graph.Meta.Fidelity != trace.FidelityNone {
		t.Errorf("%d kernels without a grid, fidelity %d", n, graph.Meta.Fidelity)
	}
}

// chromeEvent is an event as encoding/json reads it, numbers as text.
type chromeEvent struct {
	Ph, Cat, Name string
	Ts, Dur       json.Number
	Args          map[string]any
}

// ns are microseconds in nanoseconds, by exact arithmetic.
func ns(t *testing.T, micros json.Number) int64 {
	t.Helper()
	r, ok := new(big.Rat).SetString(micros.String())
	if !ok {
		t.Fatalf("%q is no number", micros)
	}
	r.Mul(r, big.NewRat(1000, 1)).Add(r, big.NewRat(1, 2))
	return new(big.Int).Div(r.Num(), r.Denom()).Int64()
}

func readWhole(t *testing.T, path string) []chromeEvent {
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
	var whole struct{ TraceEvents []json.RawMessage }
	if err := json.NewDecoder(z).Decode(&whole); err != nil {
		t.Fatal(err)
	}
	var events []chromeEvent
	for _, raw := range whole.TraceEvents {
		var e chromeEvent
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if d.Decode(&e) == nil && e.Ph == "X" { // events of other kinds have other types
			events = append(events, e)
		}
	}
	return events
}

// Each capture of moderate size is read once more, whole, with encoding/json:
// every kernel, copy and memory set is in the trace with the same times to the
// nanosecond, stream, shape and size, and with the time of its call.
func TestKinetoAgainstWholeFile(t *testing.T) {
	for _, dir := range []string{"kineto-hta", "kineto-tracelens"} {
		paths, _ := filepath.Glob(filepath.Join(tracetest.Data(t, dir), "*.gz"))
		for _, path := range paths {
			if info, err := os.Stat(path); err != nil || info.Size() > 800<<10 {
				continue
			}
			r := converttest.Read(t, path, converttest.AnyDevice)
			want := wholeFile(t, readWhole(t, path))
			got := map[string]int{}
			for _, op := range r.Ops {
				if op.Recorded == nil {
					continue
				}
				key := fmt.Sprintf("host %d start %d ran %d stream %d", op.Recorded.HostNs, op.Recorded.StartNs,
					op.Recorded.DurationNs, op.Stream)
				if op.Kind == trace.OpLaunch {
					k := &r.Kernels[op.Kernel]
					key += fmt.Sprintf(" %s grid %v block %v regs %d", r.Functions[k.Function].Name, k.Grid, k.Block, k.Registers)
				} else {
					key += fmt.Sprint(" bytes ", op.Bytes)
				}
				got[key]++
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %.1500s", filepath.Base(path), diff)
			}
		}
	}
}

// wholeFile lists each activity as the trace should have it.
func wholeFile(t *testing.T, events []chromeEvent) map[string]int {
	t.Helper()
	var api timeline.API
	calls := map[any][]chromeEvent{}
	first := int64(math.MaxInt64)
	for _, e := range events {
		kind, _ := api.Classify([]byte(e.Name))
		switch {
		case strings.HasPrefix(e.Cat, "cuda_") && e.Cat != "cuda_sync" && kind != timeline.CallNone:
			calls[e.Args["correlation"]] = append(calls[e.Args["correlation"]], e)
		case e.Cat != "kernel" && e.Cat != "gpu_memcpy" && e.Cat != "gpu_memset" && e.Cat != "cuda_sync":
			continue
		}
		first = min(first, ns(t, e.Ts))
	}
	out := map[string]int{}
	for _, e := range events {
		if e.Cat != "kernel" && e.Cat != "gpu_memcpy" && e.Cat != "gpu_memset" {
			continue
		}
		host, call := int64(-1), chromeEvent{}
		if list := calls[e.Args["correlation"]]; len(list) == 1 {
			call = list[0]
			host = ns(t, call.Ts) - first
		} else if len(list) > 1 {
			t.Fatalf("several calls with correlation %v", e.Args["correlation"])
		}
		key := fmt.Sprintf("host %d start %d ran %d stream %v", host, ns(t, e.Ts)-first, ns(t, e.Dur), e.Args["stream"])
		if e.Cat == "kernel" {
			grid, block := dims(e.Args["grid"]), dims(e.Args["block"])
			if grid == (trace.Dim3{}) && strings.Contains(call.Name, "LaunchKernel") {
				grid, block = dims(call.Args["grid"]), dims(call.Args["block"])
			}
			if call.Name == "hipExtModuleLaunchKernel" {
				for i := range grid {
					grid[i] = (grid[i] + block[i] - 1) / block[i]
				}
			}
			regs := e.Args["registers per thread"]
			if regs == nil {
				regs = 0
			}
			key += fmt.Sprintf(" %s grid %v block %v regs %v", e.Name, grid, block, regs)
		} else {
			size := e.Args["bytes"]
			if size == nil {
				size = call.Args["size"] // AMD
			}
			if size == nil {
				size = 0
			}
			key += fmt.Sprint(" bytes ", size)
		}
		out[key]++
	}
	return out
}

func dims(value any) (d trace.Dim3) {
	list, _ := value.([]any)
	for i, x := range list {
		n, _ := x.(json.Number).Int64()
		d[i] = uint32(n)
	}
	return d
}

// Three streams: a wait of one for an event of another becomes an order in the
// trace, as the capture's own synchronisation events say.
func TestKinetoStreamWait(t *testing.T) {
	r := converttest.Read(t, tracetest.Data(t,
		"kineto-hta/critical_path__cuda_event_sync_multi_stream__event_sync_trace.json.gz"), converttest.AnyDevice)
	var order []string
	for _, op := range r.Ops {
		switch op.Kind {
		case trace.OpLaunch:
			order = append(order, fmt.Sprint("launch on ", op.Stream))
		case trace.OpEventRecord:
			order = append(order, fmt.Sprintf("record %d on %d", op.Event, op.Stream))
		case trace.OpStreamWait:
			order = append(order, fmt.Sprintf("%d waits for %d", op.Stream, op.Event))
		}
	}
	want := "launch on 20, record 9 on 20, launch on 28, record 9 on 28, record 19 on 20, 24 waits for 19, launch on 24"
	if got := strings.Join(order, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The same events plain, as .zst, as a bare array, and with control characters
// in names give the same trace.
func TestKinetoForms(t *testing.T) {
	dir := t.TempDir()
	plain := []byte(converttest.KinetoSample)
	enc, _ := zstd.NewWriter(nil)
	array := converttest.KinetoSample[strings.Index(converttest.KinetoSample,
		`[{"ph"`):strings.LastIndex(converttest.KinetoSample, "]")] + "]"
	want := ""
	for name, content := range map[string][]byte{
		"plain.json": plain, "packed.json.zst": enc.EncodeAll(plain, nil), "array.json": []byte(array),
		"dirty.json": []byte(strings.Replace(converttest.KinetoSample, "a kernel", "a\nkernel\\q", 1)),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		r := converttest.Read(t, path, converttest.AnyDevice)
		if name == "dirty.json" {
			if r.Diag("json_repaired") != 2 || r.Functions[0].Name != "a\nkernel\\q" {
				t.Errorf("%s: %d repairs, name %q", name, r.Diag("json_repaired"), r.Functions[0].Name)
			}
			continue
		}
		if name == "array.json" { // no device properties
			r.Meta = trace.Meta{}
		}
		got := fmt.Sprintf("%+v", r.Kernels[0].Grid) + fmt.Sprint(len(r.Ops), *r.Kernels[0].Recorded)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestKinetoSample(t *testing.T) {
	r := converttest.Text(t, "kineto", converttest.KinetoSample)
	k := r.Kernels[0]
	if k.Grid != (trace.Dim3{4, 2, 1}) || k.Block != (trace.Dim3{64, 1, 1}) || k.Registers != 20 ||
		k.SharedBytes != 1024 || k.Stream != 7 {
		t.Errorf("%+v", k)
	}
	if *k.Recorded != (trace.Recorded{HostNs: 0, StartNs: 5500, DurationNs: 1250}) {
		t.Errorf("%+v", *k.Recorded)
	}
	if r.Meta.GPU != "GPU" || r.Meta.SMs != 10 || r.Meta.SMVersion != 86 {
		t.Errorf("%+v", r.Meta)
	}
}

// A duration that cannot be read, or is none, is unknown: 0 would say that the kernel took no time.
func TestKinetoUnreadableDuration(t *testing.T) {
	for text, want := range map[string]int64{
		`"dur":9223372036854775807`: -1, `"dur":NaN`: -1, `"dur":1e400`: -1, `"dur":"soon"`: -1, `"dur":-3`: -1,
		`"dur":null`: -1,
		`"dur":[4]`:  -1, `"id":1`: -1, `"dur":0`: 0, `"dur":"1.5"`: 1500,
	} {
		r, err := converttest.TryText(t, "kineto",
			`{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,`+text+
				`}]}`)
		if err != nil || len(r.Kernels) != 1 || r.Kernels[0].Recorded.DurationNs != want {
			t.Errorf("%s: %v, %+v; want a duration of %d", text, err, r.Kernels, want)
		}
	}
}

// An unreadable capture is one error with its place; oddities are counted.
func TestKinetoMalformed(t *testing.T) {
	event := func(args string) string {
		return `{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":{` + args + `}}]}`
	}
	for name, c := range map[string]struct{ text, err, diag string }{
		"truncated":       {text: event(`"grid":[1,1,1]`)[:80], err: "the input ends inside a value"},
		"no object":       {text: `"traceEvents"`, err: "a trace is a JSON object or array"},
		"trailing":        {text: event("") + "{}", err: "after the end of the value"},
		"events no array": {text: `{"traceEvents":7}`, diag: "bad_value"},
		"event no object": {text: `{"traceEvents":[7,"x",[1],null]}`, diag: "bad_value"},
		"negative grid":   {text: event(`"grid":[-1,1,1],"block":[1,1,1]`), diag: "bad_value"},
		"huge grid":       {text: event(`"grid":[5000000000,1,1],"block":[1,1,1]`), diag: "bad_value"},
		"grid of text":    {text: event(`"grid":["a",{"b":1}],"block":[1,1,1]`), diag: "kernel_without_grid"},
		"four dimensions": {text: event(`"grid":[1,1,1,1],"block":[1,1,1]`), diag: "bad_value"},
		"negative regs":   {text: event(`"registers per thread":-4`), diag: "bad_value"},
		"no time":         {text: `{"traceEvents":[{"ph":"X","cat":"kernel","name":"k"}]}`, diag: "event_without_time"},
		"time is a word": {text: `{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":"soon"}]}`,
			diag: "event_without_time"},
		"time too large": {text: `{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1e300}]}`, diag: "bad_value"},
		"negative duration": {text: `{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"ts":5,"dur":-3}]}`,
			diag: "negative_duration"},
		"unknown sync": {text: `{"traceEvents":[{"ph":"X","cat":"cuda_sync","name":"Wish","pid":0,"ts":5}]}`,
			diag: "bad_value"},
		"args no object": {text: `{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":5,"args":[1]}]}`,
			diag: "bad_value"},
	} {
		r, err := converttest.TryText(t, "kineto", c.text)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v, want %s", name, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case r.Diag(c.diag) == 0:
			t.Errorf("%s: no %s in %v", name, c.diag, r.Diags)
		}
	}
}

func FuzzKineto(f *testing.F) {
	f.Add(converttest.KinetoSample)
	f.Add(`[{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":7,"ts":5,"dur":1,` +
		`"args":{"wait_on_stream":7,` +
		`"wait_on_cuda_event_id":3,"wait_on_cuda_event_record_corr_id":2,"correlation":4}},` +
		`{"ph":"X","cat":"cuda_runtime","name":"cudaEventRecord","ts":1,"args":{"correlation":2}},` +
		`{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","ts":7,"dur":1,"args":{"bytes":12,"correlation":2}}]`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := converttest.TryText(t, "kineto", text)
		if err == nil {
			r.Check(t)
		}
	})
}

// Threads whose names are no numbers are apart by their names.
func TestKinetoNamedThreads(t *testing.T) {
	var events []string
	for i, name := range []string{"alpha", "beta", "alpha"} {
		events = append(events, fmt.Sprintf(`{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":"%s",`+
			`"ts":%d,"dur":5,"args":{"correlation":%d}}`, name, 10*i+1, i+1),
			fmt.Sprintf(`{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":%d,"dur":5,"args":{"correlation":%d,`+
				`"stream":7,"device":0,"grid":[1,1,1],"block":[32,1,1]}}`, 10*i+8, i+1))
	}
	r := converttest.Text(t, "kineto", `{"traceEvents":[`+strings.Join(events, ",")+`]}`)
	var threads []uint32
	for _, op := range r.Ops {
		if op.Kind == trace.OpLaunch {
			threads = append(threads, op.Thread)
		}
	}
	if len(threads) != 3 || threads[0] == threads[1] || threads[0] != threads[2] {
		t.Errorf("launches of threads %d, want the first and the last alike", threads)
	}
}

// Device 0 and rank 0 are numbers like others: a kernel of device 0 is not of the device that its process has the
// number of, and the trace says which rank it is of.
func TestKinetoZeroes(t *testing.T) {
	text := strings.Replace(strings.Replace(converttest.SmallKineto, `"pid": 0`, `"pid": 3`, 1), `"schemaVersion": 1,`,
		`"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 2},`, 1)
	dir := t.TempDir()
	converttest.Put(t, dir, "trace.json", text)
	r, err := converttest.Try(t, filepath.Join(dir, "trace.json"), "kineto", convert.Options{Device: 0})
	if err != nil || len(r.Kernels) != 1 {
		t.Fatalf("of device 0: %v", err)
	}
	if !slices.Contains(r.Meta.Attrs, trace.Attr{Key: "rank", Value: "0"}) {
		t.Errorf("no rank: %v", r.Meta.Attrs)
	}
}
