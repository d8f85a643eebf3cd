package convert

import "slices"

// nearest returns the name that takes the fewest edits to become of those
// given; "" if none is close.
func nearest(names []string, to string) string {
	best, least := "", max(len(to)/2, 1)+1
	for _, name := range names {
		if d := edits(name, to); d < least {
			best, least = name, d
		}
	}
	return best
}

// edits is the number of bytes to insert, delete or replace to make b of a.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = slices.Min([]int{cost, row[j] + 1, diagonal + 1})
		}
	}
	return row[len(b)]
}
