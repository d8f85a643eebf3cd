package choose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

const (
	nearNames = 3   // that a message lists
	longName  = 100 // bytes of a name that are compared and shown
)

// near is a name and its distance from the requested one.
type near struct {
	name string
	far  int
}

// known is an error where an item fits none of n names; it has those that are near:
// those that hold it, then those that take the fewest edits.
func known(item *Item, flag, what string, n int, name func(i int) (name, shown string)) error {
	var list []near
	asked := strings.ToLower(cut(strings.Trim(item.text, "/")))
	for i := range n {
		whole, shown := name(i)
		if item.hasName(whole) {
			return nil
		}
		x := near{cut(shown), levenshtein.ComputeDistance(strings.ToLower(cut(shown)), asked)}
		if strings.Contains(strings.ToLower(whole), asked) {
			x.far = -1
		}
		if slices.Contains(list, x) {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, x, func(a, b near) int { return cmp.Or(cmp.Compare(a.far, b.far), -1) })
		if list = slices.Insert(list, at, x); len(list) > nearNames {
			list = list[:nearNames]
		}
	}
	if n == 0 {
		return fmt.Errorf("%s=%s: the trace has no %s with a name", flag, item.text, what)
	}
	var names []string
	for _, x := range list {
		names = append(names, x.name)
	}
	return fmt.Errorf("%s=%s: no %s of %d has this name; near are %s", flag, item.text, what, n, strings.Join(names, ", "))
}

// cut bounds a name.
func cut(s string) string { return strings.ToValidUTF8(s[:min(len(s), longName)], "") }
