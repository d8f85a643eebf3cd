package reference

import (
	"cmp"
	"slices"

	"gpureplay/model"
)

// nPlaceBack is a place that a request of a slice gives back in a cycle.
type nPlaceBack struct {
	at    model.Time
	slice int
}

// giveBack frees the places of requests whose data have left by cycle w: its own first, if a slice has used that.
func (c *nController) giveBack(w model.Time) {
	slices.SortStableFunc(c.back, func(a, b nPlaceBack) int { return cmp.Compare(a.at, b.at) })
	for len(c.back) > 0 && c.back[0].at <= w {
		if s := c.back[0].slice; c.taken[s] {
			c.taken[s] = false
		} else {
			c.free++
		}
		c.back = c.back[1:]
	}
}
