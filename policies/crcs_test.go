package policies_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
)

// Promises of CRCS, numbered, each on a machine where a page of the prelude
// takes one unit and a step of work 100 cycles. Profilers cost nothing unless a
// promise is about them. "@P+4 cta=4096" is page n of P for CTA n.

const crcsFree = "crcs,profiler=off"

// about checks a time to within a twentieth of a unit: the way of a CTA, an
// access or an event through the machine.
func about(t *testing.T, what string, got, want model.Time) {
	t.Helper()
	if d := got - want; d < 0 || d > unit/20 {
		t.Errorf("%s: at %d, want %d or shortly after", what, got, want)
	}
}

// 1. A warp whose page has not been transferred waits for it, and the wait is
// booked as page-not-ready.
func TestCRCS1PageNotReady(t *testing.T) {
	l, _ := run(t, `
array P bytes=16K input
read P
h2d P
launch k grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @P[0x3000]+4
  exit
`, tiny(t, 1, 1), crcsFree)
	r := l.cta(t, 0, 0)
	about(t, "first issue", r.Start, 4*unit)
	if got := r.StallTimes[exec.StallPageNotReady]; got != r.Start-r.Dispatch {
		t.Errorf("%d cycles booked as page not ready, want %d", got, r.Start-r.Dispatch)
	}
}

const writeThenRead = `
array P bytes=4K
launch a grid=1 block=32
cta 0
 warp 0
  store <- R1 R2 @P+4
  int R2 <- R2 x50
  exit
launch b grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @P+4
  exit
`

// 2. A warp whose page belongs to an earlier kernel waits until that kernel's
// CTA has ended, and the wait is booked as page-not-owned.
func TestCRCS2PageNotOwned(t *testing.T) {
	l, _ := run(t, writeThenRead, tiny(t, 2, 1), crcsFree)
	a, b := l.cta(t, 0, 0), l.cta(t, 1, 0)
	if b.Dispatch > unit/20 || b.SM == a.SM {
		t.Errorf("kernel 1 is placed at %d on SM %d: it should wait on an SM of its own", b.Dispatch, b.SM)
	}
	if b.Start != a.End+1 {
		t.Errorf("kernel 1 loads at %d, want one cycle after the end of kernel 0 at %d", b.Start, a.End)
	}
	if got := b.StallTimes[exec.StallPageNotOwned]; got != b.Start-b.Dispatch {
		t.Errorf("%d cycles booked as page not owned, want %d", got, b.Start-b.Dispatch)
	}
}

// 3. A page is released when as many CTAs have ended as its counts say, and at
// the end of none before.
func TestCRCS3ReleaseByCounts(t *testing.T) {
	l, _ := run(t, `
array P bytes=4K
launch a grid=2 block=32
cta 0
 warp 0
  load R2 <- R1 @P+4
  exit
cta 1
 warp 0
  load R2 <- R1 @P+4
  int R2 <- R2 x50
  exit
launch b grid=1 block=32
cta 0
 warp 0
  store <- R1 R2 @P+4
  exit
`, tiny(t, 2, 2), crcsFree)
	if a0, a1, b := l.cta(t, 0, 0), l.cta(t, 0, 1), l.cta(t, 1, 0); a0.End >= a1.End-unit/4 || b.Start != a1.End+1 {
		t.Errorf("readers end at %d and %d, the writer stores at %d: want one cycle after the second", a0.End, a1.End,
			b.Start)
	}
}

// owners returns the kernels that a page belonged to, in order.
func owners(l *log, page uint64) string {
	var all []string
	for _, r := range l.pages {
		if r.Page == page && (len(all) == 0 || r.From != r.To) {
			all = append(all, fmt.Sprint(int32(r.To)))
		}
	}
	return strings.Join(all, " ")
}

// 4. Pages go from kernel to kernel in program order, past kernels without a count on them. In the end they have no
// owner.
func TestCRCS4OwnersInProgramOrder(t *testing.T) {
	access := func(op string, page int) string {
		return fmt.Sprintf("launch k grid=1 block=32\ncta 0\n warp 0\n  %s @P[%d]+4\n  int R2 <- R2 x9\n  exit\n", op,
			page*4096)
	}
	l, _ := run(t, "array P bytes=8K\n"+access("store <- R1 R2", 0)+access("load R2 <- R1", 1)+
		access("load R2 <- R1", 0)+access("store <- R1 R2", 0),
		tiny(t, 4, 1), crcsFree)
	if got := owners(l, 0x100000); got != "0 2 3 -1" {
		t.Errorf("page 0 went to kernels %s, want 0 2 3 and nobody", got)
	}
	if got := owners(l, 0x100001); got != "1 -1" {
		t.Errorf("page 1 went to kernels %s, want 1 and nobody", got)
	}
}

// 5. A counter that would overflow keeps its page until the kernel ends, and is
// counted. Two CTAs of kernel 0 read page 0 and end early, the third works on:
// with one bit the second reader overflows, and kernel 1 waits for all three.
func TestCRCS5CounterOverflow(t *testing.T) {
	text := `
array P bytes=8K
launch a grid=3 block=32
cta 0..1
 warp 0
  load R2 <- R1 @P+4
  exit
cta 2
 warp 0
  load R2 <- R1 @P[0x1000]+4
  int R2 <- R2 x80
  exit
launch b grid=1 block=32
cta 0
 warp 0
  store <- R1 R2 @P+4
  exit
`
	for bits, overflows := range map[int]float64{0: 0, 1: 1, 2: 0} {
		l, sum := run(t, text, tiny(t, 2, 4), fmt.Sprintf("%s,counter-bits=%d", crcsFree, bits))
		if got := metric(sum, "crcs_counter_overflows"); got != overflows {
			t.Errorf("%d bits: %v overflows, want %v", bits, got, overflows)
		}
		b, readers, last := l.cta(t, 1, 0), max(l.cta(t, 0, 0).End, l.cta(t, 0, 1).End), l.cta(t, 0, 2).End
		if held := b.Start > last; held != (overflows > 0) || !held && b.Start != readers+1 {
			t.Errorf("%d bits: readers end at %d, kernel 0 at %d, kernel 1 stores at %d", bits, readers, last, b.Start)
		}
	}
}

func independent(flags ...string) string {
	var b strings.Builder
	b.WriteString("array P bytes=64K\n")
	for i, f := range flags {
		fmt.Fprintf(&b, "launch k%d grid=1 block=32 %s\ncta 0\n warp 0\n  load R2 <- R1 @P[%d]+4\n  int R2 <- R2 "+
			"x50\n  exit\n", i, f, i*4096)
	}
	return b.String()
}

// 6. An irregular kernel runs when all before it have ended, and those behind it
// when it has; regular kernels without a common page run together.
func TestCRCS6IrregularAlone(t *testing.T) {
	l, _ := run(t, independent("", "irregular", ""), tiny(t, 4, 1), crcsFree)
	for k := uint32(1); k < 3; k++ {
		if before, r := l.cta(t, k-1, 0), l.cta(t, k, 0); r.Dispatch <= before.End {
			t.Errorf("kernel %d starts at %d, before kernel %d ends at %d", k, r.Dispatch, k-1, before.End)
		}
	}
	l, _ = run(t, independent("", "", ""), tiny(t, 4, 1), crcsFree)
	if l.cta(t, 2, 0).Start > unit/20 {
		t.Errorf("the third of three independent kernels starts at %d", l.cta(t, 2, 0).Start)
	}
}

// 7. An irregular kernel overlaps with the prelude through ready bits.
func TestCRCS7IrregularDuringPrelude(t *testing.T) {
	l, _ := run(t, `
array P bytes=16K input
read P
h2d P
launch k grid=4 block=32 irregular
cta 0..3
 warp 0
  load R2 <- R1 @P+4 cta=4096
  exit
`, tiny(t, 4, 1), crcsFree)
	for n := range uint32(4) {
		about(t, fmt.Sprintf("CTA %d", n), l.cta(t, 0, n).Start, model.Time(n+1)*unit)
	}
}

// 8. CTAs of two kernels are never on one SM together.
func TestCRCS8OneKernelPerSM(t *testing.T) {
	for _, policy := range []string{crcsFree, "ppcs", "oracle", "crcs,cta=fifo"} {
		l, _ := run(t, figure8(), tiny(t, 2, 2), policy)
		for _, a := range l.ctas {
			for _, b := range l.ctas {
				if a.SM == b.SM && a.Kernel != b.Kernel && a.Dispatch < b.End && b.Dispatch < a.End {
					t.Fatalf("%s: CTA %d of kernel %d and CTA %d of kernel %d share SM %d", policy, a.CTA, a.Kernel, b.CTA,
						b.Kernel, a.SM)
				}
			}
		}
	}
}

// 9. An SM flushes its L1 when another kernel follows, and not between CTAs of
// one kernel.
func TestCRCS9L1Flush(t *testing.T) {
	one := "launch k grid=2 block=32\ncta 0..1\n warp 0\n  load R2 <- R1 @P+4\n  exit\n"
	for kernels, misses := range map[int]uint64{1: 4, 3: 12} { // 128 bytes: 4 sectors a kernel
		_, sum := run(t, "array P bytes=4K\n"+strings.Repeat(one, kernels), tiny(t, 1, 1), crcsFree)
		var got uint64
		for _, m := range sum.Memory {
			if m.Level == "l1" && m.Index < 0 {
				got += m.Misses
			}
		}
		if got != misses {
			t.Errorf("%d kernels: %d sectors missed in the L1, want %d", kernels, got, misses)
		}
	}
}

// 10. A page goes back to the host, and to its file, when the last kernel with a
// count has done with it, while other pages are still in use.
func TestCRCS10PagesComeBack(t *testing.T) {
	l, _ := run(t, `
array P bytes=12K output
launch k grid=2 block=32
cta 0
 warp 0
  store <- R1 R2 @P+4
  exit
cta 1
 warp 0
  store <- R1 R2 @P[0x1000]+4
  int R2 <- R2 x500
  exit
d2h P
write P
`, tiny(t, 1, 2), crcsFree)
	end := l.cta(t, 0, 1).End
	for _, s := range l.stages {
		if s.Stage == model.StagePostlude {
			// Page 2, which no kernel touches, and page 0 during the kernel; page 1 after it.
			about(t, "start of the postlude", s.Start, 0)
			about(t, "end of the postlude", s.End, end+unit)
			if s.Bytes != 12<<10 {
				t.Errorf("%d bytes written, want 12 KiB", s.Bytes)
			}
			return
		}
	}
	t.Fatal("no postlude")
}

// 11. With the profilers on, a kernel enters after its pre-profiler, and a CTA
// ends later by its post-profiler.
func TestCRCS11ProfilerCost(t *testing.T) {
	cfg := tiny(t, 2, 1)
	off, _ := run(t, writeThenRead, cfg, crcsFree)
	on, _ := run(t, writeThenRead, cfg, "crcs")
	ends := map[uint32]model.Time{}
	for _, s := range on.stages {
		if s.Stage == model.StageProfiler {
			ends[s.Kernel] = s.End
		}
	}
	for _, s := range off.stages {
		if s.Stage == model.StageProfiler {
			t.Errorf("a profiler that takes no time is told of: %+v", s)
		}
	}
	// One array: 8 instructions in a chain of 100 cycles each, and the L2's latency.
	want := model.Time(800 + cfg.L2.Latency)
	if ends[0] != want || ends[1] != 2*want || on.kernels[0].Arrive != want {
		t.Errorf("profilers end at %v, kernel 0 arrives at %d; want %d and %d", ends, on.kernels[0].Arrive, want, 2*want)
	}
	long := func(l *log) model.Time { return l.cta(t, 0, 0).End - l.cta(t, 0, 0).Start }
	if got := long(on) - long(off); got != 801 { // and one counter
		t.Errorf("the post-profiler adds %d cycles, want 801", got)
	}
}

// 12. Kernels enter in program order, however few the distributor holds, and a
// machine of one entry runs them one after another.
func TestCRCS12EntryInProgramOrder(t *testing.T) {
	for _, entries := range []int{1, 2, 3, 32} {
		cfg := tiny(t, 2, 2)
		cfg.KMU.Entries = entries
		l, _ := run(t, figure8()[:strings.Index(figure8(), "d2h")]+
			strings.Repeat(independent("")[len("array P bytes=64K\n"):], 6), cfg, crcsFree)
		slices.SortFunc(l.kernels, func(a, b model.KernelRecord) int { return int(a.ID) - int(b.ID) })
		for i := 1; i < len(l.kernels); i++ {
			if l.kernels[i].Dispatch < l.kernels[i-1].Dispatch {
				t.Errorf("%d entries: kernel %d enters at %d, before kernel %d at %d", entries, i, l.kernels[i].Dispatch, i-1,
					l.kernels[i-1].Dispatch)
			}
		}
	}
}
