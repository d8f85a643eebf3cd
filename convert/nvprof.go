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
	c := nvprofCapture{opt: opt}
	defer c.close()
	err := FromTimeline(w, opt, func(b *timeline.Builder) (Profile, error) { return c.read(ctx, in, b) })
	if err != nil {
		return err
	}
	info := c.info
	if c.children != nil {
		info.Orphans = c.children.Count
	}
	diagnose(w, "unified_memory_record", trace.DataLoss, info.Migrations,
		"records of unified memory (migrations, page faults); they are no operation of the host and are left out")
	diagnose(w, "bad_value", trace.Error, info.BadValues,
		"fields that are no numbers, or out of range; they are taken as absent")
	diagnose(w, "row_without_time", trace.Error, info.Untimed,
		"rows without a start; they are left out")
	diagnose(w, "parent_work_unknown", trace.DataLoss, info.Parents,
		"kernels that launched others; the trace holds their launches, but the profiler records nothing else of them")
	diagnose(w, "child_without_parent", trace.DataLoss, info.Orphans,
		"child kernels whose parent grid is not in the capture, or whose ancestry is a cycle; they are left out")
	diagnose(w, "child_outside_parent", trace.Error, info.Misplaced,
		"child kernels whose parent block is outside the parent's grid; they are given to its last block")
	return nil
}

// nvprofCapture is an open capture, with the children that are read while the trace is written.
type nvprofCapture struct {
	opt      Options
	info     *nvprof.Info
	children *nvprof.Children // nil: none
	db       *sqlite.DB       // nil: a table
}

func (c *nvprofCapture) close() {
	if c.children != nil {
		c.children.Close()
	}
	if c.db != nil {
		c.db.Close()
	}
}

func (c *nvprofCapture) read(ctx context.Context, in *Input, b *timeline.Builder) (p Profile, err error) {
	if bytes.HasPrefix(in.Head(), []byte(sqlite.Magic)) {
		err = c.readSQLite(ctx, in, b)
	} else {
		err = c.readTable(ctx, in, b)
	}
	if err != nil {
		return p, err
	}
	p = Profile{Source: "nvprof", Version: c.info.Version,
		Machine: func(device uint32) trace.Machine { return c.info.GPUs[device] },
		Absent:  "profile with nvprof --print-gpu-trace or -o while kernels run"}
	if c.children != nil {
		p.children = (&childWriter{info: c.info, b: b, children: c.children, insts: map[uint32][2]uint32{}}).write
	}
	return p, nil
}

func (c *nvprofCapture) readTable(ctx context.Context, in *Input, b *timeline.Builder) error {
	r, err := in.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	c.info, err = nvprof.ReadCSV(r, b)
	return err
}

func (c *nvprofCapture) readSQLite(ctx context.Context, in *Input, b *timeline.Builder) error {
	var err error
	if c.db, err = openSQLite(ctx, in); err != nil {
		return err
	}
	file, info, err := nvprof.ReadSQLite(c.db, b)
	if err != nil {
		return err
	}
	if c.info = info; file.HasChildren() {
		c.children, err = file.Children(c.opt.TempDir, c.opt.Memory)
	}
	return err
}
