package converttest

// NcuHead are the columns that both pages of ncu begin with.
const NcuHead = `"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid ` +
	`Size","Device","CC",`

// NcuDetails is two launches of the page of details, as printed. It has lines of the program and the tool before and
// between, a rule without a metric, a metric without a place in traces, and sizes in Kbyte.
const NcuDetails = `wrote 7 rows to somewhere
==PROF== Connected to process 371693 (/opt/gemm)
` + NcuHead + `"Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","GPU Speed Of Light ` +
	`Throughput","SM Frequency","hz","1,410,000,000.50","","",""
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","GPU Speed Of Light ` +
	`Throughput","Elapsed Cycles","cycle","30,000","","",""
==PROF== Profiling "g" - 1: 0%....50%....100% - 9 passes
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","GPU Speed Of Light ` +
	`Throughput","Duration","us","20.00","","",""
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","SpeedOfLight","","","",` +
	`"SOLBottleneck","OPT","Memory is more heavily utilized, than Compute"
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","Launch Statistics",` +
	`"Registers Per Thread","register/thread","40"
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","Launch Statistics",` +
	`"Static Shared Memory Per Block","byte/block","512"
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","Launch Statistics",` +
	`"Dynamic Shared Memory Per Block","Kbyte/block","32.77"
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","Launch Statistics","# ` +
	`SMs","SM","28"
loss 0.25, step 3
"1","9","gemm","h","ncclKernel_AllReduce(int)","1","13","(32, 1, 1)","(1, 1, 1)","0","8.6","GPU Speed Of Light ` +
	`Throughput","Duration","ms","1.205"
"1","9","gemm","h","ncclKernel_AllReduce(int)","1","13","(32, 1, 1)","(1, 1, 1)","0","8.6","GPU Speed Of Light ` +
	`Throughput","Elapsed Cycles","cycle","n/a"
`

// NcuRaw is the same launches of the raw page, units in a row of their own.
const NcuRaw = NcuHead + `"device__attribute_display_name","gpc__cycles_elapsed.max","gpu__time_duration.sum",` +
	`"launch__registers_per_thread","launch__shared_mem_per_block_dynamic","launch__shared_mem_per_block_static",` +
	`"launch__sm_count","dram__bytes.sum"
"","","","","","","","","","","","","cycle","ns","register/thread","byte/block","byte/block","SM","byte"
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","RTX 3060","30,000","20,` +
	`000","40","32,768","512","28","10,240,000"
"1","9","gemm","h","ncclKernel_AllReduce(int)","1","13","(32, 1, 1)","(1, 1, 1)","0","8.6","RTX 3060","","1,205,` +
	`000","","","","28",""
`
