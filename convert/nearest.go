package convert

import "github.com/agnivade/levenshtein"

// nearest returns the name that takes the fewest edits to become of those
// given; "" if none is close.
func nearest(names []string, to string) string {
	best, least := "", max(len(to)/2, 1)+1
	for _, name := range names {
		if d := levenshtein.ComputeDistance(name, to); d < least {
			best, least = name, d
		}
	}
	return best
}
