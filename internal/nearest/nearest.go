// Package nearest suggests names for a mistyped one: the one place in which an error on an unknown name is made,
// and how near a name must be is decided.
package nearest

import (
	"fmt"
	"slices"
	"strings"
)

// Names returns up to n of the known names that a mistyped one may have meant, the most likely first. They differ
// in at most a third of its letters, or in one of several, or contain it, or end alike after the last dot.
func Names(name string, known []string, n int) []string {
	type candidate struct {
		name string
		cost int
	}
	var found []candidate
	last := name[strings.LastIndexByte(name, '.')+1:]
	for _, k := range known {
		cost := Distance(strings.ToLower(name), strings.ToLower(k))
		close := cost <= max(1, len(name)/3) && cost < len(name)
		alike := last != "" && (strings.HasSuffix(k, "."+last) || len(last) > 2 && strings.Contains(k, last))
		if close || alike {
			found = append(found, candidate{k, cost})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.cost - b.cost })
	if len(found) > n {
		found = found[:n]
	}
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = f.name
	}
	return names
}

// Hint ends an error on an unknown name: ": did you mean a, b?", or nothing.
func Hint(name string, known []string) string {
	if near := Names(name, known, 3); len(near) > 0 {
		return ": did you mean " + strings.Join(near, ", ") + "?"
	}
	return ""
}

// Unknown is the error on an unknown name of a kind. It lists the known ones.
func Unknown(kind, name string, known []string) error {
	if hint := Hint(name, known); hint != "" {
		return fmt.Errorf("no %s %q%s There are %s", kind, name, hint, strings.Join(known, ", "))
	}
	return fmt.Errorf("no %s %q: there are %s", kind, name, strings.Join(known, ", "))
}

// longest bounds the letters of a name.
const longest = 64

// Distance is the edit distance of two short names: insertions, deletions, changes and
// swaps of neighbours (optimal string alignment). It is the sum of the lengths if one of
// them is too long to be a name.
func Distance(a, b string) int {
	if len(a) > longest || len(b) > longest {
		return len(a) + len(b)
	}
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			d[i][j] = min(change, d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
