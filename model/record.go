package model

import (
	"gpureplay/model/clock"
	"gpureplay/model/exec"
	"gpureplay/model/memory"
	"gpureplay/trace"
)

// Time is in cycles of the SM clock since the start of the run.
type Time = clock.Time

// Unset marks a time that has not come: the work never started, or the trace
// does not say. Tables write it as NULL.
const Unset = clock.Unset

// never is later than any time of a run.
const never = clock.Never

// NoKernel stands for no kernel where a kernel id is expected.
const NoKernel = ^uint32(0)

// Observer watches a run and can change nothing. The machine reuses the records: an observer
// copies those that it keeps. Records of one type come in the order
// of their end (or, where they have none, of their time); that order is the
// same in every run.
type Observer interface {
	Kernel(*KernelRecord)
	CTA(*CTARecord)
	Stage(*StageRecord)
	Launch(*LaunchRecord)
	Page(*PageRecord)
	Task(*TaskRecord)
	Sample(*SampleRecord)
}

// KernelRecord is one kernel instance, emitted when it ends.
type KernelRecord struct {
	ID          uint32
	Function    string
	Short       string // Function as trace.ShortNames has it among the functions of the trace
	Device      bool   // launched from the device
	Parent      uint32 // kernel id; NoKernel if launched by the host
	Stream      uint64
	Fidelity    trace.Fidelity
	Inferred    trace.Inferred // of its work
	Grid, Block trace.Dim3
	Registers   uint32 // of a thread
	SharedBytes uint32 // of a CTA
	CTAs        uint64 // native and aggregated
	Arrive      Time   // known to the KMU
	Dispatch    Time   // entered the kernel distributor
	FirstCTA    Time   // first CTA placed on an SM
	LastCTA     Time   // last CTA placed on an SM
	End         Time
	WarpInsts   uint64
	ThreadInsts uint64
	Work        KernelWork
	Recorded    *trace.Recorded // nil: the capture has no times

	Programmatic bool // launched with programmatic stream serialization
}

// CTARecord is one CTA, emitted when it ends.
type CTARecord = exec.Record

// StageKind is a stage of the host's program.
type StageKind uint8

const (
	StagePrelude  StageKind = iota // file reads
	StageH2D                       // host to device copies
	StageKernel                    // first CTA to end of a kernel
	StageD2H                       // device to host copies
	StagePostlude                  // file writes
	StageProfiler                  // CRCS pre-profiler of a kernel
	NumStages     = iota
)

// StageRecord is one interval of the host's program.
type StageRecord struct {
	Stage  StageKind
	Kernel uint32 // NoKernel for stages that are not of a kernel
	Array  uint32 // trace.NoArray if it is of none
	Start  Time   // cycles
	End    Time
	Bytes  uint64
}

// Decision is a launch control's decision on a child-launch request.
type Decision uint8

const (
	Inline       Decision = iota // the parent lane does the work
	DeviceKernel                 // a kernel of its own, through the KMU
	Group                        // a group that joins a kernel of the distributor, or a later request of a merged launch
	Keep                         // the launch control keeps it ([LaunchKeeper]); its record has the later outcome
)

// LaunchRecord is one child-launch request, emitted when its outcome is final.
type LaunchRecord struct {
	Parent   uint32
	CTA      uint32
	Warp     uint32
	Lane     uint8
	Child    uint32 // kernel id in the trace
	Time     Time   // of the call
	Workload uint32 // items
	CTAs     uint32
	Marked   bool // the program's own rule would launch it
	Decision Decision
	Reason   string // one of a fixed set of words per policy

	Noted *Notes // of the launch control; nil: none

	Eligible       bool  // DTBL: a kernel in the distributor matches
	AGT            int32 // index of the entry; -1: none
	Spilled        bool  // DTBL: the record stays in global memory
	Arrive         Time  // known to the KMU or appended to its kernel; Unset if inline
	FirstCTA       Time  // Unset if inline
	FootprintBytes uint64
}

// PageRecord is one change of a page's state.
type PageRecord struct {
	Time     Time
	Page     uint64 // device address / page size
	Array    uint32
	From, To uint32 // owner kernels; NoKernel: none
	Ready    bool
	Readers  uint32 // remaining counts of the owner
	Writers  uint32
}

// TaskRecord is one narrow task, emitted when its output is back.
type TaskRecord struct {
	Kernel      uint32
	Spawn       Time // the host requested it
	Copied      Time // its entry is on the device
	Schedulable Time // released
	FirstWarp   Time
	End         Time  // last warp ended
	Back        Time  // output on the host
	Worker      int32 // MTB, or SM; -1: none
	Warps       uint32
	SharedBytes uint32
}

// SampleRecord is one window of the timeline.
type SampleRecord struct {
	Start, End     Time   // of the window, cycles
	ParentCTAs     uint32 // resident at the end of the window
	ChildCTAs      uint32
	ActiveWarps    uint32
	Registers      uint64 // allocated
	SharedBytes    uint64
	ResidentCTAs   uint32
	PendingKernels uint32
	KDEUsed        uint32
	AGTUsed        uint32
	WarpInsts      uint64   // issued in the window
	L2Sectors      uint64   // of accesses to the L2 that were made in the window, as those that follow
	DRAMReads      uint64   // sectors
	DRAMWrites     uint64   // sectors
	Kernels        []uint32 // the kernels that the lists below are of
	PagesOwned     []uint32
	SMsHeld        []uint32
	CTAsFinished   []uint32
}

// Summary has the totals of a run.
type Summary struct {
	Cycles                 Time
	Cut                    bool // the run ended before its program: the figures cover its beginning
	Kernels                uint64
	KernelsInferred        uint64 // those with an Inferred other than nothing
	CTAs                   uint64
	Warps                  uint64
	WarpInsts              uint64
	ThreadInsts            uint64
	Events                 uint64 // CTAs, warp instructions, and sectors at L1s, slices and channels
	Wakeups                uint64 // of the model's units: how often it looks, which no table has
	ActiveWarpCycles       uint64 // sum over SM cycles with a resident warp of resident warps
	ActiveSMCycles         uint64 // SM cycles with a resident warp
	IssueSlots             uint64 // scheduler cycles of active SM cycles
	IssuedInsts            uint64
	Memory                 []memory.Record
	LaunchesRequested      uint64
	LaunchesMade           uint64
	LaunchesInlined        uint64
	LaunchesCoalesced      uint64
	PendingLaunchPeakBytes uint64
	Extra                  []Metric // figures of the policy, in a fixed order
}

// Metric is one figure that a policy adds to the summary.
type Metric struct {
	Name  string  // snake_case with a unit suffix
	Value float64 // in the unit of its name's suffix
}

// KernelWork sums the work of a kernel's CTAs on the SMs, in the caches and in DRAM. Accesses
// of other units and a copy's sectors belong to no kernel. A line that its access evicts from
// the L2 counts as its write, even if another kernel wrote the line.
type KernelWork struct {
	ActiveSMCycles uint64               // sum over SMs of the cycles with a CTA of it
	PlaceCycles    uint64               // those times the warps that an SM holds
	WarpCycles     uint64               // sum over its CTAs of warps times cycles on the SM
	StallTimes     [exec.NumStalls]Time // sums over its CTAs
	memory.Traffic
}

// book adds a CTA that has ended.
func (w *KernelWork) book(c *CTARecord, warps int) {
	w.WarpCycles += uint64(warps) * uint64(c.End-c.Dispatch)
	for i, n := range c.StallTimes {
		w.StallTimes[i] += n
	}
}

// Notes are numbers that a launch control notes of a request, in an order of its own.
type Notes [7]int64

// KernelView is a kernel of the distributor.
type KernelView struct {
	ID       uint32 // kernel id of the trace
	Order    uint64 // program order
	Function uint32
	Stream   uint64 // as the trace has it; of a device kernel its parent's
	CTAs     uint64 // of its grid and of the groups that have joined it
	Left     uint64 // of these, not yet placed
	Resident int    // CTAs on SMs
	SMs      int    // SMs that hold at least one of its CTAs
}
