package converttest

import (
	"path/filepath"
	"testing"
)

// RocpdStory are the tables of rocpd with copies and kernels.
var RocpdStory = []string{
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

// RocprofJSON has the calls, copies and kernels of RocpdStory.
const RocprofJSON = `{"rocprofiler-sdk-tool":[{"metadata":{"pid":1,"command":["/home/someone/app"],` +
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

// RocprofTables are the CSV files of a profile, by their names.
var RocprofTables = map[string]string{
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

// RocprofTablesIn writes the CSV files and returns the path of the kernels' table.
func RocprofTablesIn(t testing.TB) string {
	dir := t.TempDir()
	for name, content := range RocprofTables {
		Put(t, dir, name, content)
	}
	return filepath.Join(dir, "77_kernel_trace.csv")
}

// RocprofV1JSON is the timeline of rocprof as its script writes it: labels of processes, rows with their columns as
// texts, calls of the host, and arrows between them.
const RocprofV1JSON = `{ "traceEvents":[{}
,{"args":{"name":"0 CPU HIP API"},"ph":"M","pid":2,"name":"process_name"}
,{"args":{"name":"1 COPY"},"ph":"M","pid":1,"name":"process_name"}
,{"args":{"name":"2 GPU0"},"ph":"M","pid":6,"name":"process_name"}
,{"ts":"0","dur":"10","ph":"X","name":"hipLaunchKernel","pid":2,"tid":77,"args":{"BeginNs":"1000","EndNs":"11000",` +
	`"pid":"5","tid":"77","Name":"hipLaunchKernel","Index":"1"}}
,{"ts":"20","dur":"5","ph":"X","name":"void scale(float*) [clone .kd]","pid":6,"tid":2,"args":{
      "BeginNs":"21000",
      "EndNs":"26500",
      "dev-id":"0",
      "queue-id":"2",
      "Name":"scale"
    }
  }
,{"ts":"40","dur":"5","ph":"X","name":"sum","pid":6,"tid":2,"args":{"Index":"1","gpu-id":"0","queue-id":"2",` +
	`"grd":"1000","wgr":"64","lds":"512","scr":"0","arch_vgpr":"24","accum_vgpr":"8","BeginNs":"40000","EndNs":"41000"}}
,{"ts":"30","dur":"5","ph":"X","name":"CopyHostToDevice","pid":1,"tid":0,"args":{"BeginNs":"30000","EndNs":"35000",` +
	`"dev-id":"0","queue-id":"0","Name":"CopyHostToDevice"}}
,{"ts":1,"ph":"s","cat":"DataFlow","id":1,"pid":2,"tid":77,"name":"dep"}
],
"otherData": { "VERSION": "1" } }
`
