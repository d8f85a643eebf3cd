package nsys

import (
	"math"
	"strconv"

	"gpureplay/convert/sqlite"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

func columns(more ...string) []string { return append(append([]string{}, where...), more...) }

func (r *reader) kernels() error {
	return r.db.Each(kernelTable, columns(
		"demangledName|name|shortName", "registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
		"staticSharedMemory", "dynamicSharedMemory", "localMemoryPerThread", "gridId", "graphNodeId",
		"clusterX", "clusterY", "clusterZ", "graphId",
	), func(v []sqlite.Value) error {
		a, ok := r.activity(v)
		if !ok {
			return nil
		}
		v = v[rest:]
		name, err := r.name(v[0])
		if err != nil {
			return err
		}
		a.Kind, a.Sized = timeline.Kernel, true
		a.Registers, a.Grid, a.Block = small(v[1]), dim(v[2:5]), dim(v[5:8])
		a.SharedBytes = uint32(min(uint64(small(v[8]))+uint64(small(v[9])), 1<<32-1))
		a.LocalBytes, a.Graph, a.Cluster = small(v[10]), inGraph(v[12]) || inGraph(v[16]), dim(v[13:16])
		if known(v[11]) {
			a.GridID = uint64(v[11].Int)
		}
		return r.b.ActivityNamed(&a, name)
	})
}

// inGraph reports whether the id of a graph, or of a node, says that there is one.
func inGraph(id sqlite.Value) bool { return known(id) && id.Int != 0 }

// graphs reads graphs that were traced as a whole.
func (r *reader) graphs() error {
	return r.db.Each("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns(), func(v []sqlite.Value) error {
		a, ok := r.activity(v)
		if !ok {
			return nil
		}
		a.Kind, a.Graph, a.Whole, a.Name = timeline.Kernel, true, true, "CUDA graph"
		return r.b.Activity(&a)
	})
}

// copyKinds are CUPTI's kinds of copies; arrays count as device memory.
var copyKinds = map[int64]trace.OpKind{
	1: trace.OpCopyH2D, 2: trace.OpCopyD2H, 3: trace.OpCopyH2D, 4: trace.OpCopyD2H,
	5: trace.OpCopyD2D, 6: trace.OpCopyD2D, 7: trace.OpCopyD2D, 8: trace.OpCopyD2D, 10: trace.OpCopyP2P,
}

const pageable = 0 // ENUM_CUDA_MEM_KIND

func (r *reader) copies() error {
	return r.db.Each("CUPTI_ACTIVITY_KIND_MEMCPY", columns(
		"bytes", "copyKind", "srcKind", "dstKind", "graphNodeId", "virtualAddress", "graphId",
	), func(v []sqlite.Value) error {
		a, ok := r.activity(v)
		if !ok {
			return nil
		}
		v = v[rest:]
		a.Kind, a.Copy = timeline.Copy, trace.OpCopyD2D
		switch kind := v[1].Int; {
		case kind >= 11 && kind <= 13:
			r.info.Migrations++
			return nil
		case kind == 9:
			r.b.HostCopy()
			return nil
		default:
			if op, ok := copyKinds[kind]; ok {
				a.Copy = op
			}
		}
		a.Bytes, a.Addr = uint64(max(v[0].Int, 0)), uint64(max(v[5].Int, 0))
		host := v[3]
		if a.Copy == trace.OpCopyH2D {
			host = v[2]
		}
		a.Pageable = host.IsInt && host.Int == pageable
		a.Graph = inGraph(v[4]) || inGraph(v[6])
		return r.b.ActivityNamed(&a, 0)
	})
}

func (r *reader) memsets() error {
	read := columns("bytes", "graphNodeId", "graphId")
	return r.db.Each("CUPTI_ACTIVITY_KIND_MEMSET", read, func(v []sqlite.Value) error {
		a, ok := r.activity(v)
		if !ok {
			return nil
		}
		a.Kind, a.Bytes = timeline.Memset, uint64(max(v[rest].Int, 0))
		a.Graph = inGraph(v[rest+1]) || inGraph(v[rest+2])
		return r.b.ActivityNamed(&a, 0)
	})
}

// event makes of an event's id one that no other context has.
func (r *reader) event(v []sqlite.Value, id sqlite.Value) (uint64, bool) {
	if !known(id) {
		return 0, false
	}
	return r.stream(v)&^unknown32 | uint64(uint32(id.Int)), true
}

// events reads which event a recording call was about, and on which stream.
func (r *reader) events() error {
	return r.db.Each("CUPTI_ACTIVITY_KIND_CUDA_EVENT", columns("eventId"), func(v []sqlite.Value) error {
		s := r.sync(v, timeline.CallRecord)
		s.Event, s.HasEvent = r.event(v, v[rest])
		return r.b.Sync(&s)
	})
}

func (r *reader) sync(v []sqlite.Value, kind timeline.CallKind) timeline.Sync {
	return timeline.Sync{
		Kind: kind, Process: pid(v[7].Int), Correlation: uint64(v[6].Int),
		Device: uint32(v[2].Int), HasDevice: known(v[2]),
		Stream: r.stream(v), HasStream: known(v[5]),
		StartNs: v[0].Int, DurationNs: v[1].Int - v[0].Int,
	}
}

// syncKinds are CUPTI's kinds of synchronisations.
var syncKinds = map[int64]timeline.CallKind{
	1: timeline.CallSyncEvent, 2: timeline.CallWait, 3: timeline.CallSyncStream, 4: timeline.CallSyncDevice,
}

func (r *reader) syncs() error {
	return r.db.Each("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns("syncType|deprecatedSyncType", "eventId"),
		func(v []sqlite.Value) error {
			kind, ok := syncKinds[v[rest].Int]
			if v[rest].IsInt && v[rest].Int == 0 { // of unknown kind: its call tells
				return nil
			}
			if !ok || !v[0].IsInt || !v[1].IsInt {
				r.info.BadRows++
				return nil
			}
			s := r.sync(v, kind)
			s.Event, s.HasEvent = r.event(v, v[rest+1])
			return r.b.Sync(&s)
		})
}

func (r *reader) runtime() error {
	for _, table := range []string{"CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER"} {
		err := r.db.Each(table, []string{"start", "end", "correlationId", "globalTid", "nameId|name"},
			func(v []sqlite.Value) error {
				c, err := r.call(v[4])
				if err != nil || c.kind == timeline.CallNone {
					return err
				}
				if !v[0].IsInt || !v[1].IsInt {
					r.info.BadRows++
					return nil
				}
				process := pid(v[3].Int)
				group := process
				if r.noPid {
					group = 0
				}
				return r.b.Call(&timeline.Call{
					Kind: c.kind, Process: group, Correlation: uint64(v[2].Int),
					Host: process, Thread: uint64(v[3].Int) % 0x1000000,
					StartNs: v[0].Int, DurationNs: v[1].Int - v[0].Int, Async: c.async,
				})
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// NVTX events that are ranges: pushed and popped by one thread, or started and
// ended apart, by whichever thread.
const (
	pushPop  = 59
	startEnd = 60
)

// ranges reads the ranges of NVTX. One that has no end lasts to the end of the capture.
func (r *reader) ranges() error {
	texts := map[int64]string{}
	return r.db.Each("NVTX_EVENTS", []string{"start", "end", "eventType", "text", "textId", "globalTid"},
		func(v []sqlite.Value) error {
			kind := v[2].Int
			if kind != pushPop && kind != startEnd || !v[0].IsInt {
				return nil
			}
			text := v[3].Text
			if v[3].IsInt {
				text = strconv.FormatInt(v[3].Int, 10)
			}
			if v[3].Null && v[4].IsInt {
				known, ok := texts[v[4].Int]
				if !ok {
					var err error
					if known, _, err = r.text(v[4].Int); err != nil {
						return err
					}
					if len(texts) < maxStrings {
						texts[v[4].Int] = known
					}
				}
				text = known
			}
			end := v[1].Int
			if !v[1].IsInt {
				end = math.MaxInt64
			}
			return r.b.Range(&timeline.Range{
				Name: []byte(text), Host: pid(v[5].Int), Thread: uint64(v[5].Int) % 0x1000000, AnyThread: kind == startEnd,
				StartNs: v[0].Int, DurationNs: end - v[0].Int,
			})
		})
}

// faults counts records of unified memory other than copies.
func (r *reader) faults() error {
	for _, table := range []string{"CUDA_UM_GPU_PAGE_FAULT_EVENTS", "CUDA_UM_CPU_PAGE_FAULT_EVENTS"} {
		err := r.db.Each(table, []string{"start"}, func([]sqlite.Value) error {
			r.info.Faults++
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
