package rocprof

import (
	"strings"

	"gpureplay/convert/sqlite"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// IsRPD reports whether the file is one of ROCm's RPD (rocmProfileData), whose tables are named like rocpd's and
// hold other columns.
func IsRPD(db *sqlite.DB) bool {
	return db.Has("rocpd_op") && db.Has("rocpd_api") && db.Has("rocpd_api_ops")
}

// rpd reads an RPD file. An operation of the device is joined with its API call,
// whose id is the correlation id. Streams are HSA queues.
type rpd struct {
	database
	copies map[int64]sqlite.Value // bytes, by call
}

// ReadRPD adds the events of an RPD file to b.
func ReadRPD(db *sqlite.DB, b *timeline.Builder) (*Info, error) {
	r := &rpd{database: database{db: db, b: b, strings: map[int64]string{}}, copies: map[int64]sqlite.Value{}}
	for _, part := range []func() error{r.sizes, r.calls, r.ops} {
		if err := part(); err != nil {
			return &r.info, err
		}
	}
	return &r.info, nil
}

func (r *rpd) sizes() error {
	return r.db.Each("rocpd_copyapi", []string{"api_ptr_id", "size"}, func(v []sqlite.Value) error {
		if len(r.copies) < maxSymbols {
			r.copies[v[0].Int] = v[1]
		}
		return nil
	})
}

func (r *rpd) calls() error {
	return r.db.Each("rocpd_api", []string{"id", "start", "end", "pid", "tid", "apiName_id"},
		func(v []sqlite.Value) error {
			name, err := r.text(v[5].Int)
			if err != nil {
				return err
			}
			c := timeline.Call{
				Correlation: uint64(v[0].Int), StartNs: v[1].Int, DurationNs: v[2].Int - v[1].Int,
				Host: uint64(v[3].Int), Thread: uint64(v[4].Int), WorkItems: timeline.InThreads([]byte(name)),
			}
			if c.Kind, c.Async = r.api.Classify([]byte(name)); c.Kind == timeline.CallNone || !r.times(v[1:3]) {
				return nil
			}
			c.Bytes = uint64(max(r.copies[v[0].Int].Int, 0))
			return r.b.Call(&c)
		})
}

// ops reads the operations of the device, each with the call that caused it.
func (r *rpd) ops() error {
	calls := map[int64]int64{} // by operation
	err := r.db.Each("rocpd_api_ops", []string{"api_id", "op_id"}, func(v []sqlite.Value) error {
		if len(calls) < maxSymbols {
			calls[v[1].Int] = v[0].Int
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.db.Each("rocpd_op", []string{"id", "gpuId", "queueId", "start", "end", "description_id", "opType_id"},
		func(v []sqlite.Value) error {
			if !r.times(v[3:5]) {
				return nil
			}
			kind, err := r.text(v[6].Int)
			if err != nil {
				return err
			}
			call := calls[v[0].Int]
			a := timeline.Activity{
				Correlation: uint64(call), Device: small(v[1].Int), Stream: uint64(small(v[2].Int)),
				StartNs: v[3].Int, DurationNs: v[4].Int - v[3].Int,
			}
			switch {
			case strings.HasPrefix(kind, "Kernel"), kind == "Task":
				return r.kernel(&a, call, v[5].Int)
			case strings.HasPrefix(kind, "Copy"):
				a.Kind, a.Copy = timeline.Copy, rpdCopy(kind)
			case strings.HasPrefix(kind, "Fill"):
				a.Kind = timeline.Memset
			default:
				return nil // barriers and markers
			}
			a.Bytes = uint64(max(r.copies[call].Int, 0))
			return r.b.ActivityNamed(&a, 0)
		})
}

func rpdCopy(kind string) trace.OpKind {
	switch {
	case strings.HasPrefix(kind, "CopyHostToDevice"):
		return trace.OpCopyH2D
	case strings.HasPrefix(kind, "CopyDeviceToHost"):
		return trace.OpCopyD2H
	case strings.HasPrefix(kind, "CopyDeviceToDeviceP2P"), strings.HasPrefix(kind, "CopyPeer"):
		return trace.OpCopyP2P
	}
	return trace.OpCopyD2D
}

// kernel gives a kernel the grid of its call: in workgroups, but for the functions
// that take it in work-items, which the builder divides.
func (r *rpd) kernel(a *timeline.Activity, call, description int64) error {
	a.Kind = timeline.Kernel
	name := description
	err := r.db.Where("rocpd_kernelapi", []string{
		"gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ", "groupSegmentSize", "privateSegmentSize",
		"kernelName_id",
	}, "api_ptr_id", call, "", func(v []sqlite.Value) error {
		a.Grid = trace.Dim3{small(v[0].Int), small(v[1].Int), small(v[2].Int)}
		a.Block = trace.Dim3{small(v[3].Int), small(v[4].Int), small(v[5].Int)}
		a.Sized = timeline.Sized(a.Grid, a.Block)
		a.SharedBytes, a.LocalBytes = small(v[6].Int), small(v[7].Int)
		if v[8].IsInt {
			name = v[8].Int
		}
		return nil
	})
	if err != nil {
		return err
	}
	if a.Name, err = r.text(name); err != nil {
		return err
	}
	if a.Name == "" {
		r.info.Unnamed++
	}
	return r.b.Activity(a)
}
