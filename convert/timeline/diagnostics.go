package timeline

import (
	"slices"

	"gpureplay/trace"
)

type oddity int

const (
	otherDevices oddity = iota
	kernelWithoutGrid
	wholeGraph
	gridOfCall
	gridInThreads
	copyWithoutSize
	noCall
	callWithoutActivity
	pairedByOrder
	correlationCollision
	duplicateActivity
	negativeDuration
	clockOffset
	lostTime
	unknownDuration
	overrun
	streamOverlap
	longName
	scopeDropped
	issuedEarly
	graphLaunch
	slowLaunch
	hostThreads
	syncStreamInferred
	syncOfAll
	eventQuery
	hostCopy
	eventUnresolved
	streamWaitInferred
	streamWaitUnresolved
	waitWithoutRecord
	numOddities = iota
)

var oddities = [numOddities]trace.Diagnostic{
	otherDevices: {Name: "other_devices", Severity: trace.DataLoss,
		Help: "activities of devices other than the one converted; convert again with --device=N for each of them"},
	kernelWithoutGrid: {Name: "kernel_without_grid", Severity: trace.DataLoss,
		Help: "kernels whose grid the profiler did not record (AMD graph replays do this); they are kept with their " +
			"times only"},
	wholeGraph: {Name: "whole_graph", Severity: trace.DataLoss,
		Help: "graph launches recorded as one activity each, without their kernels: profile with --cuda-graph-trace=node"},
	gridOfCall: {Name: "grid_of_call", Severity: trace.Info,
		Help: "kernels whose grid, block and shared memory were taken from the launching call"},
	gridInThreads: {Name: "grid_in_threads", Severity: trace.Info,
		Help: "kernels whose launching call takes the grid in threads (hipExtModuleLaunchKernel); it was divided " +
			"by the block"},
	copyWithoutSize: {Name: "copy_without_size", Severity: trace.DataLoss,
		Help: "copies or memory sets whose bytes the profiler did not record; they are kept with 0 bytes"},
	noCall: {Name: "activity_without_call", Severity: trace.Info,
		Help: "activities for which the capture has no API call; they are issued when they began on the device, or " +
			"before the wait of the host in which they began"},
	callWithoutActivity: {Name: "call_without_activity", Severity: trace.DataLoss,
		Help: "launches and copies whose activity is not in the capture (outside its window, on the host only, or " +
			"captured into a graph); they are left out"},
	pairedByOrder: {Name: "paired_by_order", Severity: trace.Info,
		Help: "activities and calls without a correlation id; as there are as many of both, the first call launched the " +
			"first activity, and so on"},
	correlationCollision: {Name: "correlation_collision", Severity: trace.Info,
		Help: "API calls that share their correlation id with another launching call; activities went to the last call " +
			"before them, of the process that drives the device"},
	duplicateActivity: {Name: "duplicate_event", Severity: trace.Info,
		Help: "activities and calls that the capture holds twice, equal in every field; the second is left out"},
	negativeDuration: {Name: "negative_duration", Severity: trace.Error,
		Help: "activities or calls that end before they begin; the duration of an activity is unknown then, that " +
			"of a call 0"},
	clockOffset: {Name: "clock_offset", Severity: trace.Info,
		Help: "activities that began before their calls, or long behind the work that the host waited for: the " +
			"clock of the " +
			"device differs from the host's; the difference is taken off"},
	lostTime: {Name: "lost_time", Severity: trace.DataLoss,
		Help: "activities or calls of time 0, or of a time that cannot be read (the profiler lost them); an activity " +
			"with a call keeps its place without times, others are left out"},
	unknownDuration: {Name: "unknown_duration", Severity: trace.DataLoss,
		Help: "activities whose duration the profiler did not record; their work is not known"},
	overrun: {Name: "overrun", Severity: trace.Error,
		Help: "activities recorded to last far beyond the begin of the next one of their stream, or the end of a wait " +
			"for them; they are cut there"},
	streamOverlap: {Name: "stream_overlap", Severity: trace.Info,
		Help: "kernels that began before the one before them in their stream had ended (programmatic launches, AMD " +
			"queues); they are marked programmatic, and replays keep the overlap"},
	longName: {Name: "long_name", Severity: trace.Info,
		Help: "kernels whose name is longer than 65536 bytes; it is cut there"},
	issuedEarly: {Name: "issued_before_call", Severity: trace.Info,
		Help: "activities that began before one of their stream that was called earlier (the capture began in queued " +
			"work, or calls of several threads crossed); they are issued before it, since a stream runs in order"},
	scopeDropped: {Name: "scope_dropped", Severity: trace.DataLoss,
		Help: "named ranges beyond 65536 different ones, or more than 64 deep; their work belongs to the range " +
			"around them"},
	graphLaunch: {Name: "graph_activity", Severity: trace.Info,
		Help: "activities of graph launches; those of one call are one launch, in the order in which they began. Its edges " +
			"are those of its streams: profilers record no others"},
	slowLaunch: {Name: "slow_launch", Severity: trace.Info,
		Help: "launching calls of more than 50 us while the device had nothing to do (code was being loaded); their " +
			"time is work of the host"},
	hostThreads: {Name: "host_threads", Severity: trace.Info,
		Help: "host threads that called the API of the device; each issues its own calls, and its waits hold no other"},
	syncStreamInferred: {Name: "sync_stream_inferred", Severity: trace.Info,
		Help: "stream synchronisations whose stream the profiler did not record; taken to be the one that the " +
			"thread used last"},
	syncOfAll: {Name: "sync_of_all_streams", Severity: trace.Info,
		Help: "waits for a stream or an event that had nothing left to do, which ended when the last of the other " +
			"streams did: they wait for the device (the legacy default stream waits for all others)"},
	eventQuery: {Name: "event_query", Severity: trace.Info,
		Help: "queries of events; they do not wait and are left out"},
	hostCopy: {Name: "host_copy", Severity: trace.Info,
		Help: "copies within the host; they are left out"},
	eventUnresolved: {Name: "event_sync_unresolved", Severity: trace.DataLoss,
		Help: "the host waited for an event that the profiler did not name; this wait is left out (PyTorch: " +
			"_ExperimentalConfig(enable_cuda_sync_events=True); nsys: --cuda-event-trace=true)"},
	streamWaitInferred: {Name: "stream_wait_inferred", Severity: trace.Info,
		Help: "a stream waited for an event that the profiler did not name; taken to be for the other stream used last " +
			"whose work had ended by then (to have it recorded: PyTorch: " +
			"_ExperimentalConfig(enable_cuda_sync_events=True); nsys: --cuda-event-trace=true)"},
	streamWaitUnresolved: {Name: "stream_wait_unresolved", Severity: trace.DataLoss,
		Help: "a stream waited for an event that the profiler did not name, and the times do not tell; this order " +
			"between streams is left out (PyTorch: _ExperimentalConfig(enable_cuda_sync_events=True); nsys: " +
			"--cuda-event-trace=true)"},
	waitWithoutRecord: {Name: "wait_without_record", Severity: trace.DataLoss,
		Help: "waits for events whose recording the capture does not show (it came before the capture, or was not " +
			"traced); they are left out"},
}

// Oddities returns every counter that a builder may write, in a fixed order.
func Oddities() []trace.Diagnostic { return slices.Clone(oddities[:]) }

// counts counts oddities.
type counts [numOddities]uint64

func (c *counts) add(o oddity) { c[o]++ }

func (c *counts) list() []trace.Diagnostic {
	var out []trace.Diagnostic
	for i, n := range c {
		if n > 0 {
			d := oddities[i]
			d.Count = n
			out = append(out, d)
		}
	}
	return out
}
