package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpureplay/nearest"
)

// nearFlag adds the flags that are spelt nearly as one that there is not.
func nearFlag(c *cobra.Command, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return err
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := nearest.Names(name, known, 3); len(near) > 0 {
		return fmt.Errorf("%w; did you mean --%s?", err, strings.Join(near, ", --"))
	}
	return err
}

// noteRest says what --policy=all left out, a line for each reason, the most
// frequent first; of more than three reasons the last line has the rest.
func (a *app) noteRest(rest []string) {
	names := map[string][]string{}
	var reasons []string
	for _, no := range rest {
		name, why, _ := strings.Cut(no, ": ")
		if names[why] == nil {
			reasons = append(reasons, why)
		}
		names[why] = append(names[why], name)
	}
	slices.SortStableFunc(reasons, func(x, y string) int { return len(names[y]) - len(names[x]) })
	for i, why := range reasons {
		if i == 2 && len(reasons) > 3 {
			var others []string
			for _, w := range reasons[i:] {
				others = append(others, names[w]...)
			}
			a.note("without %s: for other reasons, which replay inspect lists", strings.Join(others, ", "))
			return
		}
		a.note("without %s: %s", strings.Join(names[why], ", "), why)
	}
}
