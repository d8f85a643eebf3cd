package hardware

// Config is one machine: plain data, read from a preset or a user's TOML file.
// Latencies are in SM cycles unless the name says otherwise.
type Config struct {
	Name        string       `toml:"name"`
	Description string       `toml:"description"`
	Clock       ClockConfig  `toml:"clock"`
	SM          SMConfig     `toml:"sm"`
	Exec        ExecConfig   `toml:"exec"`
	Shared      SharedConfig `toml:"shared"`
	Memory      MemoryConfig `toml:"memory"`
	L1          L1Config     `toml:"l1"`
	Icnt        IcntConfig   `toml:"icnt"`
	L2          L2Config     `toml:"l2"`
	DRAM        DRAMConfig   `toml:"dram"`
	TLB         TLBConfig    `toml:"tlb"`
	KMU         KMUConfig    `toml:"kmu"`
	Host        HostConfig   `toml:"host"`
	Launch      LaunchConfig `toml:"launch"`
	CPU         CPUConfig    `toml:"cpu"`
}

// ClockConfig holds the clock domains.
type ClockConfig struct {
	CoreMHz float64 `toml:"core_mhz"`
	IcntMHz float64 `toml:"icnt_mhz"`
	L2MHz   float64 `toml:"l2_mhz"`
	DRAMMHz float64 `toml:"dram_mhz"` // command clock
}

// SMConfig is one streaming multiprocessor.
type SMConfig struct {
	Count             int    `toml:"count"`
	ComputeCapability int    `toml:"compute_capability"` // major × 10 + minor; 0: no GPU of NVIDIA
	Schedulers        int    `toml:"schedulers"`
	IssueWidth        int    `toml:"issue_width"`    // instructions of one warp per scheduler and cycle; 2: dual issue
	WarpScheduler     string `toml:"warp_scheduler"` // "gto", "gty" or "lrr"
	MaxWarps          int    `toml:"max_warps"`
	MaxThreads        int    `toml:"max_threads"`
	MaxCTAs           int    `toml:"max_ctas"`
	Registers         int    `toml:"registers"`
	RegisterUnit      int    `toml:"register_unit"`      // registers are given to a warp in multiples of this
	WarpUnit          int    `toml:"warp_unit"`          // warps of a CTA are counted in multiples of this for registers
	SharedBytes       int    `toml:"shared_bytes"`       // largest share of shared memory
	SharedUnit        int    `toml:"shared_unit"`        // shared memory is given in multiples of this
	SharedReserved    int    `toml:"shared_reserved"`    // system bytes added per CTA
	Barriers          int    `toml:"barriers"`           // named barriers of a CTA
	PipelineDepth     int    `toml:"pipeline_depth"`     // a dependent ALU instruction issues latency + this later
	OperandCollectors int    `toml:"operand_collectors"` // collector units; in the direct pipeline, memory instructions that wait (0: any)
	Pipeline          string `toml:"pipeline"`           // "direct" or "collector", see [PipelineDirect]
	RegisterBanks     int    `toml:"register_banks"`     // of an SM, divided among its schedulers; collector pipeline
	ResultBuses       int    `toml:"result_buses"`       // arithmetic results of an SM in a cycle; 0: any number; collector pipeline
	FetchWidth        int    `toml:"fetch_width"`        // warps fetched for in a cycle; 0: all; collector pipeline
	CTALaunchLatency  int    `toml:"cta_launch_latency"` // placement to first issue
	ExitLatency       int    `toml:"exit_latency"`       // EXIT to the end of its warp
	AtomicsHoldWarp   bool   `toml:"atomics_hold_warp"`  // a warp with an atomic on its way does not issue
	StoresHoldCTA     bool   `toml:"stores_hold_cta"`    // a CTA leaves its SM when its stores are acknowledged; false: when its warps have exited and its loads are back
	AtomicConflicts   string `toml:"atomic_conflicts"`   // lanes of an atomic on the same bytes: "merged", "split" or "serial"
	WarpLaunchGap     int    `toml:"warp_launch_gap"`    // from a warp of a CTA to the next one's first issue; 0: all at once
}

// UnitConfig is the timing of one instruction class.
type UnitConfig struct {
	Latency    int `toml:"latency"`
	Initiation int `toml:"initiation"` // cycles until the unit of a scheduler takes the next instruction
}

// ExecConfig is the timing of the arithmetic classes. A unit is per scheduler.
type ExecConfig struct {
	Int     UnitConfig `toml:"int"`
	FP16    UnitConfig `toml:"fp16"`
	FP32    UnitConfig `toml:"fp32"`
	FP64    UnitConfig `toml:"fp64"`
	SFU     UnitConfig `toml:"sfu"`
	Tensor  UnitConfig `toml:"tensor"`
	Uniform UnitConfig `toml:"uniform"`
	Control UnitConfig `toml:"control"`
	Texture UnitConfig `toml:"texture"` // fetches whose addresses the trace has not
}

// SharedConfig is the shared memory.
type SharedConfig struct {
	Latency   int    `toml:"latency"`
	Banks     int    `toml:"banks"`     // 4 bytes wide
	Writeback int    `toml:"writeback"` // cycles from the end of the latency until what needs the result may issue
	Wide      string `toml:"wide"`      // which words of a lane that has more than one conflict: "passes", all, 128 B at a time, or "first"
}

// MemoryConfig chooses the memory engine of the machine.
type MemoryConfig struct {
	Engine string `toml:"engine"` // "reserve" or "cycle", see [EngineReserve]
}

// L1Config is the L1 data cache of an SM. The sets are fixed by Bytes, LineBytes
// and Ways; a larger shared memory takes ways away.
type L1Config struct {
	Bytes         int   `toml:"bytes"`     // with no shared memory in use
	Unified       int   `toml:"unified"`   // bytes of L1 and shared memory together; 0: split as Bytes says
	Carveouts     []int `toml:"carveouts"` // sizes in bytes, rising, that the shared memory of a unified L1 can have
	LineBytes     int   `toml:"line_bytes"`
	SectorBytes   int   `toml:"sector_bytes"` // what a miss fetches and a request carries at most
	Ways          int   `toml:"ways"`
	Latency       int   `toml:"latency"`
	BypassLatency int   `toml:"bypass_latency"` // of what passes by the L1, before the crossbar
	Banks         int   `toml:"banks"`
	MSHRs         int   `toml:"mshrs"`
	Merge         int   `toml:"merge"` // requests per MSHR
	MissQueue     int   `toml:"miss_queue"`
	GlobalLoads   bool  `toml:"global_loads"` // global loads are cached; false: stores pass by the L1 too
	WriteAllocate bool  `toml:"write_allocate"`
}

// IcntConfig is the crossbar, one port each way per SM and per L2 slice.
type IcntConfig struct {
	Latency    int  `toml:"latency"`      // each way, unloaded
	FlitBytes  int  `toml:"flit_bytes"`   // per port and interconnect cycle
	Queue      int  `toml:"queue"`        // packets that wait at each side of it, before a port of an SM or a slice
	HeadOfLine bool `toml:"head_of_line"` // a packet that waits for its port stops those behind it
}

// L2Config is the L2 cache.
type L2Config struct {
	Bytes       int    `toml:"bytes"`
	Slices      int    `toml:"slices"`
	LineBytes   int    `toml:"line_bytes"`
	SectorBytes int    `toml:"sector_bytes"` // what a miss fetches
	WriteBack   bool   `toml:"write_back"`   // false: stores go through to DRAM and drop what the L2 has
	Ways        int    `toml:"ways"`
	Latency     int    `toml:"latency"` // ROP latency: arrival at the slice to its answer
	MSHRs       int    `toml:"mshrs"`   // per slice
	Merge       int    `toml:"merge"`
	MissQueue   int    `toml:"miss_queue"`  // misses of a slice that wait for DRAM
	Queue       int    `toml:"queue"`       // requests that wait at a slice
	Hash        string `toml:"hash"`        // "linear", "xor" or "ipoly": how an address chooses its slice
	SetHash     string `toml:"set_hash"`    // "spread" or "ipoly": how a line chooses its set in a slice
	CopiesWarm  bool   `toml:"copies_warm"` // host to device copies leave their data in the L2
}

// DRAMConfig is the device memory. Timings are in DRAM command cycles.
type DRAMConfig struct {
	Bytes      int64  `toml:"bytes"` // capacity of the device memory
	Channels   int    `toml:"channels"`
	Banks      int    `toml:"banks"`
	BankGroups int    `toml:"bank_groups"` // the lowest bits of a bank's number are its group's
	RowBytes   int    `toml:"row_bytes"`
	BusBytes   int    `toml:"bus_bytes"` // per channel and transfer
	DataRate   int    `toml:"data_rate"` // transfers per command cycle
	Mapping    string `toml:"mapping"`   // bits of an address as gpgpu_mem_addr_mapping has them; "": chunks of 256 B
	Latency    int    `toml:"latency"`   // constant part, in SM cycles
	DualBus    bool   `toml:"dual_bus"`  // a command for a row and one for a column in a cycle; false: one
	Lead       int    `toml:"lead"`      // SM cycles that its clock began before SM cycle 0; cycle engine
	Window     int    `toml:"window"`    // requests of a channel among which FR-FCFS chooses
	Return     int    `toml:"return"`    // how many more a channel holds, which wait for a place among those
	TCCD       int    `toml:"tccd"`
	TCCDL      int    `toml:"tccdl"` // column commands of one bank group
	TRRD       int    `toml:"trrd"`
	TRCD       int    `toml:"trcd"`
	TRAS       int    `toml:"tras"`
	TRP        int    `toml:"trp"`
	TRC        int    `toml:"trc"`
	TRTPL      int    `toml:"trtpl"` // read to precharge, of one bank group
	TCL        int    `toml:"tcl"`
	TWL        int    `toml:"twl"`
	TCDLR      int    `toml:"tcdlr"`
	TWR        int    `toml:"twr"`
	TREFI      int    `toml:"trefi"` // refresh of all banks: from one to the next; 0: none
	TRFC       int    `toml:"trfc"`  // how long one takes
}

// TLBConfig is the address translation of an SM. Entries 0: every access hits.
type TLBConfig struct {
	Entries     int `toml:"entries"`
	PageBytes   int `toml:"page_bytes"`
	MissLatency int `toml:"miss_latency"`
}

// KMUConfig is the kernel management unit, the kernel distributor and the CTA
// scheduler.
type KMUConfig struct {
	HWQs            int     `toml:"hwqs"`
	DispatchLatency int     `toml:"dispatch_latency"` // KMU to kernel distributor
	Entries         int     `toml:"entries"`          // of the kernel distributor
	SerialDispatch  bool    `toml:"serial_dispatch"`  // a dispatch begins when the one before it has ended; false: they overlap
	CTAsPerCycle    float64 `toml:"ctas_per_cycle"`   // placed over all SMs, in thousandths
}

// HostConfig is the host, its links and its storage.
type HostConfig struct {
	LaunchLatency    int     `toml:"launch_latency"`     // host launch to arrival at the KMU
	LaunchOverheadNs float64 `toml:"launch_overhead_ns"` // host time of one launch call
	CopyCallNs       float64 `toml:"copy_call_ns"`       // host time of one call of an asynchronous copy
	WorkScale        float64 `toml:"work_scale"`         // times of the host that the trace has, times this
	CopyLatencyNs    float64 `toml:"copy_latency_ns"`    // fixed part of a copy
	PCIeGBs          float64 `toml:"pcie_gb_s"`          // each way, 1e9 bytes
	StorageMBs       float64 `toml:"storage_mb_s"`       // 1e6 bytes
	PageBytes        int     `toml:"page_bytes"`
}

// LaunchConfig is the device-side launch path: Ax + b cycles per warp, x the
// asking lanes.
type LaunchConfig struct {
	StreamCreate   int  `toml:"stream_create"`
	ParamBase      int  `toml:"param_base"`
	ParamPerLane   int  `toml:"param_per_lane"`
	DeviceBase     int  `toml:"device_base"`
	DevicePerLane  int  `toml:"device_per_lane"`
	BlocksWarp     bool `toml:"blocks_warp"`      // the call holds the warp; false: it delays the child
	StreamPerChild bool `toml:"stream_per_child"` // a stream is created for each launch
	DeviceSync     int  `toml:"device_sync"`      // cost of the synchronise call
	RecordBytes    int  `toml:"record_bytes"`     // of a pending launch, beside its parameters
}

// CPUConfig is the multicore that the pthreads baseline runs on.
type CPUConfig struct {
	Cores    int     `toml:"cores"`
	ClockMHz float64 `toml:"clock_mhz"`
	IPC      float64 `toml:"ipc"`
}
