package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpureplay/internal/nearest"
)

// numbers are the values that a flag of a type takes.
var numbers = map[string]string{
	"uint16": "a whole number from 0 to 65535", "uint32": "a whole number from 0 to 4294967295",
	"int": "a whole number", "uint64": "a whole number from 0", "int64": "a whole number",
	"intSlice": "whole numbers with commas between them",
	"float64":  "a number", "bool": "true or false",
}

// nearFlag adds the known flags that are spelt nearly as an unknown one, or the values that a flag's type takes.
func nearFlag(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		flag := value.GetFlag()
		if want := numbers[flag.Value.Type()]; want != "" {
			return fmt.Errorf("--%s=%s: want %s", flag.Name, value.GetValue(), want)
		}
	}
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

// reason is why some policies do not apply to a trace.
type reason struct {
	why      string
	policies []string
}

// reasonsOf groups sentences of the form "policy: reason", the reason of most policies
// first.
func reasonsOf(rest []string) (all []reason) {
	for _, no := range rest {
		name, why, _ := strings.Cut(no, ": ")
		i := slices.IndexFunc(all, func(r reason) bool { return r.why == why })
		if i < 0 {
			i = len(all)
			all = append(all, reason{why: why})
		}
		all[i].policies = append(all[i].policies, name)
	}
	slices.SortStableFunc(all, func(x, y reason) int { return len(y.policies) - len(x.policies) })
	return all
}

// noteRest says which policies --policy=all left out, a line for each reason; of more
// than three reasons the last line has the rest.
func (a *app) noteRest(rest []string) {
	reasons := reasonsOf(rest)
	for i, r := range reasons {
		if i == 2 && len(reasons) > 3 {
			var others []string
			for _, x := range reasons[i:] {
				others = append(others, x.policies...)
			}
			a.note("without %s: for other reasons, which replay inspect lists", strings.Join(others, ", "))
			return
		}
		a.note("without %s: %s", strings.Join(r.policies, ", "), r.why)
	}
}
