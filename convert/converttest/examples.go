package converttest

import (
	"path/filepath"
	"testing"
)

// example is a small capture of one kind of input of a format, Format.Reads at that index.
type example struct {
	Format string
	Reads  int
	Make   func(t testing.TB) (path string)
}

// Examples has captures of every format, one of each kind of input at least. The tests of package convert detect,
// convert, verify, damage and interrupt each of them. A new format adds its own here.
var Examples = map[string]example{
	"accelsim":     {"accelsim", 0, accelsimFolderOf},
	"accelsim raw": {"accelsim", 0, inFile("kernel-1.trace", AccelsimRaw)},
	"chakra":       {"chakra", 0, func(t testing.TB) string { return Put(t, t.TempDir(), "c.et", ChakraProto()) }},
	"chakra text":  {"chakra", 0, func(t testing.TB) string { return Put(t, t.TempDir(), "c.json", ChakraText()) }},
	"chakra graph": {"chakra", 0,
		inFile("w.json", `{"workload_graph": [{"Id": 2, "Name": "f", "NodeType": 4, "is_cpu_op": false, "runtime": 5}]}`)},
	"gpucachesim": {"gpucachesim", 0, gpucachesimFolder},
	"gpucachesim list": {"gpucachesim", 0, func(t testing.TB) string {
		return filepath.Join(gpucachesimFolder(t), "commands.json")
	}},
	"hyfiss":      {"hyfiss", 0, HyfissFolder},
	"kineto":      {"kineto", 0, inFile("k.json", KinetoSample)},
	"onnxruntime": {"onnxruntime", 0, inFile("o.json", OnnxSample(5))},
	"macsim":      {"macsim", 0, MacsimFolder},
	"macsim kernel": {"macsim", 0, func(t testing.TB) string {
		return filepath.Join(MacsimFolder(t), "Kernel0", "trace.txt")
	}},
	"ncu details":         {"ncu", 0, inFile("n.csv", NcuDetails)},
	"ncu raw":             {"ncu", 0, inFile("n.csv", NcuRaw)},
	"nsys":                {"nsys", 0, func(t testing.TB) string { return Database(t, NsysStory...) }},
	"nsys stats":          {"nsys", 1, inFile("s.csv", NsysStats)},
	"nvprof children":     {"nvprof", 0, func(t testing.TB) string { return Database(t, NvprofFamily()...) }},
	"nvprof table":        {"nvprof", 1, inFile("t.csv", NvprofSample)},
	"rocpd":               {"rocprof", 0, func(t testing.TB) string { return Database(t, RocpdStory...) }},
	"rocprof json":        {"rocprof", 0, inFile("r.json", RocprofJSON)},
	"rocprof csv":         {"rocprof", 0, RocprofTablesIn},
	"rpd":                 {"rocprof", 1, func(t testing.TB) string { return Database(t, RpdStory...) }},
	"rocprof v1":          {"rocprof", 2, inFile("v.csv", rocprofV1)},
	"rocprof v1 timeline": {"rocprof", 3, inFile("results.json", RocprofV1JSON)},
	"tables": {"tables", 0, func(t testing.TB) string {
		return HandMade(t, map[string]string{"kernels": OneKernel, "accesses": "kernel,cta,address\n0,1,4\n"})
	}},
}

func gpucachesimFolder(t testing.TB) string {
	dir := t.TempDir()
	Put(t, dir, "commands.json", GpucachesimList)
	Put(t, dir, "kernel-0.msgpack", string(GpucachesimKernel()))
	return dir
}

// NsysStats is a table of nsys stats with a copy and a kernel.
const NsysStats = `Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),` +
	`Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name
1000,700,1,,,,,,,,,,1.5,1.0,Pageable,Device,NVIDIA RTX 3090 (0),1,,7,[CUDA memcpy Host-to-Device]
2500,2000,2,4,1,1,32,1,1,16,0.001,0.0005,,,,,NVIDIA RTX 3090 (0),1,,13,"k<int, 4>(int*)"
`

const rocprofV1 = `"Index","KernelName","gpu-id","queue-id","pid","tid","grd","wgr","lds","scr","arch_vgpr",` +
	`"accum_vgpr","BeginNs","EndNs"
0,"scale(float*) [clone .kd]",1,3,77,77,1000,64,512,16,20,4,2000,2500
`

// RpdStory is a launch and its kernel in the tables of rocmProfileData.
var RpdStory = []string{
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

// Generated returns the examples as paths.
func Generated(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, e := range Examples {
		all[name] = e.Make(t)
	}
	return all
}
