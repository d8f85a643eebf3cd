// Package house_test holds the rules of the house that read the source: here, how texts are written.
package house_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// measure is one rule for texts: how many faults a text has, among how many lines or sentences, and the limit.
type measure struct {
	name  string
	limit float64 // largest share of faults that a text may have
	count func(*text) (faults, of int)
}

// measures are the rules for texts that can be counted, with their limits.
var measures = []measure{
	{"what-lines", 0.01, func(t *text) (int, int) { return count(t.lines, hasWhat), len(t.lines) }},
	{"what-sentences", 0.01, func(t *text) (int, int) { return count(t.sentences, hasWhat), len(t.sentences) }},
	{"turned", 0.02, func(t *text) (int, int) { return count(t.sentences, isTurned), len(t.sentences) }},
	{"over-30-words", 0.05, func(t *text) (int, int) { return count(t.sentences, isLong), len(t.sentences) }},
	{"words-over-mean-16", 0, func(t *text) (int, int) { return max(0, words(t.sentences)-16*len(t.sentences)), 1 }},
	{"lines-over-120", 0, func(t *text) (int, int) { return t.wide, 1 }},
}

// excused reports whether so few faults are within the limit. A short text may have one of a kind that has
// a share, since one of ten is already 10 %.
func (m measure) excused(faults, of int) bool {
	return float64(faults) <= m.limit*float64(of) || m.limit > 0 && faults <= 1
}

// TestTextsArePlain counts the faults of each package's and document's texts: none has more than its limit.
func TestTextsArePlain(t *testing.T) {
	texts := readTexts(t)
	sums := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		for _, m := range measures {
			faults, of := m.count(texts[name])
			sums[m.name] += faults
			if !m.excused(faults, of) {
				t.Errorf("%s %s: %d of %d, limit %.0f %%:\n%s", name, m.name, faults, of, 100*m.limit,
					texts[name].examples(m.name))
			}
		}
	}
	t.Log("faults in all, within the limits:", sums)
}

// TestWordsAreCounted computes by hand how the faults of a small text are counted.
func TestWordsAreCounted(t *testing.T) {
	var x text
	x.add("// What is it? A queue holds what a warp asked for.\n//\n// Nobody reads of which it is. It ends.\n", "//")
	for i, want := range []string{"1 of 2", "1 of 4", "1 of 4"} {
		faults, of := measures[i].count(&x)
		if got := fmt.Sprintf("%d of %d", faults, of); got != want {
			t.Errorf("%s: %s, want %s; sentences %q", measures[i].name, got, want, x.sentences)
		}
	}
	if n := words(x.sentences); n != 19 {
		t.Errorf("%d words, want 19", n)
	}
}
