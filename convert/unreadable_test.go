package convert_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
	"gpureplay/trace/tracetest"
)

// An input that no converter reads gets a sentence with its kind and a remedy.
func TestUnreadable(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
	dir := t.TempDir()
	for path, want := range map[string]string{
		converttest.Put(t, dir, "rank0.json", pointer): "git lfs pull",
		converttest.Put(t, dir, "report.nsys-rep",
			"\x01\x02binary"): "nsys export --type=sqlite",
		converttest.Put(t, dir, "report.qdrep",
			"\x01\x02binary"): "nsys export --type=sqlite",
		converttest.Put(t, dir, "report.ncu-rep",
			"NVR\x00binary"): "ncu --import FILE --csv",
		converttest.Put(t, dir, "host.xplane.pb", "\x0a\x05binary"): "XSpace",
		converttest.Put(t, dir, "snapshot.pickle",
			"\x80\x04\x95binary"): "allocations, not of kernels",
		converttest.Database(t, "CREATE TABLE songs (x)",
			"CREATE TABLE albums (x)"): "its tables are albums, songs",
		converttest.Database(t, "CREATE TABLE a (x)", "CREATE TABLE b (x)", "CREATE TABLE c (x)", "CREATE TABLE d (x)",
			"CREATE TABLE e (x)", "CREATE TABLE f (x)", "CREATE TABLE g (x)",
			"CREATE TABLE h (x)"): "its tables are a, b, c, d, e, f and 2 more",
	} {
		in, err := convert.Open(path, nil)
		if err == nil {
			_, err = convert.Detect(in)
		}
		if !errors.Is(err, convert.ErrUnknown) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", filepath.Base(path), err, want)
		}
	}
}

// Of each SQLite capture versions that are cut short, or whose pages are
// overwritten, are called damaged.
func TestDamagedCaptures(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"captures-more/*.sqlite", "captures-more/*.rpd", "nsys-*/*.sqlite"} {
		found, _ := filepath.Glob(filepath.Join(tracetest.Data(t), pattern))
		paths = append(paths, found...)
	}
	if len(paths) < 6 {
		t.Fatalf("%d captures", len(paths))
	}
	for _, path := range paths {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, damage := range map[string]func([]byte) []byte{
			"cut in its header": func(b []byte) []byte { return b[:60] },
			"cut in the middle": func(b []byte) []byte { return b[:len(b)/2] },
			"cut at its end":    func(b []byte) []byte { return b[:len(b)-1] },
			"schema lost": func(b []byte) []byte {
				return append(b[:100:100], append(make([]byte, 3996), b[4096:]...)...)
			},
			"the first page": func(b []byte) []byte { return append(make([]byte, 4096), b[4096:]...) },
			"the last page": func(b []byte) []byte {
				return append(b[:len(b)-4096:len(b)-4096], bytes.Repeat([]byte{0x5a}, 4096)...)
			},
			"pages lost": func(b []byte) []byte {
				return append(append(bytes.Clone(b[:4096]), bytes.Repeat([]byte{0xa5}, len(b)-8192)...), b[len(b)-4096:]...)
			},
		} {
			file := converttest.Put(t, t.TempDir(), "damaged.sqlite", string(damage(bytes.Clone(whole))))
			if _, err := convertWith(t, file, convert.Options{Device: -1}); err == nil ||
				!strings.Contains(err.Error(), "the SQLite file is damaged") {
				t.Errorf("%s, %s: %v", filepath.Base(path), name, err)
			}
		}
	}
}

// JSON that ends in the middle is an error that names --partial. With it, complete records are kept and the loss is
// counted. So is JSON of a gzip stream that ends in the middle.
func TestPartial(t *testing.T) {
	path := tracetest.Data(t, "captures-more/amd-replay_trace.json")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(tracetest.Data(t,
		"kineto-hta/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"json": whole[:len(whole)*3/4], "gzip": packed[:len(packed)*3/4]} {
		file := converttest.Put(t, t.TempDir(), "cut.json", string(text))
		_, err := convertWith(t, file, convert.Options{Device: -1})
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "--partial") {
			t.Errorf("%s: %v", name, err)
		}
		r, err := convertWith(t, file, convert.Options{Device: -1, Partial: true})
		if err != nil || len(r.Kernels) == 0 || r.Diag("cut_short") != 1 {
			t.Errorf("%s: %d kernels, %v", name, len(r.Kernels), err)
			continue
		}
		r.Check(t)
	}
}
