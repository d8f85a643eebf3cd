package choose

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gpureplay/trace"
)

// Choice is a set of criteria for work. The zero value chooses everything.
type Choice struct {
	Kernels []Item // numbers and names
	Steps   []Item // numbers of ProfilerStep#N
	Ranges  []Item // names of scopes
	From    Time   // work that begins earlier is left out
	To      Time   // and work that begins here or later
	text    []string
}

// Item is one element of a list: numbers from Lo to Hi, a name, or a pattern that
// is in a name.
type Item struct {
	Lo, Hi  uint64
	Name    string
	Pattern *regexp.Regexp
	text    string
}

// numeric tells numbers from names.
func (i *Item) numeric() bool { return i.Name == "" && i.Pattern == nil }

// hasName reports whether a name, or its short form, is the item's.
func (i *Item) hasName(name string) bool {
	if i.Pattern != nil {
		return i.Pattern.MatchString(name)
	}
	return i.Name != "" && (i.Name == name || i.Name == trace.ShortName(name))
}

// Time is a time of a capture, or a share of its length. It counts from the trace's
// time 0, the first call or activity of its capture.
type Time struct {
	Set   bool
	Ns    int64
	Share float64 // 0 to 1, where Ns is negative
}

func (t Time) of(span int64) int64 {
	if t.Ns < 0 {
		return int64(math.Round(t.Share * float64(span)))
	}
	return t.Ns
}

// Parse reads the values of the five criteria as a user writes them; an empty one is not given. It returns an error
// for a value that cannot be read.
func Parse(kernels, from, to, steps, ranges string) (*Choice, error) {
	c := &Choice{}
	var err error
	set := func(flag, value string, read func() error) {
		if err != nil || value == "" {
			return
		}
		c.text = append(c.text, "--"+flag+"="+value)
		if err = read(); err != nil {
			err = fmt.Errorf("--%s=%s: %w", flag, value, err)
		}
	}
	list := func(to *[]Item, s string, numbers, names bool) func() error {
		return func() (err error) { *to, err = items(s, numbers, names); return err }
	}
	instant := func(to *Time, s string) func() error {
		return func() (err error) { *to, err = ParseTime(s); return err }
	}
	set("kernels", kernels, list(&c.Kernels, kernels, true, true))
	set("from", from, instant(&c.From, from))
	set("to", to, instant(&c.To, to))
	set("steps", steps, list(&c.Steps, steps, true, false))
	set("ranges", ranges, list(&c.Ranges, ranges, false, true))
	return c, err
}

// All reports whether no criterion is given.
func (c *Choice) All() bool { return len(c.text) == 0 }

// String is the choice as the flags that ask for it.
func (c *Choice) String() string { return strings.Join(c.text, " ") }

// ParseTime reads a time with its unit, or a share of the whole. It returns an error without a unit or for a share
// above 100 %.
func ParseTime(s string) (Time, error) {
	if percent, ok := strings.CutSuffix(s, "%"); ok {
		x, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
		if err == nil && x >= 0 && x <= 100 {
			return Time{true, -1, x / 100}, nil
		}
		return Time{}, fmt.Errorf("want a share from 0%% to 100%%")
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || s == "0" {
		return Time{}, fmt.Errorf("want a time since the start of the capture with its unit, as 250us, 1.5ms or 2s, or " +
			"a share of its length, as 25%%")
	}
	return Time{true, int64(d), 0}, nil
}

// items reads a list: numbers and ranges of them, names, and patterns between
// slashes, separated by commas.
func items(s string, numbers, names bool) (list []Item, err error) {
	for rest := s; ; {
		var one string
		if one, rest, err = cutItem(rest); err != nil {
			return nil, err
		}
		item, err := parseItem(one, numbers, names)
		if err != nil {
			return nil, err
		}
		if list = append(list, item); rest == "" {
			return list, nil
		}
		rest = rest[1:]
	}
}

// cutItem returns the first element of a list, and the rest with its comma. A pattern ends at the first slash that
// has a comma, or nothing, behind it.
func cutItem(s string) (one, rest string, err error) {
	if !strings.HasPrefix(s, "/") {
		if at := strings.IndexByte(s, ','); at >= 0 {
			return s[:at], s[at:], nil
		}
		return s, "", nil
	}
	for at := 1; at < len(s); at++ {
		if s[at] == '/' && (at+1 == len(s) || s[at+1] == ',') {
			return s[:at+1], s[at+1:], nil
		}
	}
	return "", "", fmt.Errorf("the pattern %s has no slash at its end", s)
}

func parseItem(s string, numbers, names bool) (Item, error) {
	s = strings.TrimSpace(s)
	item := Item{text: s}
	switch {
	case s == "":
		return item, fmt.Errorf("an element of the list is empty")
	case names && len(s) > 1 && s[0] == '/':
		var err error
		if item.Pattern, err = regexp.Compile(s[1 : len(s)-1]); err != nil {
			return item, fmt.Errorf("%s is no pattern: %w", s, err)
		}
		return item, nil
	case numbers && s[0] >= '0' && s[0] <= '9':
		lo, hi, isRange := strings.Cut(s, "-")
		if !isRange {
			hi = lo
		}
		var err [2]error
		item.Lo, err[0] = strconv.ParseUint(lo, 10, 32)
		item.Hi, err[1] = strconv.ParseUint(hi, 10, 32)
		if err[0] != nil || err[1] != nil || item.Lo > item.Hi {
			return item, fmt.Errorf("%s is no number, nor a range of numbers such as 5-9", s)
		}
		return item, nil
	case names:
		item.Name = s
		return item, nil
	}
	return item, fmt.Errorf("%s is no number, nor a range of numbers such as 2-4", s)
}
