package policies_test

import (
	"fmt"
	"testing"

	"gpureplay/model"
)

// 13. Kernels count the pages that they may touch, and no others. Pages of arrays between the first and the last
// lane of an access are not theirs; nor is an array whose last byte lies before the accessed one.
func TestCRCS13CountsOfNeighbours(t *testing.T) {
	for _, c := range []struct{ what, arrays, access, store string }{
		{"lanes in two arrays, past a third", "array P base=0x100000000 bytes=4K\narray Q base=0x100001000 " +
			"bytes=4K\narray R base=0x100002000 bytes=4K\n", "load mask=00000003 R2 <- R1 @P+8192", "Q"},
		{"two arrays that share a page", "array P base=0x100000000 bytes=16484\narray Q base=0x100004064 bytes=4K\n",
			"load R2 <- R1 @P+0\n  load R2 <- R1 @Q+0", "P[0x2000]"},
	} {
		l, _ := run(t, c.arrays+"launch a grid=1 block=32\ncta 0\n warp 0\n  "+c.access+"\n  int R2 <- R2 x50\n  exit\n"+
			"launch b grid=1 block=32\ncta 0\n warp 0\n  store <- R1 R2 @"+c.store+"+4\n  exit\n", tiny(t, 2, 1), crcsFree)
		about(t, c.what+": the store of a kernel without a common page", l.cta(t, 1, 0).Start, 0)
	}
}

// 14. The page that two arrays share is one page: a kernel that reads the end of the first, at the cost of 100
// bytes behind four pages, waits for it.
func TestCRCS14SharedPageIsOne(t *testing.T) {
	l, _ := run(t, `
array P base=0x100000000 bytes=16484 input
array Q base=0x100004064 bytes=4K
read P
h2d P
launch k grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @P[0x4000]+0
  exit
`, tiny(t, 1, 1), crcsFree)
	about(t, "the load", l.cta(t, 0, 0).Start, 4*unit)
}

// 15. A kernel whose counter overflowed and that ends before it owns the page, having
// never touched it, leaves it to those behind.
func TestCRCS15EndsBeforeItOwns(t *testing.T) {
	l, _ := run(t, `
array P bytes=4K
launch a grid=1 block=32
cta 0
 warp 0
  store <- R1 R2 @P+4
  int R2 <- R2 x50
  exit
launch b grid=2 block=32
cta 0..1
 range P read 0..4096
 warp 0
  int R2
  exit
launch c grid=1 block=32
cta 0
 warp 0
  store <- R1 R2 @P+4
  exit
`, tiny(t, 3, 2), crcsFree+",counter-bits=1")
	if a, b := l.cta(t, 0, 0), l.cta(t, 1, 1); b.End >= a.End {
		t.Fatalf("kernel 1 ends at %d, kernel 0, which it should not wait for, at %d", b.End, a.End)
	}
	if got := owners(l, 0x100000); got != "0 2 -1" {
		t.Errorf("the page went to kernels %s, want 0 2 and nobody", got)
	}
}

// 16. Pages without a count go back when the last kernel has been profiled, and not before: with one entry in the
// distributor, when the first of three has ended. The page of the last goes back behind it.
func TestCRCS16PagesOfTheLastInTheQueue(t *testing.T) {
	cfg := tiny(t, 1, 1)
	cfg.KMU.Entries = 1
	text := "array P bytes=8K output\n"
	for i, access := range []string{"int R2", "int R2", "store <- R1 R2 @P+4"} {
		text += fmt.Sprintf("launch k%d grid=1 block=32\ncta 0\n warp 0\n  int R3 <- R3 x200\n  %s\n  int R3 <- R3 "+
			"x200\n  exit\n", i, access)
	}
	l, _ := run(t, text+"d2h P\nwrite P\n", cfg, crcsFree)
	for _, s := range l.stages {
		if s.Stage == model.StagePostlude {
			about(t, "start of the postlude", s.Start, l.cta(t, 0, 0).End)
			about(t, "end of the postlude", s.End, l.cta(t, 2, 0).End+unit)
			return
		}
	}
	t.Fatal("no postlude")
}

// 17. An array that is copied back before the last launch is copied then, and not again.
func TestCRCS17CopiedBackBetween(t *testing.T) {
	const k = "launch k grid=1 block=32\ncta 0\n warp 0\n  store <- R1 R2 @P+4\n  exit\n"
	l, _ := run(t, "array P bytes=4K\n"+k+"d2h P\n"+k, tiny(t, 1, 1), crcsFree)
	copies := 0
	for _, s := range l.stages {
		if s.Stage == model.StageD2H {
			copies++
		}
	}
	if copies != 1 {
		t.Errorf("%d copies back, want 1", copies)
	}
}
