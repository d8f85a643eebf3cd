package command

import (
	"fmt"
	"strings"

	"gpureplay/trace"
	"gpureplay/trace/container"
)

// shownScopes is how many scopes inspect prints; --json has all.
const shownScopes = 24

// scopeSum is a scope with the kernels that were called in it and in those within.
type scopeSum struct {
	depth       int
	kernels, ns int64
}

// scopeSums sums kernels by scope.
func scopeSums(r *container.Reader) ([]scopeSum, error) {
	scopes := r.Program().Scopes
	sums := make([]scopeSum, len(scopes)+1) // as kernels count them
	err := eachKernel(r, anyKernel, func(k *trace.Kernel, _ string) {
		if int64(k.Scope) >= int64(len(sums)) {
			return
		}
		s := &sums[k.Scope]
		s.kernels++
		if k.Recorded != nil {
			s.ns += max(0, k.Recorded.DurationNs)
		}
	})
	for i := len(scopes); i > 0; i-- { // a scope comes after the one around it
		if in := scopes[i-1].In; in > 0 {
			sums[in].kernels += sums[i].kernels
			sums[in].ns += sums[i].ns
		}
	}
	for i := 1; i <= len(scopes); i++ {
		if in := scopes[i-1].In; in > 0 {
			sums[i].depth = sums[in].depth + 1
		}
	}
	return sums[1:], err
}

// scopeRows are the scopes as rows for machines.
func scopeRows(r *container.Reader) ([]map[string]any, error) {
	rows := []map[string]any{}
	sums, err := scopeSums(r)
	for i, s := range sums {
		rows = append(rows, map[string]any{"scope": r.Program().ScopePath(uint32(i + 1)), "kernels": s.kernels,
			"kernel_ns": s.ns})
	}
	return rows, err
}

// nested is the order in which each scope stands behind the one around it and those
// within that which were met before.
func scopeTree(scopes []trace.Scope) (order []int) {
	first, next := make([]int, len(scopes)+1), make([]int, len(scopes)+1) // within one; after it. 0: none
	for i := len(scopes); i > 0; i-- {
		in := scopes[i-1].In
		first[in], next[i] = i, first[in]
	}
	for stack := []int{first[0]}; len(stack) > 0; {
		at := stack[len(stack)-1]
		if stack = stack[:len(stack)-1]; at > 0 {
			order = append(order, at-1)
			stack = append(stack, next[at], first[at])
		}
	}
	return order
}

// inspectScopes prints the steps and ranges, those within others indented.
func (a *app) inspectScopes(r *container.Reader) error {
	scopes := r.Program().Scopes
	if len(scopes) == 0 {
		return nil
	}
	sums, err := scopeSums(r)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "steps and ranges (%d), with the kernels called in them; --steps and --ranges choose:\n",
		len(scopes))
	g := newGrid(a.out, "range", "kernels", "time of kernels")
	g.right(2, 3)
	shown := 0
	for _, i := range scopeTree(scopes) {
		s := sums[i]
		if shown == shownScopes {
			break
		}
		if s.kernels > 0 {
			shown++
			name := strings.Repeat("  ", min(s.depth, 8)) + trace.Shorten(scopes[i].Name, widestName)
			g.row(name, commas(s.kernels), duration(s.ns))
		}
	}
	g.print()
	if rest := len(scopes) - shown; rest > 0 {
		fmt.Fprintf(a.out, "and %d more, or without a kernel; --json lists them\n", rest)
	}
	return nil
}
