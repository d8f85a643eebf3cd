package hardware

// Config is one machine: plain data, read from a preset or a user's TOML file.
// Latencies are in SM cycles unless the name says otherwise.
type Config struct {
	Name        string       `toml:"name"`        // of the machine, as it stands in the tables
	Description string       `toml:"description"` // one line for people: which GPU, and where its numbers are from
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
	CoreMHz float64 `toml:"core_mhz"` // MHz of the SMs; a cycle without a name is one of this clock
	IcntMHz float64 `toml:"icnt_mhz"` // MHz of the crossbar
	L2MHz   float64 `toml:"l2_mhz"`   // MHz of the L2
	DRAMMHz float64 `toml:"dram_mhz"` // MHz of DRAM commands; data moves dram.data_rate times as often
}

// SMConfig is one streaming multiprocessor.
type SMConfig struct {
	Count             int    `toml:"count"`              // SMs of the GPU
	ComputeCapability int    `toml:"compute_capability"` // major × 10 + minor; 0: no GPU of NVIDIA
	Schedulers        int    `toml:"schedulers"`         // warp schedulers (sub-cores) of an SM
	IssueWidth        int    `toml:"issue_width"`        // instructions of one warp per scheduler and cycle; 2: dual issue
	WarpScheduler     string `toml:"warp_scheduler"`     // greedy then oldest (gto) or youngest (gty); round robin (lrr)
	MaxWarps          int    `toml:"max_warps"`          // resident warps of an SM at most
	MaxThreads        int    `toml:"max_threads"`        // resident threads of an SM at most
	MaxCTAs           int    `toml:"max_ctas"`           // resident CTAs of an SM at most
	Registers         int    `toml:"registers"`          // 32-bit registers of an SM
	RegisterUnit      int    `toml:"register_unit"`      // registers are given to a warp in multiples of this
	WarpUnit          int    `toml:"warp_unit"`          // warps of a CTA are counted in multiples of this for registers
	SharedBytes       int    `toml:"shared_bytes"`       // largest share of shared memory, bytes of an SM
	SharedUnit        int    `toml:"shared_unit"`        // shared memory is given to a CTA in multiples of this, bytes
	SharedReserved    int    `toml:"shared_reserved"`    // system bytes added per CTA
	Barriers          int    `toml:"barriers"`           // named barriers of a CTA
	PipelineDepth     int    `toml:"pipeline_depth"`     // cycles from an ALU result to a dependent issue
	OperandCollectors int    `toml:"operand_collectors"` // collectors; direct: waiting memory instructions (0: any)
	Pipeline          string `toml:"pipeline"`           // direct, or with the operand collectors of GPGPU-Sim (collector)
	RegisterBanks     int    `toml:"register_banks"`     // register banks, divided among the schedulers; collector
	ResultBuses       int    `toml:"result_buses"`       // arithmetic results of an SM in a cycle; 0: any; collector
	FetchWidth        int    `toml:"fetch_width"`        // warps fetched for in a cycle; 0: all; collector
	CTALaunchLatency  int    `toml:"cta_launch_latency"` // cycles from the placement of a CTA to its first issue
	ExitLatency       int    `toml:"exit_latency"`       // cycles from EXIT to the end of its warp
	AtomicsHoldWarp   bool   `toml:"atomics_hold_warp"`  // a warp with an atomic on its way does not issue
	StoresHoldCTA     bool   `toml:"stores_hold_cta"`    // a CTA stays for its stores; false: for its loads alone
	// lanes of an atomic on the same bytes: one request (merged), one each (split), or one that keeps the slice a cycle
	// for each lane (serial)
	AtomicConflicts string `toml:"atomic_conflicts"`
	WarpLaunchGap   int    `toml:"warp_launch_gap"` // cycles between first issues of two warps of a CTA; 0: none
}

// UnitConfig is the timing of one instruction class.
type UnitConfig struct {
	Latency    int `toml:"latency"`    // cycles from issue to result
	Initiation int `toml:"initiation"` // cycles until the unit of a scheduler takes the next instruction
}

// ExecConfig is the timing of the arithmetic classes. A unit is per scheduler.
type ExecConfig struct {
	Int     UnitConfig `toml:"int"`     // integer arithmetic
	FP16    UnitConfig `toml:"fp16"`    // half precision
	FP32    UnitConfig `toml:"fp32"`    // single precision
	FP64    UnitConfig `toml:"fp64"`    // double precision
	SFU     UnitConfig `toml:"sfu"`     // special functions (sine, reciprocal, square root)
	Tensor  UnitConfig `toml:"tensor"`  // tensor cores
	Uniform UnitConfig `toml:"uniform"` // uniform datapath
	Control UnitConfig `toml:"control"` // branches and other control instructions
	Texture UnitConfig `toml:"texture"` // texture fetches, whose addresses the trace does not have
}

// SharedConfig is the shared memory.
type SharedConfig struct {
	Latency   int    `toml:"latency"`   // cycles of an access without conflicts
	Banks     int    `toml:"banks"`     // banks, each 4 bytes wide
	Writeback int    `toml:"writeback"` // cycles from the end of the latency to a dependent issue
	Wide      string `toml:"wide"`      // conflicting words of wide accesses: all, in passes, or a lane's first
}

// MemoryConfig is the memory engine of the machine.
type MemoryConfig struct {
	Engine string `toml:"engine"` // analytical (reserve), or cycle-level as GPGPU-Sim (cycle)
}

// L1Config is the L1 data cache of an SM. It has l1.bytes / (l1.line_bytes × l1.ways)
// sets; a larger shared memory takes ways away.
type L1Config struct {
	Bytes         int   `toml:"bytes"`          // bytes with no shared memory in use
	Unified       int   `toml:"unified"`        // bytes of L1 and shared memory together; 0: split as l1.bytes says
	Carveouts     []int `toml:"carveouts"`      // sizes that the shared memory of a unified L1 can have, bytes, rising
	LineBytes     int   `toml:"line_bytes"`     // bytes of a line
	SectorBytes   int   `toml:"sector_bytes"`   // bytes that a miss fetches and a request carries at most
	Ways          int   `toml:"ways"`           // lines of a set
	Latency       int   `toml:"latency"`        // cycles of a hit
	BypassLatency int   `toml:"bypass_latency"` // cycles before the crossbar of an access that bypasses the L1
	Banks         int   `toml:"banks"`          // banks, each with one lookup in a cycle
	MSHRs         int   `toml:"mshrs"`          // outstanding misses of an L1; 0: any number
	Merge         int   `toml:"merge"`          // requests per MSHR; 0: any number
	MissQueue     int   `toml:"miss_queue"`     // misses that wait for the crossbar
	GlobalLoads   bool  `toml:"global_loads"`   // global loads are cached; false: global loads and stores bypass the L1
	WriteAllocate bool  `toml:"write_allocate"` // a store that misses gets a line; false: it passes on to the L2

	// written lines stay while they are fewer than this percentage of all lines; memory.engine = "cycle" alone
	WriteRatio int `toml:"write_ratio_pct"`
}

// IcntConfig is the crossbar, one port each way per SM, or a few SMs, and per L2 slice.
type IcntConfig struct {
	Latency    int  `toml:"latency"`      // crossbar cycles each way, unloaded
	SMsPerPort int  `toml:"sms_per_port"` // SMs that share a port; cycle engine
	FlitBytes  int  `toml:"flit_bytes"`   // bytes per port and crossbar cycle
	Queue      int  `toml:"queue"`        // packets that wait at each side, before a port of an SM or a slice
	HeadOfLine bool `toml:"head_of_line"` // a packet that waits for its port stops those behind it
}

// L2Config is the L2 cache.
type L2Config struct {
	Bytes       int    `toml:"bytes"`        // bytes of all slices
	Slices      int    `toml:"slices"`       // slices of the GPU, in equal parts on the DRAM channels
	LineBytes   int    `toml:"line_bytes"`   // bytes of a line, as in the L1
	SectorBytes int    `toml:"sector_bytes"` // bytes that a miss fetches
	WriteBack   bool   `toml:"write_back"`   // false: stores go through to DRAM and drop the line of the L2
	Ways        int    `toml:"ways"`         // lines of a set
	Latency     int    `toml:"latency"`      // ROP latency: cycles from the arrival at the slice to its reply
	MSHRs       int    `toml:"mshrs"`        // outstanding misses of a slice; 0: any number
	Merge       int    `toml:"merge"`        // requests per MSHR; 0: any number
	MissQueue   int    `toml:"miss_queue"`   // misses of a slice that wait for DRAM
	Queue       int    `toml:"queue"`        // requests that wait at a slice
	Hash        string `toml:"hash"`         // from address to slice: linear, xor, or a polynomial (ipoly)
	SetHash     string `toml:"set_hash"`     // from line to set of a slice: spread, or a polynomial (ipoly)
	CopiesWarm  bool   `toml:"copies_warm"`  // copies from the host to the device leave their data in the L2
}

// DRAMConfig is the device memory. Timings are in DRAM command cycles.
type DRAMConfig struct {
	Bytes      int64  `toml:"bytes"`       // bytes of the device memory
	Channels   int    `toml:"channels"`    // memory controllers
	Banks      int    `toml:"banks"`       // banks of a channel
	BankGroups int    `toml:"bank_groups"` // bank groups of a channel; the lowest bits of a bank number are its group
	RowBytes   int    `toml:"row_bytes"`   // bytes of an open row of a bank
	BusBytes   int    `toml:"bus_bytes"`   // bytes per channel and transfer
	DataRate   int    `toml:"data_rate"`   // transfers per command cycle
	BurstBytes int    `toml:"burst_bytes"` // bytes of a column command; cycle engine
	Mapping    string `toml:"mapping"`     // bits of an address as gpgpu_mem_addr_mapping has them; "": chunks of 256 B
	BankHash   string `toml:"bank_hash"`   // row bits in a bank's number: none (linear), the lowest (xor), or ipoly
	Latency    int    `toml:"latency"`     // constant part of an access, SM cycles
	DualBus    bool   `toml:"dual_bus"`    // a row command and a column command in one cycle; false: one command
	Lead       int    `toml:"lead"`        // SM cycles that the DRAM clock began before SM cycle 0; cycle engine
	ClockSums  bool   `toml:"clock_sums"`  // the clocks' ticks are sums of periods rounded as doubles; cycle engine
	Window     int    `toml:"window"`      // scheduling window of a channel: requests among which FR-FCFS chooses
	Return     int    `toml:"return"`      // requests held beside the window; in the cycle engine each slice has one more
	WriteQueue int    `toml:"write_queue"` // write-backs in a queue of their own; 0: in the window; cycle engine
	WriteHigh  int    `toml:"write_high"`  // queued write-backs from which on a channel writes, not reads
	WriteLow   int    `toml:"write_low"`   // below so many it reads again
	TCCD       int    `toml:"tccd"`        // column command to column command
	TCCDL      int    `toml:"tccdl"`       // column commands of one bank group
	TRRD       int    `toml:"trrd"`        // activate to activate, of two banks
	TRCD       int    `toml:"trcd"`        // activate to column command
	TRAS       int    `toml:"tras"`        // activate to precharge
	TRP        int    `toml:"trp"`         // precharge to activate
	TRC        int    `toml:"trc"`         // activate to activate, of one bank
	TRTPL      int    `toml:"trtpl"`       // read to precharge, of one bank group
	TCL        int    `toml:"tcl"`         // read to its data
	TWL        int    `toml:"twl"`         // write to its data
	TCDLR      int    `toml:"tcdlr"`       // end of write data to a read
	TWR        int    `toml:"twr"`         // end of write data to a precharge
	TREFI      int    `toml:"trefi"`       // from one refresh of all banks to the next; 0: none
	TRFC       int    `toml:"trfc"`        // duration of a refresh
}

// TLBConfig is the address translation of an SM.
type TLBConfig struct {
	Entries     int `toml:"entries"`      // translations of an SM; 0: every access hits
	PageBytes   int `toml:"page_bytes"`   // bytes of a page
	MissLatency int `toml:"miss_latency"` // cycles of a miss
}

// KMUConfig is the kernel management unit, the kernel distributor and the CTA
// scheduler.
type KMUConfig struct {
	HWQs            int     `toml:"hwqs"`             // hardware work queues (streams side by side)
	DispatchLatency int     `toml:"dispatch_latency"` // cycles from the KMU to the kernel distributor
	Entries         int     `toml:"entries"`          // kernels in the kernel distributor
	SerialDispatch  bool    `toml:"serial_dispatch"`  // a dispatch begins when the last has ended; false: they overlap
	CTAsPerCycle    float64 `toml:"ctas_per_cycle"`   // CTAs placed in a cycle over all SMs, to a thousandth
}

// HostConfig is the host, its links and its storage.
type HostConfig struct {
	LaunchLatency    int     `toml:"launch_latency"`     // cycles from a launch of the host to its arrival at the KMU
	LaunchOverheadNs float64 `toml:"launch_overhead_ns"` // ns of the host for one launch call
	CopyCallNs       float64 `toml:"copy_call_ns"`       // ns of the host for one call of an asynchronous copy
	WorkScale        float64 `toml:"work_scale"`         // factor of the times that the host has in the trace
	CopyLatencyNs    float64 `toml:"copy_latency_ns"`    // ns, fixed part of a copy
	PCIeGBs          float64 `toml:"pcie_gb_s"`          // GB/s each way, host and device (1e9 bytes); 0: free
	StorageMBs       float64 `toml:"storage_mb_s"`       // MB/s of storage (1e6 bytes); 0: files are free
	PageBytes        int     `toml:"page_bytes"`         // bytes of a page of CRCS and PPCS
}

// LaunchConfig is the launch path of the device: base + lanes × per lane, in cycles per
// warp.
type LaunchConfig struct {
	StreamCreate   int  `toml:"stream_create"`    // cycles of the creation of a stream
	ParamBase      int  `toml:"param_base"`       // cycles of a parameter buffer, base
	ParamPerLane   int  `toml:"param_per_lane"`   // cycles of a parameter buffer, per lane
	DeviceBase     int  `toml:"device_base"`      // cycles of the launch call, base
	DevicePerLane  int  `toml:"device_per_lane"`  // cycles of the launch call, per lane
	BlocksWarp     bool `toml:"blocks_warp"`      // the call holds the warp; false: it delays the child
	StreamPerChild bool `toml:"stream_per_child"` // a stream is created for each launch
	DeviceSync     int  `toml:"device_sync"`      // cycles of the synchronise call
	RecordBytes    int  `toml:"record_bytes"`     // bytes of a pending launch, beside its parameters
}

// CPUConfig is the multicore that the pthreads baseline runs on.
type CPUConfig struct {
	Cores    int     `toml:"cores"`     // cores of the CPU
	ClockMHz float64 `toml:"clock_mhz"` // MHz of a core
	IPC      float64 `toml:"ipc"`       // instructions per cycle and core
}
