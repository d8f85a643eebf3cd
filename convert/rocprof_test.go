package convert

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/trace"
)

// The three forms of rocprofv3 tell one run: a kernel of 1000 work-items in
// groups of 64, a copy to the device before it, and the HIP calls of both.

var rocpdStory = []string{
	`CREATE TABLE rocpd_string_u1 (id INTEGER PRIMARY KEY, string TEXT)`,
	`CREATE TABLE rocpd_info_node_u1 (id INTEGER PRIMARY KEY, hostname TEXT)`,
	`CREATE TABLE rocpd_info_process_u1 (id INTEGER PRIMARY KEY, command TEXT, environment TEXT)`,
	`CREATE TABLE rocpd_info_agent_u1 (id INTEGER PRIMARY KEY, type TEXT, absolute_index INTEGER, name TEXT, ` +
		`product_name TEXT, extdata TEXT)`,
	`CREATE TABLE rocpd_info_kernel_symbol_u1 (id INTEGER PRIMARY KEY, display_name TEXT, arch_vgpr_count INTEGER, ` +
		`accum_vgpr_count INTEGER)`,
	`CREATE TABLE rocpd_event_u1 (id INTEGER PRIMARY KEY, stack_id INTEGER, correlation_id INTEGER)`,
	`CREATE TABLE rocpd_region_u1 (id INTEGER PRIMARY KEY, tid INTEGER, start INTEGER, end INTEGER, name_id INTEGER, ` +
		`event_id INTEGER)`,
	`CREATE TABLE rocpd_kernel_dispatch_u1 (id INTEGER PRIMARY KEY, agent_id INTEGER, kernel_id INTEGER, queue_id ` +
		`INTEGER, stream_id INTEGER,
		start INTEGER, end INTEGER, private_segment_size INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER, ` +
		`workgroup_size_y INTEGER,
		workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER)`,
	`CREATE TABLE rocpd_memory_copy_u1 (id INTEGER PRIMARY KEY, start INTEGER, end INTEGER, src_agent_id INTEGER, ` +
		`dst_agent_id INTEGER, size INTEGER,
		stream_id INTEGER, event_id INTEGER)`,
	`INSERT INTO rocpd_string_u1 VALUES (1, 'hipLaunchKernel'), (2, 'hipMemcpyAsync')`,
	`INSERT INTO rocpd_info_node_u1 VALUES (1, 'secret-host')`,
	`INSERT INTO rocpd_info_process_u1 VALUES (1, '/home/someone/app', '{"USER": "someone"}')`,
	`INSERT INTO rocpd_info_agent_u1 VALUES (1, 'CPU', 0, 'EPYC', 'EPYC', 'no JSON'), (2, 'GPU', 1, 'gfx90a', 'AMD ` +
		`Instinct MI210', '{"cu_count":104,"wave_front_size":64,"simd_per_cu":4,"max_waves_per_simd":8,"lds_size_in_kb":64,` +
		`"max_engine_clk_fcompute":1700,"caches":[{"level":2}]}')`,
	`INSERT INTO rocpd_info_kernel_symbol_u1 VALUES (5, 'scale(float*)', 20, 4)`,
	`INSERT INTO rocpd_event_u1 VALUES (1, 11, 0), (2, 11, 0), (3, 12, 0), (4, 12, 0)`,
	`INSERT INTO rocpd_region_u1 VALUES (1, 9, 1000, 1010, 2, 1), (2, 9, 1020, 1030, 1, 3)`,
	`INSERT INTO rocpd_kernel_dispatch_u1 VALUES (1, 2, 5, 1, 3, 2000, 2500, 16, 512, 64, 1, 1, 1000, 1, 1, 4)`,
	`INSERT INTO rocpd_memory_copy_u1 VALUES (1, 1500, 1600, 1, 2, 4000, 3, 2)`,
}

const rocprofJSON = `{"rocprofiler-sdk-tool":[{"metadata":{"pid":1,"command":["/home/someone/app"],` +
	`"environment":{"USER":"someone"}},
"buffer_records":{
"kernel_dispatch":[{"kind":10,"operation":1,"thread_id":9,"correlation_id":{"internal":12,"external":0},` +
	`"start_timestamp":2000,"end_timestamp":2500,
 "dispatch_info":{"agent_id":{"handle":77},"queue_id":{"handle":18446744073709551600},"kernel_id":5,"dispatch_id":1,` +
	`"private_segment_size":16,
 "group_segment_size":512,"workgroup_size":{"x":64,"y":1,"z":1},"grid_size":{"x":1000,"y":1,"z":1}},` +
	`"stream_id":{"handle":3}}],
"memory_copy":[{"kind":9,"operation":2,"correlation_id":{"internal":11},"start_timestamp":1500,"end_timestamp":1600,` +
	`"src_agent_id":{"handle":76},
 "dst_agent_id":{"handle":77},"bytes":4000,"stream_id":{"handle":3}}],
"hip_api":[{"kind":2,"operation":1,"thread_id":9,"correlation_id":{"internal":11},"start_timestamp":1000,` +
	`"end_timestamp":1010},
 {"kind":2,"operation":0,"thread_id":9,"correlation_id":{"internal":12},"start_timestamp":1020,"end_timestamp":1030}],
"kfd_page_fault":[{"a":1}]},
"agents":[{"id":{"handle":76},"type":1,"node_id":0,"name":"EPYC"},{"id":{"handle":77},"type":2,"node_id":1,` +
	`"name":"gfx90a","product_name":"AMD Instinct MI210","cu_count":104,"wave_front_size":64,"simd_per_cu":4,` +
	`"max_waves_per_simd":8,"lds_size_in_kb":64,"max_engine_clk_fcompute":1700,"caches":[{"level":2}]}],
"strings":{"buffer_records":[{"kind":"NONE","operations":[]},{"kind":"HSA","operations":["hsa_init"]},` +
	`{"kind":"HIP_RUNTIME_API","operations":["hipLaunchKernel","hipMemcpyAsync"]}]},
"kernel_symbols":[{"kernel_id":5,"kernel_name":"_Z5scalePf.kd","formatted_kernel_name":"scale(float*)",` +
	`"arch_vgpr_count":20,"accum_vgpr_count":4}]}]}`

var rocprofTables = map[string]string{
	"77_kernel_trace.csv": `"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id",` +
		`"Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count",` +
		`"Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X",` +
		`"Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH","Agent 1",1,3,9,1,5,"scale(float*)",12,2000,2500,512,16,20,4,32,64,1,1,1000,1,1
`,
	"77_memory_copy_trace.csv": `"Kind","Direction","Stream_Id","Source_Agent_Id","Destination_Agent_Id",` +
		`"Correlation_Id","Start_Timestamp","End_Timestamp","Bytes"
"MEMORY_COPY","MEMORY_COPY_HOST_TO_DEVICE",3,"Agent 0","Agent 1",11,1500,1600,4000
`,
	"77_hip_api_trace.csv": `"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp",` +
		`"End_Timestamp"
"HIP_RUNTIME_API","hipMemcpyAsync",1,9,11,1000,1010
"HIP_RUNTIME_API","hipLaunchKernel",1,9,12,1020,1030
`,
	"77_agent_info.csv": `"Node_Id","Logical_Node_Id","Agent_Type","Cu_Count","Wave_Front_Size","Simd_Per_Cu",` +
		`"Max_Waves_Per_Simd","Lds_Size_In_Kb","Max_Engine_Clk_Fcompute","Name","Product_Name"
0,0,"CPU",0,0,0,0,0,0,"EPYC","EPYC"
1,1,"GPU",104,64,4,8,64,1700,"gfx90a","AMD Instinct MI210"
`,
}

func put(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func rocprofTablesIn(t testing.TB) string {
	dir := t.TempDir()
	for name, content := range rocprofTables {
		put(t, dir, name, content)
	}
	return filepath.Join(dir, "77_kernel_trace.csv")
}

func TestRocprofFormsAgree(t *testing.T) {
	for name, path := range map[string]string{
		"rocpd": database(t, rocpdStory...), "json": put(t, t.TempDir(), "77_results.json", rocprofJSON),
		"csv": rocprofTablesIn(t),
	} {
		r := capture(t, path, anyDevice)
		r.check(t)
		var got []string
		for _, op := range r.ops {
			line := fmt.Sprintf("%s stream %d %d bytes async %v %d ns", opNames[op.Kind], op.Stream, op.Bytes, op.Async, op.Ns)
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
		k := r.kernels[0]
		if k.Grid != (trace.Dim3{16, 1, 1}) || k.Block != (trace.Dim3{64, 1, 1}) || k.Registers != 24 ||
			k.SharedBytes != 512 ||
			k.LocalBytes != 16 {
			t.Errorf("%s: %+v", name, k)
		}
		if r.functions[k.Function].Name != "scale(float*)" || r.meta.GPU != "AMD Instinct MI210" {
			t.Errorf("%s: %q on %q", name, r.functions[k.Function].Name, r.meta.GPU)
		}
		mi210 := trace.Machine{
			Name: "AMD Instinct MI210", Architecture: "gfx90a", SMs: 104, ClockHz: 1700e6, WarpSize: 64, WarpsPerSM: 32,
			SharedBytesPerSM: 65536,
		}
		if got := r.meta.Machine(); got != mi210 {
			t.Errorf("%s: captured on %+v", name, got)
		}
		if name == "json" && r.diag("page_fault") != 1 {
			t.Errorf("%v", r.diags)
		}
	}
}

func TestRocprofMalformed(t *testing.T) {
	for name, c := range map[string]struct{ text, err, diag string }{
		"cut short":  {text: rocprofJSON[:900], err: "the input ends inside a value"},
		"no times":   {text: strings.ReplaceAll(rocprofJSON, "start_timestamp", "when"), diag: "record_without_time"},
		"no symbols": {text: strings.ReplaceAll(rocprofJSON, "kernel_symbols", "other"), diag: "kernel_without_name"},
		"no agents":  {text: strings.ReplaceAll(rocprofJSON, `"agents"`, `"other"`), diag: "host_copy"},
		"wrong types": {text: `{"rocprofiler-sdk-tool":[{"agents":7,"buffer_records":{"kernel_dispatch":[1,"a"]}}]}`,
			diag: "bad_value"},
		"zero groups": {text: strings.ReplaceAll(rocprofJSON, `"x":64`, `"x":0`), diag: "kernel_without_grid"},
	} {
		r, err := tryConvert(t, put(t, t.TempDir(), "r.json", c.text), "rocprof", anyDevice)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		default:
			if r.check(t); r.diag(c.diag) == 0 {
				t.Errorf("%s: no %s in %v", name, c.diag, r.diags)
			}
		}
	}
	if _, err := tryText(t, "rocprof", rocprofJSON); err == nil || !strings.Contains(err.Error(), "read more than once") {
		t.Errorf("from standard input: %v", err)
	}
}

func FuzzRocprofJSON(f *testing.F) {
	f.Add(rocprofJSON)
	path := filepath.Join(f.TempDir(), "r.json")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := tryConvert(t, path, "rocprof", anyDevice); err == nil {
			r.check(t)
		}
	})
}

func FuzzRocprofTable(f *testing.F) {
	f.Add(rocprofTables["77_kernel_trace.csv"])
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := tryText(t, "rocprof", text); err == nil {
			r.check(t)
		}
	})
}
