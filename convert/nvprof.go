package convert

import (
	"bytes"
	"context"

	"gpureplay/convert/nvprof"
	"gpureplay/convert/sqlite"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

func init() {
	Register(Format{
		Name:  "nvprof",
		Title: "nvprof: --print-gpu-trace --csv table, or SQLite file (nvprof -o)",
		Reads: []Capture{
			{Give: "the SQLite file (`nvprof -o`)", Fidelity: "kernel; parents of children: warp",
				Order:       "calls, by correlation id",
				Dependences: "streams, events, waits, synchronisation, parent and child", Placement: "no"},
			{Give: "the table (`nvprof --print-gpu-trace --csv`)", Fidelity: "kernel", Order: "start on the device",
				Dependences: "streams, blocking copies", Placement: "no"},
		},
		Sniff:   func(in *Input) bool { return nvprof.IsCSV(in.Head()) || sniffSQLite(in, nvprof.IsSQLite) },
		Convert: convertNvprof,
	})
}

func convertNvprof(ctx context.Context, in *Input, w Writer, opt Options) error {
	b := timeline.New(timelineOptions(opt))
	defer b.Close()
	sink := newTimelineSink(w, opt, "profile with nvprof --print-gpu-trace or -o while kernels run")
	var info *nvprof.Info
	var children *nvprof.Children
	if bytes.HasPrefix(in.Head(), []byte(sqlite.Magic)) {
		db, err := openSQLite(ctx, in)
		if err != nil {
			return err
		}
		defer db.Close()
		file, i, err := nvprof.ReadSQLite(db, b)
		if err != nil {
			return err
		}
		info = i
		if file.HasChildren() {
			if children, err = file.Children(opt.TempDir, opt.Memory); err != nil {
				return err
			}
			defer children.Close()
			sink.children = (&childWriter{info: info, b: b, children: children, insts: map[uint32][2]uint32{}}).write
		}
	} else {
		r, err := in.Read(ctx)
		if err != nil {
			return err
		}
		defer r.Close()
		if info, err = nvprof.ReadCSV(r, b); err != nil {
			return err
		}
	}
	err := writeTimeline(b, w, sink, func(device uint32) trace.Meta {
		return metaOf("nvprof", info.Version, device, info.GPUs[device])
	})
	if err != nil {
		return err
	}
	if children != nil {
		info.Orphans = children.Count
	}
	diagnose(w, "unified_memory_record", trace.DataLoss, info.Migrations,
		"records of unified memory (migrations, page faults); they are no operation of the host and are left out")
	diagnose(w, "bad_value", trace.Error, info.BadValues,
		"fields that are no numbers, or out of range; they are taken as absent")
	diagnose(w, "row_without_time", trace.Error, info.Untimed,
		"rows without a start; they are left out")
	diagnose(w, "parent_work_unknown", trace.DataLoss, info.Parents,
		"kernels that launched others; the trace holds their launches, but the profiler does not say what else they did")
	diagnose(w, "child_without_parent", trace.DataLoss, info.Orphans,
		"child kernels whose parent grid is not in the capture, or whose ancestry is a cycle; they are left out")
	diagnose(w, "child_outside_parent", trace.Error, info.Misplaced,
		"child kernels whose parent block is outside the parent's grid; they are given to its last block")
	return nil
}
