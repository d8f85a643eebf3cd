package command

import "gpureplay/trace"

// functionNames returns how device functions are called in a table that shows these
// ones: by their short names, or with --full-names as their source has them.
func (a *app) functionNames(shown []string) func(name string) string {
	if a.fullNames {
		return trace.FullName
	}
	short := trace.ShortNames(shown)
	by := make(map[string]string, len(shown))
	for i, name := range shown {
		by[name] = trace.ShortenMiddle(short[i], a.nameWidth())
	}
	return func(name string) string { return by[name] }
}

// widestName is how many letters of a name a table shows.
const widestName = 48

// nameWidth is how many letters of a name a table shows that has five numbers beside it.
func (a *app) nameWidth() int {
	const numbers, least = 52, 16
	if width := terminalWidth(a.out); width > 0 {
		return min(widestName, max(least, width-numbers))
	}
	return widestName
}
