package accelsim_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
	"gpureplay/trace/tracetest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// pack packs data as the ending of a name says.
func pack(t testing.TB, ending string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch ending {
	case ".xz":
		w, err = xz.NewWriter(&b)
	case ".gz":
		w = gzip.NewWriter(&b)
	case ".zst":
		w, err = zstd.NewWriter(&b)
	default:
		return data
	}
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// member is a file of an archive or folder.
type member struct {
	name string
	data []byte
}

func tarOf(t testing.TB, members []member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		if err := w.WriteHeader(&tar.Header{Name: m.name, Size: int64(len(m.data)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// someKernels are three kernels of a real capture and their list.
func someKernels(t testing.TB, packing string) []member {
	t.Helper()
	list := "kernel-1.traceg\nkernel-3.traceg\nMemcpyHtoD,0x00007fc841527000,1\nkernel-2.traceg\n"
	members := []member{{"t/kernelslist.g", []byte(list)}, {"t/notes.txt", []byte("nothing")}}
	for _, name := range []string{"kernel-1.traceg", "kernel-2.traceg", "kernel-3.traceg"} {
		text, err := os.ReadFile(filepath.Join(tracetest.Data(t), "accelsim-rodinia-bfs-a100", name))
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, member{"t/" + name + packing, pack(t, packing, text)})
	}
	return members
}

// folderOf writes members into a folder and returns it.
func folderOf(t testing.TB, members []member) string {
	t.Helper()
	dir := t.TempDir()
	for _, m := range members {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(m.name)), m.data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// However a capture is packed, it comes to the same trace.
func TestAccelsimPackings(t *testing.T) {
	want := converttest.Read(t, folderOf(t, someKernels(t, "")), converttest.AnyDevice)
	if len(want.Kernels) != 3 || want.Count(0) != 0 || len(want.Ops) != 4 {
		t.Fatalf("%d kernels, %d operations", len(want.Kernels), len(want.Ops))
	}
	for _, packing := range []string{"", ".xz", ".gz", ".zst"} {
		if got := converttest.Read(t, folderOf(t, someKernels(t, packing)), converttest.AnyDevice); !reflect.DeepEqual(got,
			want) {
			t.Errorf("a folder with kernels packed as %q differs", packing)
		}
		members := someKernels(t, packing)
		backwards := []member{members[4], members[3], members[2], members[1], members[0]}
		for _, order := range [][]member{members, backwards} {
			for _, outer := range []string{"", ".xz", ".gz", ".zst"} {
				file := filepath.Join(t.TempDir(), "capture.tar"+outer)
				if err := os.WriteFile(file, pack(t, outer, tarOf(t, order)), 0o600); err != nil {
					t.Fatal(err)
				}
				if got := converttest.Read(t, file, converttest.AnyDevice); !reflect.DeepEqual(got, want) {
					t.Errorf("an archive packed as %q with kernels packed as %q differs", outer, packing)
				}
			}
		}
	}
}

func TestAccelsimDamagedArchives(t *testing.T) {
	members := someKernels(t, "")
	whole := tarOf(t, members)
	packed := pack(t, ".gz", whole)
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"cut", packed[:len(packed)/2], "unexpected EOF"},
		{"cut tar", whole[:len(whole)/2], "unexpected EOF"},
		{"a kernel is missing", tarOf(t, members[:4]), "kernelslist.g:2: kernel-3.traceg is not there"},
		{"two lists", tarOf(t, append(members, member{"t/kernelslist_ctx_0x1.g", nil},
			member{"u/kernelslist_ctx_0x2.g", nil})[1:]), "2 lists"},
	} {
		file := filepath.Join(t.TempDir(), "capture.tar")
		if err := os.WriteFile(file, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := converttest.Try(t, file, "accelsim", converttest.AnyDevice); err == nil ||
			!strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// A packed kernel that was cut says so, with its name and line.
func TestAccelsimCutKernel(t *testing.T) {
	for _, packing := range []string{".xz", ".gz", ".zst"} {
		members := someKernels(t, packing)
		for i := range members {
			if strings.HasPrefix(members[i].name, "t/kernel-2") {
				members[i].data = members[i].data[:len(members[i].data)*2/3]
			}
		}
		_, err := converttest.Try(t, folderOf(t, members), "", converttest.AnyDevice)
		if err == nil || !strings.Contains(err.Error(), "kernel-2.traceg:") || !strings.Contains(err.Error(), "it was cut") {
			t.Errorf("%s: %v", packing, err)
		}
	}
}

func TestAccelsimDetect(t *testing.T) {
	dir := folderOf(t, someKernels(t, ""))
	for _, name := range []string{"", "kernelslist.g", "kernel-1.traceg"} {
		in, err := convert.Open(filepath.Join(dir, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		if f, err := convert.Detect(in); err != nil || f.Name != "accelsim" {
			t.Errorf("%q: %s, %v", name, f.Name, err)
		}
	}
	for _, other := range []string{filepath.Join(dir, "notes.txt"), t.TempDir()} {
		in, err := convert.Open(other, nil)
		if err != nil {
			t.Fatal(err)
		}
		if f, err := convert.Detect(in); !errors.Is(err, convert.ErrUnknown) {
			t.Errorf("%s: %s, %v", filepath.Base(other), f.Name, err)
		}
	}
	// A list names files beside it, so it cannot come from standard input.
	in, err := convert.Open("-", strings.NewReader("kernel-1.traceg\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := convert.Convert(context.Background(), in, "", &converttest.Recording{}, converttest.AnyDevice); err == nil ||
		!strings.Contains(err.Error(), "standard input") {
		t.Errorf("a list from standard input: %v", err)
	}
}
