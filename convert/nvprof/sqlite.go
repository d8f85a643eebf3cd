package nvprof

import (
	"gpureplay/convert/sqlite"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

const maxStrings = 1 << 20

// kernelTables are the names that the table of kernels has had.
var kernelTables = []string{"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "CUPTI_ACTIVITY_KIND_KERNEL"}

const childTable = "CUPTI_ACTIVITY_KIND_CDP_KERNEL"

// IsSQLite reports whether the file is one of nvprof.
func IsSQLite(db *sqlite.DB) bool {
	return db.Has("StringTable") && (db.First(kernelTables...) != "" || db.Has("CUPTI_ACTIVITY_KIND_RUNTIME") ||
		db.Has(childTable))
}

// File is an open SQLite file of nvprof.
type File struct {
	db       *sqlite.DB
	b        *timeline.Builder
	info     Info
	contexts map[int64]uint64
	names    map[int64]uint32
}

// ReadSQLite adds the events of the file to b. Children are read later, with
// [File.Children].
func ReadSQLite(db *sqlite.DB, b *timeline.Builder) (*File, *Info, error) {
	f := &File{db: db, b: b, info: Info{GPUs: map[uint32]trace.Machine{}}, contexts: map[int64]uint64{},
		names: map[int64]uint32{}}
	for _, part := range []func() error{f.gpus, f.kernels, f.copies, f.memsets, f.events, f.syncs, f.calls, f.unified} {
		if err := part(); err != nil {
			return f, &f.info, err
		}
	}
	return f, &f.info, nil
}

func (f *File) text(id int64) (out string, err error) {
	err = f.db.Where("StringTable", []string{"value"}, "_id_", id, "", func(v []sqlite.Value) error {
		out = v[0].Text
		return nil
	})
	return out, err
}

func (f *File) name(v sqlite.Value) (uint32, error) {
	if !v.IsInt {
		return f.b.Name([]byte(v.Text))
	}
	if id, ok := f.names[v.Int]; ok {
		return id, nil
	}
	text, err := f.text(v.Int)
	if err != nil {
		return 0, err
	}
	id, err := f.b.Name([]byte(text))
	if len(f.names) < maxStrings {
		f.names[v.Int] = id
	}
	return id, err
}

func (f *File) gpus() error {
	return f.db.Each("CUPTI_ACTIVITY_KIND_DEVICE", []string{
		"id", "name", "numMultiprocessors", "computeCapabilityMajor", "computeCapabilityMinor",
		"coreClockRate", "numThreadsPerWarp", "maxWarpsPerMultiprocessor", "maxBlocksPerMultiprocessor",
		"maxRegistersPerMultiprocessor",
		"maxSharedMemoryPerMultiprocessor", "l2CacheSize", "globalMemorySize", "globalMemoryBandwidth",
	}, func(v []sqlite.Value) error {
		if len(f.info.GPUs) == maxGPUs || !known(v[0]) {
			return nil
		}
		name := v[1].Text
		if v[1].IsInt {
			text, err := f.text(v[1].Int)
			if err != nil {
				return err
			}
			name = text
		}
		at := func(i int) uint64 { return uint64(max(v[i].Int, 0)) }
		f.info.GPUs[uint32(v[0].Int)] = trace.Machine{
			Name: name[:min(len(name), 256)], SMs: small(v[2]), SMVersion: small(v[3])*10 + small(v[4]),
			ClockHz: at(5) * 1000, WarpSize: at(6), WarpsPerSM: at(7), CTAsPerSM: at(8), RegistersPerSM: at(9), // CUPTI: kHz
			SharedBytesPerSM: at(10), L2Bytes: at(11), MemoryBytes: at(12), MemoryBytesPerSecond: at(13) * 1000, // and kB/s
		}
		return nil
	})
}

const unknown32 = 0xffffffff

func known(v sqlite.Value) bool { return v.IsInt && v.Int >= 0 && v.Int < unknown32 }

func small(v sqlite.Value) uint32 { return uint32(min(max(v.Int, 0), unknown32)) }

func dim(v []sqlite.Value) trace.Dim3 { return trace.Dim3{small(v[0]), small(v[1]), small(v[2])} }

// place are the columns that say when and where an activity was.
var place = []string{"start", "end", "deviceId", "contextId", "streamId", "correlationId"}

const rest = 6 // index of the first column after those

func columns(more ...string) []string { return append(append([]string{}, place...), more...) }

func (f *File) stream(v []sqlite.Value) uint64 {
	index, ok := f.contexts[v[3].Int]
	if !ok {
		index = uint64(len(f.contexts))
		if len(f.contexts) < maxContexts {
			f.contexts[v[3].Int] = index
		}
	}
	return index<<32 | uint64(small(v[4]))
}

func (f *File) activity(v []sqlite.Value) (a timeline.Activity, ok bool) {
	if !v[0].IsInt || !v[1].IsInt {
		f.info.Untimed++
		return a, false
	}
	return timeline.Activity{
		StartNs: v[0].Int, DurationNs: v[1].Int - v[0].Int, Device: small(v[2]), Stream: f.stream(v),
		Correlation: uint64(v[5].Int),
	}, true
}

// shape are the columns of a kernel besides place.
var shape = []string{
	"name", "registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
	"staticSharedMemory", "dynamicSharedMemory", "localMemoryPerThread", "gridId",
}

func (f *File) kernel(v []sqlite.Value) (a timeline.Activity, name uint32, ok bool, err error) {
	if a, ok = f.activity(v); !ok {
		return a, 0, false, nil
	}
	v = v[rest:]
	a.Kind, a.Sized, a.Registers, a.Grid, a.Block = timeline.Kernel, true, small(v[1]), dim(v[2:5]), dim(v[5:8])
	a.SharedBytes = uint32(min(uint64(small(v[8]))+uint64(small(v[9])), unknown32))
	a.LocalBytes, a.GridID = small(v[10]), uint64(v[11].Int)
	name, err = f.name(v[0])
	return a, name, true, err
}

func (f *File) kernels() error {
	for _, table := range kernelTables {
		err := f.db.Each(table, columns(shape...), func(v []sqlite.Value) error {
			a, name, ok, err := f.kernel(v)
			if err != nil || !ok {
				return err
			}
			return f.b.ActivityNamed(&a, name)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var copyKinds = map[int64]trace.OpKind{
	1: trace.OpCopyH2D, 2: trace.OpCopyD2H, 3: trace.OpCopyH2D, 4: trace.OpCopyD2H,
	5: trace.OpCopyD2D, 6: trace.OpCopyD2D, 7: trace.OpCopyD2D, 8: trace.OpCopyD2D, 10: trace.OpCopyP2P,
}

const (
	pageable  = 1 // CUPTI's memory kind
	asyncFlag = 1 // CUPTI's flag of copies
)

func (f *File) copies() error {
	for _, table := range []string{"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMCPY2"} {
		err := f.db.Each(table, columns("bytes", "copyKind", "srcKind", "dstKind", "flags"), func(v []sqlite.Value) error {
			a, ok := f.activity(v)
			v = v[rest:]
			if !ok {
				return nil
			}
			if v[1].Int == 9 {
				f.b.HostCopy()
				return nil
			}
			a.Kind, a.Bytes, a.Copy = timeline.Copy, uint64(max(v[0].Int, 0)), trace.OpCopyD2D
			if op, ok := copyKinds[v[1].Int]; ok {
				a.Copy = op
			}
			host := v[3]
			if a.Copy == trace.OpCopyH2D {
				host = v[2]
			}
			a.Pageable = host.Int == pageable
			a.Async = v[4].Int&asyncFlag != 0
			a.Blocking = !a.Async
			return f.b.ActivityNamed(&a, 0)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *File) memsets() error {
	return f.db.Each("CUPTI_ACTIVITY_KIND_MEMSET", columns("bytes"), func(v []sqlite.Value) error {
		a, ok := f.activity(v)
		if !ok {
			return nil
		}
		a.Kind, a.Bytes = timeline.Memset, uint64(max(v[rest].Int, 0))
		return f.b.ActivityNamed(&a, 0)
	})
}

// sync reads CUPTI's record of a synchronising call; it names a context, not a device.
func (f *File) sync(v []sqlite.Value, kind timeline.CallKind, event sqlite.Value) timeline.Sync {
	stream := f.stream(v)
	return timeline.Sync{
		Kind: kind, Correlation: uint64(v[5].Int), StartNs: v[0].Int, DurationNs: v[1].Int - v[0].Int,
		Device: small(v[2]), HasDevice: known(v[2]), Stream: stream, HasStream: known(v[4]),
		Event: stream&^unknown32 | uint64(small(event)), HasEvent: known(event),
	}
}

func (f *File) events() error {
	return f.db.Each("CUPTI_ACTIVITY_KIND_CUDA_EVENT", columns("eventId"), func(v []sqlite.Value) error {
		s := f.sync(v, timeline.CallRecord, v[rest])
		return f.b.Sync(&s)
	})
}

var syncKinds = map[int64]timeline.CallKind{
	1: timeline.CallSyncEvent, 2: timeline.CallWait, 3: timeline.CallSyncStream, 4: timeline.CallSyncDevice,
}

func (f *File) syncs() error {
	return f.db.Each("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns("type|syncType", "cudaEventId|eventId"),
		func(v []sqlite.Value) error {
			kind, ok := syncKinds[v[rest].Int]
			if !ok || !v[0].IsInt || !v[1].IsInt {
				f.info.Untimed++
				return nil
			}
			s := f.sync(v, kind, v[rest+1])
			return f.b.Sync(&s)
		})
}

// runtimeCalls are the numbers of CUPTI's callbacks for the CUDA runtime that
// matter here; calls with other numbers only lend their times to an activity.
var runtimeCalls = map[int64]timeline.CallKind{
	13: timeline.CallLaunch, 211: timeline.CallLaunch, 214: timeline.CallLaunch, 430: timeline.CallLaunch,
	311: timeline.CallGraph,
	126: timeline.CallSyncDevice, 165: timeline.CallSyncDevice,
	131: timeline.CallSyncStream, 137: timeline.CallSyncEvent, 138: timeline.CallQueryEvent,
	135: timeline.CallRecord, 147: timeline.CallWait,
}

// runtimeCall returns the kind of a call by its number, and whether it is an asynchronous copy.
func runtimeCall(id int64) (timeline.CallKind, bool) {
	switch {
	case id >= 31 && id <= 40:
		return timeline.CallCopy, false
	case id >= 41 && id <= 48:
		return timeline.CallCopy, true
	case id >= 49 && id <= 52:
		return timeline.CallMemset, false
	}
	if kind, ok := runtimeCalls[id]; ok {
		return kind, false
	}
	return timeline.CallOther, false
}

func (f *File) calls() error {
	for _, table := range []string{"CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER"} {
		runtime := table == "CUPTI_ACTIVITY_KIND_RUNTIME"
		err := f.db.Each(table, []string{"start", "end", "correlationId", "processId", "threadId", "cbid"},
			func(v []sqlite.Value) error {
				if !v[0].IsInt || !v[1].IsInt {
					f.info.Untimed++
					return nil
				}
				c := timeline.Call{
					Kind: timeline.CallOther, Correlation: uint64(v[2].Int), Host: uint64(v[3].Int), Thread: uint64(v[4].Int),
					StartNs: v[0].Int, DurationNs: v[1].Int - v[0].Int,
				}
				if runtime {
					c.Kind, c.Async = runtimeCall(v[5].Int)
				}
				return f.b.Call(&c)
			})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *File) unified() error {
	return f.db.Each("CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER", []string{"start"}, func([]sqlite.Value) error {
		f.info.Migrations++
		return nil
	})
}
