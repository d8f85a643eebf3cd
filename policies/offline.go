package policies

import (
	"fmt"
	"gpureplay/trace/container"
	"maps"
)

func init() {
	Register(Policy{
		Name: "offline-search", Title: "the threshold that turns out fastest, found by trying",
		Source: "SPAWN paper, section III (static search)",
		Doc: "A search over runs: threshold=N for values N of the trace's own workloads, from the one that launches " +
			"every request down in equal " +
			"shares of the work to the one that launches none. The fastest stands as offline-search; every N that was " +
			"tried has its own rows.",
		Needs: needsBodies,
		Params: []Param{{"offline-search-steps", "10", "thresholds to try beside the one that launches all: shares of " +
			"the work that they leave to children"}},
		Search: thresholds,
	})
}

// thresholds are the runs that offline-search tries.
func thresholds(r *container.Reader, a Args) ([]string, error) {
	steps, err := a.Integer("offline-search-steps", 1, 1000)
	if err != nil {
		return nil, err
	}
	w, err := WorkloadsOf(r)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, n := range w.Thresholds(int(steps)) {
		all = append(all, fmt.Sprintf("threshold=%d", n))
	}
	return all, nil
}

// Searches reports whether c stands for the fastest of several runs.
func (c *Choice) Searches() bool { return c.Policy.Search != nil }

// Tries returns the choices among which a search looks for the fastest, with the overrides of c. It returns an error
// if the trace cannot be read.
func (c *Choice) Tries(r *container.Reader) ([]*Choice, error) {
	names, err := c.Policy.Search(r, Args{c.params(), c.args})
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", c.Label, err)
	}
	var all []*Choice
	for _, name := range names {
		cs, err := Parse(name, c.args)
		if err != nil {
			return nil, err
		}
		t := cs[0]
		t.over = maps.Clone(c.over)
		for _, d := range decisions {
			if impl, ok := c.over[d]; ok {
				t.Label += "," + d + "=" + impl
			}
		}
		all = append(all, t)
	}
	return all, nil
}

// As returns c under another label.
func (c *Choice) As(label string) *Choice {
	renamed := *c
	renamed.Label = label
	return &renamed
}
