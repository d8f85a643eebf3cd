package accelsim

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestRecognise(t *testing.T) {
	archive := tarOf(t, "a/readme", "", "a/kernel-1.traceg.xz", "")
	for head, want := range map[string]Kind{
		testHeader: KernelFile, "\n-kernel name = x": KernelFile, "-kernel name": Unknown, "kernel-1.traceg": ListFile,
		"kernel-1-ctx_0x55.traceg.xz\nkernel-2": ListFile, "MemcpyHtoD,0x00007f0512200000,400000\n": ListFile,
		"\n\nkernel-3.trace\n": ListFile,
		"MemcpyHtoD":           Unknown, "kernel.json": Unknown, "": Unknown, "\x00\x00": Unknown, "{}": Unknown,
		archive: Archive, archive[:700]: Unknown, tarOf(t, "a", "", "b.tracer", ""): Unknown,
		tarOf(t, "x/kernelslist.g", ""): Archive,
	} {
		if got := Recognise([]byte(head)); got != want {
			t.Errorf("%.40q: %d, want %d", head, got, want)
		}
	}
}

func tarOf(t testing.TB, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Size: int64(len(files[i+1])), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestListOf(t *testing.T) {
	for _, c := range []struct {
		names, want string
		ok, refused bool
	}{
		{"kernelslist kernelslist.g kernel-1.traceg", "kernelslist.g", true, false},
		{"kernelslist kernel-1.trace", "kernelslist", true, false},
		{"kernelslist_ctx_0x7f.g stats_ctx_0x7f.csv", "kernelslist_ctx_0x7f.g", true, false},
		{"kernelslist_ctx_0x7f.g kernelslist.g", "kernelslist.g", true, false},
		{"kernelslist_ctx_0x7f.g kernelslist_ctx_0x80.g", "", true, true},
		{"a/kernelslist.g a/kernel-1.traceg", "a/kernelslist.g", true, false},
		{"kernel-1.tracez stats.csv", "", true, false},
		{"stats.csv kernel-1.json", "", false, false},
	} {
		list, ok, err := ListOf(strings.Fields(c.names))
		if list != c.want || ok != c.ok || (err != nil) != c.refused {
			t.Errorf("%s: %q, %v, %v", c.names, list, ok, err)
		}
	}
}

func TestKernelsInTheOrderOfTheirNumbers(t *testing.T) {
	folder := mapFolder{"kernel-10.traceg": "", "kernel-9-ctx_0x1.traceg.xz": "", "kernel-2.trace": "",
		"other.traceg": "", "kernel-99999999999999999999.tracez": "", "notes": ""}
	list, err := kernelsOf(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range list {
		names = append(names, c.file)
	}
	want := []string{"other.traceg", "kernel-2.trace", "kernel-9-ctx_0x1.traceg.xz", "kernel-10.traceg",
		"kernel-99999999999999999999.tracez"}
	if !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// Files of the spool can be opened in any order, again, and two at once; the
// last of one name counts; nothing is left.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	s, err := newSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("0010 ffffffff 1 R2 S2R 0 0\n", 40000)
	archive := tarOf(t, "t/kernel-1.traceg", "old", "t/kernelslist.g", "list", "t/kernel-1.traceg", big,
		"t/kernel-2.traceg", "", "t/x.csv", "skipped")
	if err := s.addAll(context.Background(), tar.NewReader(strings.NewReader(archive))); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"t/kernel-1.traceg": big, "t/kernelslist.g": "list", "t/kernel-2.traceg": ""}
	if names, _ := s.Names(); len(names) != len(want) {
		t.Errorf("%v", names)
	}
	for _, name := range []string{"t/kernel-2.traceg", "t/kernel-1.traceg", "t/kernelslist.g", "./t/kernel-1.traceg"} {
		first, err := s.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := first.(*spooled); !ok {
			t.Errorf("%s has a decoder of its own, though no other file is open", name)
		}
		second, err := s.Open("t/kernel-1.traceg")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []io.Reader{first, second} {
			got, err := io.ReadAll(r)
			if err != nil || r == first && string(got) != want[strings.TrimPrefix(name, "./")] || r == second &&
				string(got) != big {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
		_ = second.Close()
		if err := first.Close(); err != nil {
			t.Error(err)
		}
	}
	s.close()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}
