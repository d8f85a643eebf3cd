package convert

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpureplay/convert/sqlite"
)

// unreadable lists inputs of users that no converter reads, or not as they are: the beginning or the end of the
// name, and a remedy.
var unreadable = []struct {
	begins, ends string // either; "": not told by it
	what         string
}{
	{"version https://git-lfs.github.com/spec/", "", "it is a pointer of git LFS, not the file itself: fetch it with git lfs pull"},
	{"", ".nsys-rep", "it is a report of Nsight Systems in its own form: export it with nsys export --type=sqlite " +
		"and give the .sqlite file"},
	{"", ".qdrep", "it is a report of Nsight Systems in its own form: export it with nsys export --type=sqlite and " +
		"give the .sqlite file"},
	{"", ".qdstrm", "it is a capture of Nsight Systems that was not finished: import it with QdstrmImporter, then " +
		"nsys export --type=sqlite"},
	{"NVR\x00", ".ncu-rep", "it is a report of Nsight Compute in its own form: print it with ncu --import FILE --csv " +
		"--page raw; for a timeline capture with nsys"},
	{"", ".xplane.pb", "it is a profile of XLA (XSpace): capture with PyTorch's profiler or nsys, or export it as " +
		"Chrome JSON of Kineto's form"},
	{"", ".pftrace", "it is a trace of Perfetto: write rocprofv3's tables with --output-format csv, or its database " +
		"with --output-format rocpd"},
	{"\x80\x02", ".pickle", "it is a Python pickle (PyTorch's snapshots of memory are): it has records of " +
		"allocations, not " +
		"of kernels; export_chrome_trace of the profiler does"},
	{"\x80\x04", "", "it is a Python pickle (PyTorch's snapshots of memory are): it has records of allocations, not of " +
		"kernels; export_chrome_trace of the profiler does"},
}

// explain names the kind of an input that no format recognises; nil if that is unknown.
func explain(in *Input) error {
	if in.IsDir() {
		return nil
	}
	if bytes.HasPrefix(in.Head(), []byte(sqlite.Magic)) {
		return explainSQLite(in)
	}
	if head := bytes.ReplaceAll(in.Head(), []byte(" "), nil); bytes.Contains(head, []byte(`"pid":"CPUfunctions"`)) {
		return errors.New("it is a trace of PyTorch's legacy autograd profiler, which records no kernels: profile with " +
			"torch.profiler and ProfilerActivity.CUDA")
	}
	for _, u := range unreadable {
		name := in.Name()
		for _, packed := range []string{".gz", ".zst", ".xz"} {
			name = strings.TrimSuffix(name, packed)
		}
		if u.begins != "" && bytes.HasPrefix(in.Head(), []byte(u.begins)) || u.ends != "" && strings.HasSuffix(name, u.ends) {
			return errors.New(u.what)
		}
	}
	for _, suffix := range []string{".sqlite", ".sqlite3", ".rpd"} {
		if strings.HasSuffix(in.Name(), suffix) {
			return fmt.Errorf("%w (it is named %s and does not begin as one); copy or export it again", sqlite.ErrDamaged,
				suffix)
		}
	}
	return nil
}

// explainSQLite names the fault of an SQLite file, or its tables.
func explainSQLite(in *Input) error {
	if in.Packed() || in.Path() == "" {
		return errors.New("it is an SQLite file, which is read in place: give the unpacked file itself")
	}
	db, err := sqlite.Open(in.until(), in.Path())
	if err != nil {
		return err
	}
	defer db.Close()
	tables := db.Tables()
	slices.Sort(tables)
	if len(tables) == 0 {
		return errors.New("it is an SQLite file without tables")
	}
	const shown = 6
	list := strings.Join(tables[:min(len(tables), shown)], ", ")
	if len(tables) > shown {
		list += fmt.Sprintf(" and %d more", len(tables)-shown)
	}
	return fmt.Errorf("it is an SQLite file, but none of Nsight Systems, nvprof, rocprofv3 (rocpd) or RPD; its "+
		"tables are %s", list)
}
