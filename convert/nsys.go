package convert

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"gpureplay/convert/nsys"
	"gpureplay/convert/sqlite"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

func init() {
	Register(Format{
		Name:  "nsys",
		Title: "Nsight Systems: SQLite export (nsys export --type=sqlite), or cuda_gpu_trace as CSV (nsys stats)",
		Reads: []Capture{
			{Give: "the SQLite export (`nsys export --type=sqlite`)", Fidelity: "kernel",
				Order:       "calls, by process and correlation id",
				Dependences: "streams, events, waits, synchronisation", Placement: "no"},
			{Give: "the table (`nsys stats --report cuda_gpu_trace --format csv`)", Fidelity: "kernel",
				Order:       "start on the device",
				Dependences: "streams", Placement: "no"},
		},
		Sniff:   func(in *Input) bool { return nsys.IsCSV(in.Head()) || sniffSQLite(in, nsys.Is) },
		Convert: convertNsys,
	})
}

// sniffSQLite opens an input that is an SQLite file and asks is about it.
func sniffSQLite(in *Input, is func(*sqlite.DB) bool) bool {
	if !bytes.HasPrefix(in.Head(), []byte(sqlite.Magic)) || in.Packed() || in.Path() == "" {
		return false
	}
	db, err := sqlite.Open(in.until(), in.Path())
	if err != nil {
		return false
	}
	defer db.Close()
	return is(db)
}

// openSQLite opens an input for a format that is read with SQL.
func openSQLite(ctx context.Context, in *Input) (*sqlite.DB, error) {
	if in.Path() == "" || in.Packed() || in.IsDir() {
		return nil, errors.New("an SQLite file is read in place: give the unpacked file itself")
	}
	db, err := sqlite.Open(ctx, in.Path())
	if err != nil {
		return nil, err
	}
	if err := db.Check(); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func readNsys(ctx context.Context, in *Input, b *timeline.Builder) (*nsys.Info, error) {
	if nsys.IsCSV(in.Head()) {
		r, err := in.Read(ctx)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return nsys.ReadCSV(r, b)
	}
	db, err := openSQLite(ctx, in)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if !nsys.Is(db) {
		return nil, errors.New("no table of an Nsight Systems export: export with nsys export --type=sqlite")
	}
	return nsys.Read(db, b)
}

func convertNsys(ctx context.Context, in *Input, w Writer, opt Options) error {
	var info *nsys.Info
	err := FromTimeline(w, opt, func(b *timeline.Builder) (p Profile, err error) {
		if info, err = readNsys(ctx, in, b); err != nil {
			return p, err
		}
		said := ""
		if len(info.Complaints) > 0 {
			said = "Nsight Systems said: " + strings.Join(info.Complaints, " / ") + "; "
		}
		return Profile{Source: "nsys", Version: info.Version,
			Machine: func(device uint32) trace.Machine { return info.GPUs[device] },
			Absent:  said + "profile with nsys profile --trace=cuda, as a user who may trace the GPU, while kernels run"}, nil
	})
	if err != nil {
		return err
	}
	diagnose(w, "unified_memory_copy", trace.DataLoss, info.Migrations,
		"pages moved by unified memory; they are no operation of the host and are left out")
	diagnose(w, "page_fault", trace.DataLoss, info.Faults,
		"groups of page faults; the export does not say which CTA caused them, so they are left out")
	diagnose(w, "bad_row", trace.Error, info.BadRows,
		"rows without a start and an end, or of an unknown kind; they are left out")
	diagnose(w, "kernel_without_name", trace.DataLoss, info.Unnamed,
		"kernels whose name is not in the table of strings; they share an empty name")
	return nil
}
