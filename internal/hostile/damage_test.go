package hostile

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/replay/table"
	"gpureplay/trace/container"
)

var (
	seed    = flag.Uint64("seed", 1, "of the places and moments")
	damages = flag.Int("damages", 100, "damaged traces, and as many damaged tables")
	kills   = flag.Int("kills", 8, "killed commands")
)

// random returns the source of a test's choices.
func random(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(*seed, stream)) }

// harm is a kind of damage. Each returns other bytes than it was given, unless these are too few or alike.
type harm struct {
	name string
	do   func(r *rand.Rand, data, other []byte) []byte
}

// block returns the ends of a random part of at most 4 KiB.
func block(r *rand.Rand, n int) (from, to int) {
	from = r.IntN(n)
	return from, min(n, from+1+r.IntN(4096))
}

var harms = []harm{
	{"a bit", func(r *rand.Rand, b, _ []byte) []byte { b[r.IntN(len(b))] ^= 1 << r.IntN(8); return b }},
	{"a burst", func(r *rand.Rand, b, _ []byte) []byte {
		from, to := block(r, len(b))
		for i := from; i < to; i++ {
			b[i] = byte(r.Uint32())
		}
		return b
	}},
	{"cut", func(r *rand.Rand, b, _ []byte) []byte { return b[:r.IntN(len(b))] }},
	{"swapped", func(r *rand.Rand, b, _ []byte) []byte {
		n := 1 + r.IntN(len(b)/2)
		x, y := r.IntN(len(b)-n+1), r.IntN(len(b)-n+1)
		first := bytes.Clone(b[x : x+n])
		copy(b[x:x+n], b[y:y+n])
		copy(b[y:y+n], first)
		return b
	}},
	{"doubled", func(r *rand.Rand, b, _ []byte) []byte {
		from, to := block(r, len(b))
		return slices.Concat(b[:to], b[from:])
	}},
	{"taken out", func(r *rand.Rand, b, _ []byte) []byte {
		from, to := block(r, len(b))
		return slices.Concat(b[:from], b[to:])
	}},
	{"put in", func(r *rand.Rand, b, _ []byte) []byte {
		at := r.IntN(len(b) + 1)
		return slices.Concat(b[:at], []byte{byte(r.Uint32())}, b[at:])
	}},
	{"zeroed", func(r *rand.Rand, b, _ []byte) []byte { from, to := block(r, len(b)); clear(b[from:to]); return b }},
	{"copied within", func(r *rand.Rand, b, _ []byte) []byte {
		from, to := block(r, len(b))
		copy(b[r.IntN(len(b)):], bytes.Clone(b[from:to]))
		return b
	}},
	{"another's end", func(r *rand.Rand, b, other []byte) []byte {
		return append(b[:r.IntN(len(b))], other[r.IntN(len(other)):]...)
	}},
	{"appended", func(r *rand.Rand, b, other []byte) []byte { return append(b, other[r.IntN(len(other)):]...) }},
}

// damaged calls try with a file that differs from data, as often as the flag says.
func damaged(t *testing.T, files [][]byte, stream uint64, try func(what string, file int, data []byte)) {
	r := random(stream)
	for n := 0; n < *damages; {
		i := r.IntN(len(files))
		h := harms[r.IntN(len(harms))]
		data := h.do(r, bytes.Clone(files[i]), files[(i+1)%len(files)])
		if bytes.Equal(data, files[i]) {
			continue
		}
		what := fmt.Sprintf("seed %d, damage %d of file %d: %s", *seed, n, i, h.name)
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%s: panic: %v", what, p)
				}
			}()
			try(what, i, data)
		}()
		n++
	}
}

// No damaged trace is accepted: its reader or verify refuses it.
func TestDamagedTraces(t *testing.T) {
	command, dir := built(t), t.TempDir()
	var files [][]byte
	for i, args := range [][]string{{"vecadd", "--param=n=4096"}, {"hsp", "--param=kernels=2"}, {"tasks-mm"}} {
		path := filepath.Join(dir, fmt.Sprint(i, ".trace.zst"))
		out, err := run(t, command, dir, append([]string{"sample", "-o", path}, args...)...)
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
	}
	damaged(t, files, 1, func(what string, _ int, data []byte) {
		r, err := container.NewReader(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			err = container.Verify(context.Background(), r, func(error) {})
		}
		if err == nil {
			t.Errorf("%s: accepted", what)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: an error of several lines: %q", what, err)
		}
	})
	t.Logf("seed %d: %d damaged traces", *seed, *damages)
}

// No damaged table passes for whole, and reading one is no panic. A table of another size is not found.
func TestDamagedTables(t *testing.T) {
	command, dir := built(t), t.TempDir()
	trace, out := filepath.Join(dir, "t.trace.zst"), filepath.Join(dir, "out")
	for _, args := range [][]string{{"sample", "hsp", "--param=kernels=2", "-o", trace},
		{"--quiet", "--policy=serial", "--gpu=k20c", "--tables=runs,kernels,ctas", "-o", out, trace},
		{"--quiet", "--policy=serial", "--gpu=k20c", "--tables=kernels,stages", "--format=csv", "-o", out, trace}} {
		if text, err := run(t, command, dir, args...); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, text)
		}
	}
	var paths []string
	var files [][]byte
	all := tree(t, out)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if ext := filepath.Ext(path); ext == ".parquet" || ext == ".csv" {
			paths, files = append(paths, filepath.Join(out, path)), append(files, []byte(all[path]))
		}
	}
	if len(files) != 5 {
		t.Fatalf("tables %v", paths)
	}
	damaged(t, files, 2, func(what string, i int, data []byte) {
		if err := os.WriteFile(paths[i], data, 0o644); err != nil {
			t.Fatal(err)
		}
		defer os.WriteFile(paths[i], files[i], 0o644)
		_, wrong, err := table.Verify(out)
		if err == nil && len(wrong) != 1 {
			t.Errorf("%s: %s passes for whole: %v", what, paths[i], wrong)
		}
		_ = readAll(paths[i]) // whatever it says, it is no panic
		found, err := table.Find(out, tableOf(paths[i], out))
		if err == nil && len(data) != len(files[i]) &&
			slices.ContainsFunc(found, func(p table.Part) bool { return p.Path == paths[i] }) {
			t.Errorf("%s: %s is found with another size", what, paths[i])
		}
	})
	t.Logf("seed %d: %d damaged tables", *seed, *damages)
}

// tableOf is the table of a file: the folder that is the first but a format's.
func tableOf(path, out string) string {
	rel, _ := filepath.Rel(out, path)
	name, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(rel), "csv/"), "/")
	return name
}

// readAll reads a table to its end.
func readAll(path string) error {
	r, err := table.OpenReader(path, table.Limits{})
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		if _, err := r.Next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// tree returns the files under a folder, by their paths from it.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
