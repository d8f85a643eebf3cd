package convert_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// entry is a file of an archive; to is a link's target.
type entry struct{ name, text, to string }

func tarFile(t testing.TB, files []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.text)), Typeflag: tar.TypeReg}
		if f.to != "" {
			h.Typeflag, h.Linkname = tar.TypeSymlink, f.to
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, f.text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipFile(t testing.TB, files []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		if f.to != "" {
			h.SetMode(os.ModeSymlink | 0o777)
		}
		one, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(one, f.text+f.to)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// archives are the files in every kind of archive.
func archives(t testing.TB, files []entry) map[string][]byte {
	t.Helper()
	plain := tarFile(t, files)
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	z.Write(plain)
	z.Close()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"a.tar": plain, "a.tar.gz": gz.Bytes(), "a.tar.zst": e.EncodeAll(plain, nil),
		"a.zip": zipFile(t, files)}
}

// unpacked unpacks an archive under a folder of its own.
func unpacked(t testing.TB, name string, data []byte) (dir string, err error) {
	t.Helper()
	in, err := convert.Open(converttest.Put(t, t.TempDir(), name, string(data)), nil)
	if err != nil {
		return "", err
	}
	if !convert.IsArchive(in) {
		return "", fmt.Errorf("%s: no archive", name)
	}
	dir = filepath.Join(t.TempDir(), "in")
	return dir, convert.Unpack(context.Background(), in, dir)
}

// Every kind of archive has its captures found, in folders and packed again; links
// lead nowhere.
func TestArchives(t *testing.T) {
	kernels, _ := os.ReadFile(converttest.RocprofTablesIn(t))
	files := []entry{
		{"ranks/rank0.json", converttest.SmallKineto, ""}, {"ranks/notes.md", "no capture", ""},
		{"1_kernel_trace.csv", string(kernels), ""},
		{"ranks/deep/graph.json", converttest.ChakraText(), ""}, {"ranks/rank9.json", "", "rank0.json"}, {"empty", "", ""},
	}
	for name, data := range archives(t, files) {
		dir, err := unpacked(t, name, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		list, err := convert.CapturesIn(t.Context(), dir)
		if want := "[1_kernel_trace.csv ranks/deep/graph.json ranks/rank0.json]"; err != nil || fmt.Sprint(list) != want {
			t.Errorf("%s: %v, %v; want %s", name, list, err, want)
		}
		if name == "a.tar" || name == "a.zip" { // a packed one that is cut may still have all of its files
			if _, err := unpacked(t, name, data[:len(data)/2]); err == nil {
				t.Errorf("%s cut in half: no error", name)
			}
		}
	}
}

func TestHostileArchives(t *testing.T) {
	for _, name := range []string{"../x", "/etc/x", "a/../../x", "..", "a/" + strings.Repeat("b/", 20000) + "c", ""} {
		for kind, data := range archives(t, []entry{{name, "x", ""}}) {
			if dir, err := unpacked(t, kind, data); err == nil {
				entries, _ := os.ReadDir(dir)
				if len(entries) > 0 {
					t.Errorf("%s with a file %q: no error", kind, name[:min(len(name), 20)])
				}
			}
		}
	}
	for kind, data := range archives(t, []entry{{"a", "x", ""}, {"a", "y", ""}}) {
		if _, err := unpacked(t, kind, data); err == nil || !strings.Contains(err.Error(), `"a"`) {
			t.Errorf("%s with a file twice: %v", kind, err)
		}
	}
}

// An archive that would take over 200 times its size is refused, before it is on the disk; a small one may take some
// in any case.
func TestArchiveBombs(t *testing.T) {
	const large = 65 << 20 // beyond the 64 MiB of any archive
	for kind, data := range archives(t, []entry{{"a.txt", strings.Repeat("\x00", large), ""}}) {
		dir, err := unpacked(t, kind, data)
		if kind == "a.tar" {
			if err != nil {
				t.Errorf("%s, whose files are as large as it: %v", kind, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "unpack it by hand") {
			t.Errorf("%s of %d bytes with a file of %d: %v", kind, len(data), large, err)
		}
		if info, err := os.Stat(filepath.Join(dir, "a.txt")); kind == "a.zip" && err == nil {
			t.Errorf("%s: %d bytes are written of a file whose size it states", kind, info.Size())
		}
	}
	for kind, data := range archives(t, []entry{{"a.txt", strings.Repeat("\x00", 32<<20), ""}}) {
		if _, err := unpacked(t, kind, data); err != nil {
			t.Errorf("%s with 32 MiB: %v", kind, err)
		}
	}
}

// FuzzArchive unpacks anything: nothing lies outside of the folder.
func FuzzArchive(f *testing.F) {
	for _, files := range [][]entry{{{"a/b", "text", ""}, {"c", "", "a"}}, {{"../x", "x", ""}}, {{"a", "", ""}}} {
		f.Add(tarFile(f, files))
		f.Add(zipFile(f, files))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out := t.TempDir()
		in, err := convert.Open(converttest.Put(t, t.TempDir(), "a", string(data)), nil)
		if err != nil || !convert.IsArchive(in) {
			return
		}
		_ = convert.Unpack(context.Background(), in, filepath.Join(out, "in"))
		entries, err := os.ReadDir(out)
		if err != nil || len(entries) > 1 || len(entries) == 1 && entries[0].Name() != "in" {
			t.Errorf("%v, %v", entries, err)
		}
	})
}
