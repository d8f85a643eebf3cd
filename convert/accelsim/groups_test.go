package accelsim

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// grouped reads all groups back: "cta/warp/sm" and the lines of each.
func grouped(t *testing.T, g *groups) (keys []string, lines map[string][]string) {
	t.Helper()
	it, err := g.sorted()
	if err != nil {
		t.Fatal(err)
	}
	lines = map[string][]string{}
	for {
		at, err := it.next()
		if err == io.EOF {
			return keys, lines
		}
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprintf("%08d/%08d/%d", at.cta, at.warp, at.sm)
		keys = append(keys, key)
		for {
			n, line, err := it.line()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			lines[key] = append(lines[key], fmt.Sprintf("%d:%s", n, line))
		}
	}
}

// Against a map: groups come in order, each with all its lines in theirs, with
// everything in memory, with some runs, and with so many that runs are merged.
func TestGroupsAgainstMap(t *testing.T) {
	for _, memory := range []int{0, 100 << 10, leastMemory} {
		dir := t.TempDir()
		g := newGroups(dir, memory)
		want := map[string][]string{}
		rng := rand.New(rand.NewPCG(5, 6))
		for n := range 20000 {
			at := place{cta: rng.Uint32N(40), warp: rng.Uint32N(9)}
			at.sm = int32(at.cta % 4)
			line := strings.Repeat("x", rng.IntN(60))
			if err := g.add(at, n+1, []byte(line)); err != nil {
				t.Fatal(err)
			}
			key := fmt.Sprintf("%08d/%08d/%d", at.cta, at.warp, at.sm)
			want[key] = append(want[key], fmt.Sprintf("%d:%s", n+1, line))
		}
		if len(g.runs) >= maxSpilled || memory == leastMemory && len(g.runs) == 0 {
			t.Errorf("%d runs", len(g.runs))
		}
		keys, got := grouped(t, g)
		if !slices.IsSorted(keys) || len(keys) != len(want) {
			t.Fatalf("%d keys of %d, sorted %v", len(keys), len(want), slices.IsSorted(keys))
		}
		for key := range want {
			if !slices.Equal(got[key], want[key]) {
				t.Fatalf("memory %d: %s has %d lines, want %d", memory, key, len(got[key]), len(want[key]))
			}
		}
		g.close()
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%d files are left", len(left))
		}
	}
}

// A spilled run that was cut is an error, not fewer lines.
func TestGroupsCutRun(t *testing.T) {
	g := newGroups(t.TempDir(), leastMemory)
	defer g.close()
	for n := range 500 {
		if err := g.add(place{cta: 1}, n, []byte("a line of the tracer")); err != nil {
			t.Fatal(err)
		}
	}
	g.runs[0].size -= 5
	it, err := g.sorted()
	for err == nil {
		if _, err = it.next(); err != nil {
			break
		}
		for err == nil {
			_, _, err = it.line()
		}
		if err == io.EOF {
			err = nil
		}
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}

func TestGroupsNoFolder(t *testing.T) {
	g := newGroups("/does/not/exist", leastMemory)
	defer g.close()
	var err error
	for n := 0; err == nil && n < 10000; n++ {
		err = g.add(place{}, n, []byte("a line"))
	}
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("%v", err)
	}
}
