package timeline

import (
	"math"

	"gpureplay/trace"
)

// Unknown is the start or the duration of an activity whose source does not say it. A
// start of 0 and a duration of 0 say the same: profilers write them for lost records.
const Unknown = math.MinInt64

// Activity is a piece of work on a device. Times are in nanoseconds on the
// clock of the capture.
type Activity struct {
	Kind        ActivityKind
	Process     uint64 // whose ids Correlation has; 0 if the source does not say
	Correlation uint64 // 0: none
	Device      uint32
	Stream      uint64
	StartNs     int64 // or Unknown
	DurationNs  int64 // or Unknown
	Graph       bool  // part of a graph launch

	// Of kernels.
	Name        string
	Sized       bool // the source has the grid
	Grid        trace.Dim3
	Block       trace.Dim3
	Cluster     trace.Dim3
	Registers   uint32
	SharedBytes uint32
	LocalBytes  uint32
	Whole       bool   // a whole graph launch, recorded as one activity
	GridID      uint64 // by which children name their parent; 0: none

	// Of copies and memory sets.
	Copy     trace.OpKind // OpCopyH2D, OpCopyD2H, OpCopyD2D or OpCopyP2P
	Pageable bool         // the host side is pageable memory
	Async    bool         // the host does not wait; a call may say so too
	Blocking bool         // the host waits, where no call says otherwise
	Bytes    uint64
	Addr     uint64
}

// ActivityKind is the kind of an [Activity].
type ActivityKind uint8

const (
	Kernel ActivityKind = iota
	Copy
	Memset
)

// Call is an API call of the host.
type Call struct {
	Kind        CallKind
	Process     uint64 // whose ids Correlation has
	Correlation uint64 // 0: none
	Host        uint64 // operating system process
	Thread      uint64
	StartNs     int64
	DurationNs  int64
	Async       bool   // copies: named so
	Bytes       uint64 // copies: where the activity lacks it

	// Of launches: where the activity lacks it (AMD).
	Sized       bool
	Grid        trace.Dim3
	Block       trace.Dim3
	SharedBytes uint32
	WorkItems   bool // Grid, the activity's too, is in threads, not CTAs
}

// CallKind is the kind of a [Call].
type CallKind uint8

const (
	CallNone  CallKind = iota
	CallOther          // unknown: gives its times to an activity, and else is nothing
	CallLaunch
	CallGraph
	CallCopy
	CallMemset
	CallRecord                   // records an event
	CallWait                     // lets a stream wait for an event
	CallSyncStream               // waits for a stream
	CallSyncEvent                // waits for an event
	CallSyncDevice               // waits for the device
	CallQueryEvent               // asks whether an event has come
	firstDeviceless = CallRecord // calls from here on have no activity
)

// Sync is a profiler's record of the call of the same correlation id: CallWait, CallSyncStream, CallSyncEvent,
// CallSyncDevice, or CallRecord.
type Sync struct {
	Kind        CallKind
	Process     uint64
	Correlation uint64
	Device      uint32 // valid if HasDevice
	HasDevice   bool
	Stream      uint64 // valid if HasStream
	HasStream   bool
	Event       uint64 // valid if HasEvent
	HasEvent    bool
	StartNs     int64
	DurationNs  int64

	// Of waits: the call that recorded the event, and its stream; 0 if unknown.
	RecordCorrelation uint64
	RecordStream      uint64
}

// Sized reports whether a record states a grid and a block: no extent of either is 0.
func Sized(grid, block trace.Dim3) bool {
	return min(grid[0], grid[1], grid[2]) > 0 && min(block[0], block[1], block[2]) > 0
}
