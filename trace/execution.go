package trace

import (
	"math"
	"math/bits"
)

// Dim3 is an extent or an index in x, y, z.
type Dim3 [3]uint32

// Count returns x·y·z, at most 2⁶⁴ - 1.
func (d Dim3) Count() uint64 {
	over, n := bits.Mul64(uint64(d[0])*uint64(d[1]), uint64(d[2]))
	if over > 0 {
		return math.MaxUint64
	}
	return n
}

// Valid reports whether every extent is at least 1 and their product below 2³²: the
// ids of CTAs and warps have 32 bits.
func (d Dim3) Valid() bool {
	n := d.Count()
	return n > 0 && n <= math.MaxUint32
}

// At returns the index of an element by its number, x first, in a valid extent.
func (d Dim3) At(id uint32) Dim3 {
	return Dim3{id % d[0], id / d[0] % d[1], uint32(uint64(id) / (uint64(d[0]) * uint64(d[1])))}
}

// Kernel is one kernel instance: launched by the host, launched by a device
// thread (KernelChild) or spawned as a task (KernelTask).
type Kernel struct {
	ID          uint32 // dense, in the order written, from 0
	Function    uint32 // index into Program.Functions
	Fidelity    Fidelity
	Flags       KernelFlags
	Device      uint32
	Grid        Dim3   // CTAs
	Block       Dim3   // threads
	Cluster     Dim3   // CTAs; zero: no cluster
	Registers   uint32 // per thread
	SharedBytes uint32 // static and dynamic, per CTA
	LocalBytes  uint32 // per thread
	Stream      uint64
	SharedBase  uint64    // generic window of shared memory; 0: none
	LocalBase   uint64    // generic window of local memory; 0: none
	Recorded    *Recorded // nil: the source has no times
	Scope       uint32    // 1 + index of the innermost scope that launched it; 0: none

	// Kept by the Writer.
	CTAs        uint32 // CTAs that the trace holds; fewer than the grid if some are missing
	Warps       uint64
	WarpInsts   uint64
	ThreadInsts uint64
	MemInsts    uint64
}

// WarpsPerCTA returns the warps of a CTA, by the block.
func (k *Kernel) WarpsPerCTA() uint32 { return uint32((k.Block.Count() + 31) / 32) }

// KernelFlags are facts about a [Kernel].
type KernelFlags uint8

const (
	KernelChild     KernelFlags = 1 << iota // launched by a device thread ([Launch].Child names it)
	KernelTask                              // spawned by an OpSpawn
	KernelIrregular                         // accesses memory through unbounded indirection: CRCS cannot bound its ranges
	// moves data between devices (NCCL, RCCL): its time is the links', not the SMs'
	KernelCollective
	// launched with the attribute of programmatic stream serialization: it may begin when all CTAs of the kernel
	// before it in its stream have triggered or ended ([PortProgrammatic])
	KernelProgrammatic
)

// Port is the point of a kernel that those behind it wait for: where an edge of a CUDA graph leaves its node.
type Port uint8

const (
	PortCompleted    Port = iota // it has completed
	PortProgrammatic             // all its CTAs have triggered or ended
	PortBegun                    // all its CTAs have begun
	NumPorts         = iota
)

// Recorded holds the times of a capture, in nanoseconds since the capture's
// start. A negative value is unknown.
type Recorded struct {
	HostNs     int64 // when the host called the API
	StartNs    int64 // when the work began on the device
	DurationNs int64
}

// OpKind is the kind of a [HostOp].
type OpKind uint8

const (
	OpFileRead    OpKind = iota // prelude: storage into the host copy of Array
	OpFileWrite                 // postlude: host copy of Array to storage
	OpCopyH2D                   // host to device
	OpCopyD2H                   // device to host
	OpCopyD2D                   // within the device
	OpCopyP2P                   // between devices
	OpMemset                    // device memory set
	OpLaunch                    // launch of Kernel on Stream
	OpEventRecord               // Event completes when Stream reaches this point
	OpStreamWait                // Stream waits for Event
	OpSyncStream                // host waits for Stream
	OpSyncEvent                 // host waits for Event
	OpSyncDevice                // host waits for everything
	OpHostWork                  // host computes for Ns
	OpSpawn                     // task: Kernel, available on the host from ArrivalNs
	OpWaitTask                  // host waits for the task whose Kernel is named
	NumOpKinds    = iota
)

// HasArray reports whether operations of the kind name an array.
func (k OpKind) HasArray() bool { return k <= OpMemset }

// IsCopy reports whether operations of the kind have a device address.
func (k OpKind) IsCopy() bool { return k >= OpCopyH2D && k <= OpMemset }

// HostOp is one operation of the host, in program order.
type HostOp struct {
	Kind     OpKind
	Async    bool   // copies: the host does not wait
	Sync     bool   // OpSpawn: the task synchronises its CTAs (needs barriers)
	Kernel   uint32 // OpLaunch, OpSpawn, OpWaitTask
	Array    uint32 // index into Program.Arrays, or NoArray: file operations and copies
	Addr     uint64 // device address: copies and memset
	Bytes    uint64 // file operations, copies, memset
	Stream   uint64
	Event    uint64
	Ns       int64     // OpHostWork; of others: the recorded time of the call beside its waits
	Recorded *Recorded // copies, memset, launches; nil: the source has no times
	Scope    uint32    // the same: 1 + index of the innermost scope; 0: none
	Thread   uint32    // host thread that calls, from 0; each thread issues its own operations
	Process  uint32    // of the thread, from 0; OpSyncDevice waits for the operations of its process
	Graph    uint32    // number of the graph launch that it is part of, from 1; 0: none (docs/format.md, "Graphs")
	Port     Port      // OpEventRecord: which point of the kernel before it in Stream completes Event

	// Of OpSpawn.
	ArrivalNs int64    // since the start of the program
	InBytes   uint64   // copied to the device before the task
	InCopies  uint32   // calls that copy them; 0: one
	OutBytes  uint64   // copied back after it
	Deps      []uint32 // kernels of the tasks that must end before this one is spawned
}

// CTA is one CTA of a kernel.
type CTA struct {
	ID      uint32  // linear index in the grid: z·gy·gx + y·gx + x
	SM      int32   // SM on which it was captured; -1: unknown
	Warps   []Warp  // those with work, ascending ID
	Ranges  []Range // conservative ranges that a profiler would state; nil: use the hull of the accesses
	Touches []Range // exact ranges touched, where the fidelity is FidelityCTA
	Counts  []Count // of a CTA without Warps: the counts of all its warps; ascending Inst
}

// Count says how often the warps of a CTA execute an instruction, each time as one
// warp instruction of full warps, where a trace does not know the warps. Of n
// executions by W warps (all of the block), warp w has n/W, and one more if w is
// less than the rest. The registers of the instruction mean nothing.
type Count struct {
	Inst  uint32 // index into Function.Insts; none of ClassLaunch
	Times uint64 // warp instructions, 1 to MaxTimes
}

// MaxTimes bounds [Count].Times.
const MaxTimes = 1 << 40

// Range is a span of one array.
type Range struct {
	Array  uint32
	Mode   Mode
	Lo, Hi uint64 // byte offsets in the array, Hi exclusive
}

// Mode is how memory is used.
type Mode uint8

const (
	Read      Mode = 1
	Write     Mode = 2
	ReadWrite Mode = Read | Write
)

// Warp is the execution of one warp: a path of static instructions, masks
// where they change, one access per memory instruction, and child launches.
type Warp struct {
	ID       uint32    // index in the CTA
	Path     []uint32  // indices into Function.Insts, in execution order
	Masks    []MaskRun // active and predicated lanes; ascending At, the first at 0
	Mem      []Access  // one for each path step whose Inst.Mem(), in order
	Lists    []uint64  // address lists that Access.List refers to
	Launches []Launch  // ascending At, then Lane
}

// MaskRun is a mask that holds from path step At until the next run.
type MaskRun struct{ At, Mask uint32 } // first step; bit l: lane l is active

// Access gives the addresses of one execution of a memory instruction.
//
// Count addresses, one per active lane in ascending order (for InstBulk, one
// per element of the transfer): Base + i·Stride, or Lists[List-1:][:Count] if
// List is not 0. Count is 0 where the source records no address (constant
// space, or an empty mask).
type Access struct {
	Base   uint64 // address, bytes
	Stride int32  // bytes from one lane to the next
	List   uint32 // index of the first address in Lists, plus 1; 0: none
	Count  uint32 // number of addresses
}

// Launch is one lane's request for a child kernel at a ClassLaunch step.
//
// A request is recorded for every lane with nested work, however little; Marked
// says whether the program's own rule would have launched it (docs/policies,
// "Launch path").
type Launch struct {
	At         uint32 // path step
	Lane       uint8
	Marked     bool
	SharedSWQ  bool   // one stream for all children of the parent CTA, rather than one each
	Child      uint32 // kernel id, greater than the parent's
	Workload   uint32 // items
	ParamBytes uint32
}
