// Package house_test holds the rules of the house that read the source: here, how texts are written.
package house_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var updateWords = flag.Bool("update-words", false, "write the ceilings of the texts anew; refuses to raise a sum")

// ceilings is the file of today's counts: a line for each package or document, measure and count.
const ceilings = "testdata/words.txt"

// measure is one rule for texts: how many faults a text has, among how many lines or sentences, and the final limit.
type measure struct {
	name  string
	limit float64 // largest share of faults that a finished text may have
	count func(*text) (faults, of int)
}

// measures are the rules for texts that can be counted, with their final limits.
var measures = []measure{
	{"what-lines", 0.01, func(t *text) (int, int) { return count(t.lines, hasWhat), len(t.lines) }},
	{"what-sentences", 0.01, func(t *text) (int, int) { return count(t.sentences, hasWhat), len(t.sentences) }},
	{"turned", 0.02, func(t *text) (int, int) { return count(t.sentences, isTurned), len(t.sentences) }},
	{"over-30-words", 0.05, func(t *text) (int, int) { return count(t.sentences, isLong), len(t.sentences) }},
	{"words-over-mean-16", 0, func(t *text) (int, int) { return max(0, words(t.sentences)-16*len(t.sentences)), 1 }},
	{"lines-over-120", 0, func(t *text) (int, int) { return t.wide, 1 }},
}

// excused reports whether so few faults are within the final limit. A short text may have one of a kind that has
// a share, since one of ten is already 10 %.
func (m measure) excused(faults, of int) bool {
	return float64(faults) <= m.limit*float64(of) || m.limit > 0 && faults <= 1
}

// TestTextsArePlain counts the faults of each package's and document's texts. A text stays under the final limit, or
// under the count that the file of ceilings records for it. Ceilings only fall.
func TestTextsArePlain(t *testing.T) {
	texts, was := readTexts(t), readCeilings(t)
	now := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		for _, m := range measures {
			faults, of := m.count(texts[name])
			if m.excused(faults, of) {
				continue
			}
			key := name + " " + m.name
			now[key] = faults
			if limit, known := was[key]; faults > limit && !*updateWords {
				t.Errorf("%s: %d of %d, recorded %d (known: %t), final limit %.0f %%:\n%s",
					key, faults, of, limit, known, 100*m.limit, texts[name].examples(m.name))
			}
		}
	}
	if *updateWords {
		writeCeilings(t, was, now)
	}
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

func readCeilings(t *testing.T) map[string]int {
	t.Helper()
	all := map[string]int{}
	b, err := os.ReadFile(ceilings)
	if os.IsNotExist(err) {
		return all
	} else if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		var name, rule string
		var n int
		if _, err := fmt.Sscan(line, &name, &rule, &n); err != nil {
			t.Fatalf("%s: %q is not a name, a rule and a count", ceilings, line)
		}
		all[name+" "+rule] = n
	}
	return all
}

// writeCeilings writes the counts of today, unless the sum of a rule would rise: texts may move, faults may not grow.
func writeCeilings(t *testing.T, was, now map[string]int) {
	t.Helper()
	for _, m := range measures {
		old, sum := 0, 0
		for key, n := range was {
			if strings.HasSuffix(key, " "+m.name) {
				old += n
			}
		}
		for key, n := range now {
			if strings.HasSuffix(key, " "+m.name) {
				sum += n
			}
		}
		t.Logf("%-20s %6d before, %6d now", m.name, old, sum)
		if len(was) > 0 && sum > old {
			t.Fatalf("%s: %d faults in all, %d before: rewrite the texts, ceilings only fall", m.name, sum, old)
		}
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(&b, "%s %d\n", key, now[key])
	}
	if err := os.MkdirAll(filepath.Dir(ceilings), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ceilings, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}
