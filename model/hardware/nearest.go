package hardware

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns up to n of the known names that a mistyped one may have
// meant, the most likely first: those that differ in at most a third of its
// letters, and those that contain it or end alike after the last dot.
func Nearest(name string, known []string, n int) []string {
	type candidate struct {
		name string
		cost int
	}
	var found []candidate
	last := name[strings.LastIndexByte(name, '.')+1:]
	for _, k := range known {
		cost := editDistance(strings.ToLower(name), strings.ToLower(k))
		close := cost <= max(1, len(name)/3)
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

// editDistance is the Levenshtein distance of two short names; it is the sum
// of the lengths if one of them is too long to be a name.
func editDistance(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return len(a) + len(b)
	}
	return levenshtein.ComputeDistance(a, b)
}
