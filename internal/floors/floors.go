package main

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// parse reads floors.
func parse(text []byte) (map[string]int, error) {
	floors := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var pkg string
		var floor int
		if _, err := fmt.Sscanf(line, "%s %d", &pkg, &floor); err != nil {
			return nil, fmt.Errorf("%s: %q is no package with its floor", file, strings.TrimSpace(line))
		}
		floors[pkg] = floor
	}
	return floors, nil
}

// format is the inverse of parse.
func format(floors map[string]int) []byte {
	var b bytes.Buffer
	for _, pkg := range slices.Sorted(maps.Keys(floors)) {
		fmt.Fprintf(&b, "%s %d\n", pkg, floors[pkg])
	}
	return b.Bytes()
}

// covered is a line of go test about a package and the share of its statements.
var covered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:ok  )?\t(\S+)\t.*coverage: (\d+\.\d)% of statements`)
})

// measured returns the coverage of each package, in points, that the output of go test -cover has. Packages without
// statements are not in it.
func measured(out []byte) map[string]float64 {
	now := map[string]float64{}
	for _, m := range covered().FindAllSubmatch(out, -1) {
		now[string(m[1])], _ = strconv.ParseFloat(string(m[2]), 64) // the expression takes numbers alone
	}
	return now
}

// below lists the packages whose coverage is under their floor.
func below(floors map[string]int, now map[string]float64) []string {
	var faults []string
	for _, pkg := range slices.Sorted(maps.Keys(now)) {
		if floor := floors[pkg]; now[pkg] < float64(floor) {
			faults = append(faults, fmt.Sprintf("%s: its tests cover %.1f %%, its floor is %d: test the new code", pkg,
				now[pkg], floor))
		}
	}
	return faults
}

// without lists the packages that have no floor yet.
func without(floors map[string]int, now map[string]float64) []string {
	var names []string
	for _, pkg := range slices.Sorted(maps.Keys(now)) {
		if _, ok := floors[pkg]; !ok {
			names = append(names, pkg)
		}
	}
	return names
}

// gone lists floors of packages that are not there any more.
func gone(floors map[string]int, now map[string]float64) []string {
	var faults []string
	for _, pkg := range slices.Sorted(maps.Keys(floors)) {
		if _, ok := now[pkg]; !ok {
			faults = append(faults, fmt.Sprintf("%s is gone: take its line out of %s", pkg, file))
		}
	}
	return faults
}

// fallen lists the floors that were higher at another time.
func fallen(then, floors map[string]int) []string {
	var faults []string
	for _, pkg := range slices.Sorted(maps.Keys(then)) {
		if floor, ok := floors[pkg]; ok && floor < then[pkg] {
			faults = append(faults, fmt.Sprintf("%s: its floor falls from %d to %d: floors only rise", pkg, then[pkg], floor))
		}
	}
	return faults
}

// raised returns floors that follow the coverage.
func raised(floors map[string]int, now map[string]float64) map[string]int {
	next := maps.Clone(floors)
	for pkg, percent := range now {
		next[pkg] = max(floors[pkg], max(0, int(percent)-1))
	}
	return next
}
