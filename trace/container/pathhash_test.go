package container

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Kernels of a random trace have one hash of their paths if a reader sees the same paths in them, and only then. The
// size of the blocks does not matter.
func TestPathHashes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := randomTrace(t)
		hashes, err := openBytes(t, h.write(t, 1<<10)).PathHashes()
		if err != nil {
			t.Fatal(err)
		}
		large, err := openBytes(t, h.write(t, 1<<20)).PathHashes()
		if err != nil || !slices.Equal(hashes, large) {
			t.Fatalf("hashes %x in small blocks, %x in large ones, %v", hashes, large, err)
		}
		byPath, byHash := map[string]uint64{}, map[uint64]string{}
		for i, ctas := range h.CTAs {
			var paths strings.Builder
			for _, c := range ctas {
				for _, w := range c.Warps {
					fmt.Fprint(&paths, h.Kernels[i].Function, w.Path)
				}
				paths.WriteByte('\n')
			}
			if first, known := byPath[paths.String()]; known && first != hashes[i] {
				t.Fatalf("kernel %d: %x and %x for the same paths", i, first, hashes[i])
			}
			if first, known := byHash[hashes[i]]; known && first != paths.String() {
				t.Fatalf("kernel %d: one hash for %q and %q", i, first, paths.String())
			}
			byPath[paths.String()], byHash[hashes[i]] = hashes[i], paths.String()
		}
	})
}

// Kernels of one function whose paths have as many steps, but other ones, have other hashes.
func TestPathHashesOfOtherSteps(t *testing.T) {
	kernel := "launch k grid=1 block=32\ncta 0\nwarp 0\n"
	file := encodeText(t, "function k\na: int\nb: fp32\nc: exit\n"+kernel+"a x2\nb\nc\n"+kernel+"a\nb x2\nc\n"+
		kernel+"a x2\nb\nc\n")
	hashes, err := openBytes(t, file).PathHashes()
	if err != nil || len(hashes) != 3 {
		t.Fatal(hashes, err)
	}
	if hashes[0] == hashes[1] || hashes[0] != hashes[2] {
		t.Errorf("hashes %x; want the first and the last alike", hashes)
	}
}
