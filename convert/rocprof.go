package convert

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"gpureplay/convert/rocprof"
	"gpureplay/convert/sqlite"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

func init() {
	Register(Format{
		Name: "rocprof",
		Title: "rocprofv3 (AMD): kernel_trace.csv with its sister tables, results.json, or rocpd SQLite file; RPD; " +
			"rocprof v1",
		Reads: []Capture{
			{Give: "`*_results.json`, a rocpd `.db`, or `*_kernel_trace.csv` with its sister tables", Fidelity: "kernel",
				Order:       "HIP calls, by correlation id",
				Dependences: "streams or queues, synchronisation of streams and devices", Placement: "no"},
			{Give: "an RPD file (rocmProfileData)", Fidelity: "kernel", Order: "HIP calls",
				Dependences: "queues, synchronisation", Placement: "no"},
			{Give: "rocprof v1's `results.csv` with times (`--timestamp on`)", Fidelity: "kernel",
				Order: "start on the device", Dependences: "queues", Placement: "no"},
			{Give: "rocprof v1's timeline, `results.json`", Fidelity: "kernel, where it has grids",
				Order: "start on the device", Dependences: "queues", Placement: "no"},
		},
		Sniff: func(in *Input) bool {
			return rocprof.IsCSV(in.Head()) || rocprof.IsV1(in.Head()) || rocprof.IsJSON(in.Head()) ||
				rocprof.IsV1JSON(in.Head()) ||
				sniffSQLite(in, rocprof.IsRocpd) || sniffSQLite(in, rocprof.IsRPD)
		},
		Convert: convertRocprof,
	})
}

func convertRocprof(ctx context.Context, in *Input, w Writer, opt Options) error {
	var info *rocprof.Info
	err := FromTimeline(w, opt, func(b *timeline.Builder) (p Profile, err error) {
		if info, err = readRocprof(ctx, in, b); err != nil {
			return p, err
		}
		return Profile{Source: "rocprof", Machine: func(device uint32) trace.Machine { return rocprofGPU(info, device) },
			Absent: "profile with rocprofv3 --kernel-trace while kernels run"}, nil
	})
	if err != nil {
		return err
	}
	diagnose(w, "page_fault", trace.DataLoss, info.Faults,
		"page faults and page migrations; the capture does not say which CTA caused them, so they are left out")
	diagnose(w, "bad_value", trace.Error, info.BadValues,
		"values of a wrong type or out of range; they are taken as absent")
	diagnose(w, "record_without_time", trace.Error, info.Untimed, "records without a start and an end; they are left out")
	diagnose(w, "replayed_dispatch", trace.DataLoss, info.Replayed,
		"dispatches run again for other counters; the first run is kept, the others leave gaps: trace without counters")
	diagnose(w, "kernel_without_name", trace.DataLoss, info.Unnamed,
		"kernels whose symbol is not in the capture; they share an empty name")
	diagnose(w, "json_repaired", trace.Info, info.Repaired,
		"control characters and escapes that JSON does not allow, accepted as they stand")
	return nil
}

func readRocprof(ctx context.Context, in *Input, b *timeline.Builder) (*rocprof.Info, error) {
	switch {
	case bytes.HasPrefix(in.Head(), []byte(sqlite.Magic)):
		db, err := openSQLite(ctx, in)
		if err != nil {
			return nil, err
		}
		defer db.Close()
		if rocprof.IsRPD(db) && !rocprof.IsRocpd(db) {
			return rocprof.ReadRPD(db, b)
		}
		return rocprof.ReadRocpd(db, b)
	case rocprof.IsV1(in.Head()), rocprof.IsV1JSON(in.Head()):
		r, err := in.Read(ctx)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		if rocprof.IsV1JSON(in.Head()) {
			return rocprof.ReadV1JSON(r, b)
		}
		return rocprof.ReadV1(r, b)
	case rocprof.IsCSV(in.Head()):
		return rocprof.ReadCSV(func(suffix string) (io.ReadCloser, error) { return rocprofTable(ctx, in, suffix) }, b)
	}
	return rocprof.ReadJSON(func() (io.ReadCloser, error) { return in.Read(ctx) }, b)
}

// rocprofTable opens a table of the run: the kernels are the input itself, the
// others lie beside it and differ in the end of their names.
func rocprofTable(ctx context.Context, in *Input, suffix string) (io.ReadCloser, error) {
	if suffix == rocprof.KernelSuffix {
		return in.Read(ctx)
	}
	base := filepath.Base(in.Path())
	for _, packed := range []string{"", ".gz", ".zst", ".xz"} {
		if run, ok := strings.CutSuffix(base, rocprof.KernelSuffix+packed); ok {
			return in.Sibling(ctx, run+suffix+packed)
		}
	}
	return nil, fs.ErrNotExist
}

func rocprofGPU(info *rocprof.Info, device uint32) (gpu trace.Machine) {
	if int(device) < len(info.GPUs) {
		gpu = info.GPUs[device]
	}
	return gpu
}
