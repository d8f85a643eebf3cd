package model_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpureplay/model/exec"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// executed keeps the instructions that the warps of one kernel execute, and their addresses.
type executed struct {
	endings
	insts   map[[3]uint32]uint64 // CTA, warp, instruction
	touched map[trace.Mode]map[uint64]bool
	outside []string
	spans   map[trace.Mode][][2]uint64 // that accesses of a mode may touch; none: anything
}

func (e *executed) Inst(r *exec.InstRecord) { e.insts[[3]uint32{r.CTA, r.Warp, r.Inst}]++ }

func (e *executed) Access(r *exec.AccessRecord) {
	for addr := range r.Access.Addresses(r.Lists) {
		in := len(e.spans[r.Mode]) == 0
		for _, s := range e.spans[r.Mode] {
			in = in || addr >= s[0] && addr < s[1]
		}
		if !in {
			e.outside = append(e.outside, fmt.Sprintf("%v of %#x by CTA %d, warp %d", r.Mode, addr, r.CTA, r.Warp))
		}
		for b := range uint64(r.Width) {
			e.touched[r.Mode][addr+b] = true
		}
	}
}

// Whatever the counts: each warp executes its share of each instruction. Accesses stay in the touched bytes, and
// cover them where they are enough.
func TestCountsAreExecuted(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		threads := rapid.OneOf(rapid.IntRange(1, 200), rapid.SampledFrom([]int{32, 96, 128})).Draw(r, "threads")
		warps := uint64(threads+31) / 32
		names := []string{"int", "fp32", "load", "store", "barrier", "load shared", "exit", "control"}
		var text strings.Builder
		fmt.Fprintf(&text, "array a bytes=16K base=0x10000\narray b bytes=16K base=0x20000\nlaunch k grid=1 block=%d "+
			"fidelity=cta\ncta 0\n", threads)
		spans := map[trace.Mode][][2]uint64{}
		bytes := map[trace.Mode]uint64{}
		at := uint64(0)
		for range rapid.IntRange(0, 4).Draw(r, "touches") {
			lo := at + 4*rapid.Uint64Range(0, 100).Draw(r, "gap")
			at = lo + 4*rapid.Uint64Range(1, 300).Draw(r, "words")
			fmt.Fprintf(&text, "touch a read %d..%d\ntouch b write %d..%d\n", lo, at, lo, at)
			spans[trace.Read] = append(spans[trace.Read], [2]uint64{0x10000 + lo, 0x10000 + at})
			spans[trace.Write] = append(spans[trace.Write], [2]uint64{0x20000 + lo, 0x20000 + at})
			bytes[trace.Read] += at - lo
		}
		bytes[trace.Write] = bytes[trace.Read]
		var counts []uint64
		for _, name := range names {
			n := rapid.Uint64Range(1, 150).Draw(r, name)
			counts = append(counts, n)
			fmt.Fprintf(&text, "count %s x%d\n", name, n)
		}
		e := &executed{insts: map[[3]uint32]uint64{}, spans: spans, touched: map[trace.Mode]map[uint64]bool{trace.Read: {},
			trace.Write: {}}}
		cfg, policy := tiny(t)
		sum := replay(t, tracetest.FromText(t, text.String()), cfg, policy, e)
		// whose SMs run ahead
		if unseen := replay(t, tracetest.FromText(t, text.String()), cfg, policy, nil); unseen.Cycles != sum.Cycles {
			r.Errorf("%d cycles, watched %d", unseen.Cycles, sum.Cycles)
		}
		total := uint64(0)
		for i, n := range counts {
			total += n
			for w := range warps {
				share := n / warps
				if w < n%warps {
					share++
				}
				if got := e.insts[[3]uint32{0, uint32(w), uint32(i)}]; got != share {
					r.Errorf("warp %d of %d executes %s %d times, its share of %d is %d", w, warps, names[i], got, n, share)
				}
			}
		}
		if sum.WarpInsts != total || len(e.outside) > 0 {
			r.Errorf("%d instructions of %d; outside: %v", sum.WarpInsts, total, e.outside)
		}
		for mode, i := range map[trace.Mode]int{trace.Read: 2, trace.Write: 3} {
			// The last warp may lack lanes; their parts stay untouched.
			if full := threads%32 == 0; full && counts[i]*128 >= bytes[mode] && bytes[mode] > 0 &&
				uint64(len(e.touched[mode])) != bytes[mode] {
				r.Errorf("%d accesses of mode %v touch %d bytes of %d", counts[i], mode, len(e.touched[mode]), bytes[mode])
			}
		}
	})
}

// A program of very many instructions is made as it runs: stopped early, it has
// cost neither time nor memory.
func TestCountsAreMadeAsNeeded(t *testing.T) {
	cfg, policy := tiny(t)
	text := fmt.Sprintf("launch k grid=4 block=512 fidelity=cta\ncta 0..3\ncount int x%d\ncount load x%d\n",
		uint64(trace.MaxTimes), uint64(trace.MaxTimes))
	if n := testing.AllocsPerRun(1, func() {
		replayFor(t, tracetest.FromText(t, text), cfg, policy, 100_000)
	}); n > 20_000 {
		t.Errorf("%v allocations", n)
	}
}

// Three loads of 4 bytes of no known address: each CTA has lines of its own.
func TestCountsWithoutAddresses(t *testing.T) {
	cfg, policy := tiny(t)
	sum := replay(t, tracetest.FromText(t, "launch k grid=2 block=32 fidelity=cta\ncta 0..1\ncount load x3\n"), cfg,
		policy, nil)
	if m := sum.Memory[0]; m.Accesses != 24 || m.Misses != 24 {
		t.Errorf("%+v: want 24 sectors, all missed", m)
	}
}
