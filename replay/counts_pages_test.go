package replay

import (
	"strconv"
	"strings"
	"testing"

	"gpureplay/policies/crcs"
	"gpureplay/trace/tracetest"
)

// Two kernels of CTAs with known counts, touches or ranges. The second reads the first one's writes; the first has
// its input behind a slow link.
const countedPipeline = `
array a bytes=64K input
array b bytes=64K
array c bytes=64K output
read a
h2d a
launch first grid=16 block=64 fidelity=cta FIRST
launch second grid=16 block=64 fidelity=cta SECOND
d2h c
write c
`

// Under every policy that works on pages, audited, kernels of counts, of touches, of ranges and of a duration wait
// for the pages that they touch and give them back. They issue the counted instructions, or accesses that cover the
// touches. 4 KiB take 32 accesses; a range has one that begins on its page.
func TestCountsUnderPages(t *testing.T) {
	for _, c := range []struct {
		name, attrs, first, second string
		insts                      uint64
	}{
		{"counts", "", "range a read 0..64K; range b write 0..64K; touch a read LO..HI; touch b write LO..HI; count " +
			"load x32; count int x64; count store x32; count exit x2",
			"touch b read LO..HI; touch c write LO..HI; count load x32; count store x32", 16 * (130 + 64)},
		{"touches", "", "touch a read LO..HI; touch b write LO..HI", "touch b read LO..HI; touch c write LO..HI",
			2 * 16 * (32 + 32)},
		{"ranges", "", "range a read LO..HI; range b write LO..HI", "range b read LO..HI; range c write LO..HI", 2 * 16 * 2},
		{"durations", "duration=2000", "touch a read LO..HI; touch b write LO..HI; count load x32",
			"range b read LO..HI; range c write LO..HI; count load x32", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.NewReplacer("FIRST", c.attrs+counts(c.first), "SECOND",
				c.attrs+counts(c.second)).Replace(countedPipeline)
			results, err := audited(t, tracetest.FromText(t, text), "serial,single-overlap,crcs,ppcs,oracle", 2, crcs.NoFault)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if r.Run.CTAs != 32 || r.Run.KernelsInferred != 2 {
					t.Errorf("%s: %d CTAs, %d kernels inferred", r.Policy, r.Run.CTAs, r.Run.KernelsInferred)
				}
				if len(r.Violations) > 0 {
					t.Errorf("%s: %d violations, the first: %+v", r.Policy, len(r.Violations), r.Violations[0])
				}
				if c.attrs == "" && r.Run.WarpInsts != c.insts {
					t.Errorf("%s: %d warp instructions, want %d", r.Policy, r.Run.WarpInsts, c.insts)
				}
				t.Logf("%s: %d cycles, %d warp instructions", r.Policy, r.Run.Cycles, r.Run.WarpInsts)
			}
		})
	}
}

// counts writes 16 CTAs, each with its own 4 KiB of every array.
func counts(lines string) string {
	var b strings.Builder
	for i := range 16 {
		b.WriteString("\ncta " + strconv.Itoa(i) + "\n")
		b.WriteString(strings.NewReplacer("; ", "\n", "LO", strconv.Itoa(4096*i), "HI", strconv.Itoa(4096*(i+1)), "64K",
			"65536").Replace(lines))
	}
	return b.String()
}
