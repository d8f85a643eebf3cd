package convert_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
	"gpureplay/convert/sqlite"
	"gpureplay/trace/container"
)

// Every kind of input of every format has an example, and every example is recognised as its format alone, has a
// kernel, and becomes a trace that keeps the rules and names no person.
func TestExamples(t *testing.T) {
	has := map[string]map[int]bool{}
	for name, e := range converttest.Examples {
		if has[e.Format] == nil {
			has[e.Format] = map[int]bool{}
		}
		has[e.Format][e.Reads] = true
		path := e.Make(t)
		in, err := convert.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if f, err := convert.Detect(in); err != nil || f.Name != e.Format {
			t.Errorf("%s: %s, %v; want %s", name, f.Name, err, e.Format)
			continue
		}
		if r := converttest.Read(t, path, convert.Options{Device: -1}); len(r.Kernels) == 0 {
			t.Errorf("%s: no kernel", name)
		}
		private(t, name, verified(t, path))
	}
	for _, f := range convert.Formats() {
		for i, c := range f.Reads {
			if !has[f.Name][i] {
				t.Errorf("format %s: no example of %q: add one to Examples, in converttest", f.Name, c.Give)
			}
		}
	}
}

// Interrupting ends a conversion with the context's error.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, path := range converttest.Generated(t) {
		in, err := convert.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(in.Head(), []byte(sqlite.Magic)) {
			continue // too few rows to look at the context
		}
		if err := convert.Convert(ctx, in, "", &converttest.Recording{}, converttest.AnyDevice); !errors.Is(err,
			context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// files are an example's, by their paths within its folder, and the input: the folder itself, or one of the files.
type files struct {
	content map[string][]byte
	give    string
}

func filesOf(t testing.TB, path string) files {
	t.Helper()
	dir, give := filepath.Split(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		dir, give = path, "."
	}
	f := files{map[string][]byte{}, give}
	err := filepath.WalkDir(dir, func(at string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, at)
			f.content[rel], err = os.ReadFile(at)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// convertDamaged converts an example with one of its files changed: to an error of one
// line, or to a trace that keeps the rules.
func convertDamaged(t testing.TB, f files, name string, content []byte) {
	t.Helper()
	dir := t.TempDir()
	for other, whole := range f.content {
		if other == name {
			whole = content
		}
		converttest.Put(t, dir, other, string(whole))
	}
	in, err := convert.Open(filepath.Join(dir, f.give), nil)
	if err != nil {
		return
	}
	target := filepath.Join(t.TempDir(), "t.trace.zst")
	if err := convert.Run(t.Context(), in, "", target, converttest.AnyDevice); err != nil {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is more than one line", err)
		}
		if _, err := os.Stat(target); err == nil {
			t.Error("a conversion that failed left a trace")
		}
		return
	}
	r, err := container.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := container.Verify(t.Context(), r, func(err error) { t.Error(err) }); err != nil {
		t.Error(err)
	}
}

// Each file of each example, cut at several places.
func TestTruncated(t *testing.T) {
	for name, path := range converttest.Generated(t) {
		f := filesOf(t, path)
		for file, whole := range f.content {
			for _, n := range []int{0, 1, len(whole) / 3, 2 * len(whole) / 3, len(whole) - 1} {
				if n >= 0 && n < len(whole) {
					convertDamaged(t, f, file, whole[:n])
				}
			}
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// FuzzExamples changes bytes of any file of any example.
func FuzzExamples(f *testing.F) {
	names := slices.Sorted(maps.Keys(converttest.Examples))
	all := make([]files, len(names))
	for i, name := range names {
		all[i] = filesOf(f, converttest.Examples[name].Make(f))
		f.Add(uint8(i), uint8(0), uint32(100+37*i), []byte{0xff})
	}
	f.Fuzz(func(t *testing.T, which, file uint8, at uint32, change []byte) {
		x := all[int(which)%len(all)]
		list := slices.Sorted(maps.Keys(x.content))
		if len(list) == 0 {
			return
		}
		name := list[int(file)%len(list)]
		content := bytes.Clone(x.content[name])
		if len(content) > 0 {
			copy(content[int(at)%len(content):], change)
		}
		convertDamaged(t, x, name, content)
	})
}
