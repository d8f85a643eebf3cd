package delimited

import "bytes"

// locale is how a table writes its numbers and separates its fields. Spreadsheets and
// profilers in other languages write 1.234,5 or "1,234.5", between semicolons or tabs.
type locale struct {
	separator byte
	point     byte // of decimals: '.' or ','
	grouped   bool // numbers have separators of thousands, or ',' as the point
}

// localeOf finds the locale from the beginning of a table.
//
// A mark that occurs twice in a number, or before the other mark, separates thousands. One that has
// other than three digits behind it, or a lone 0 or more than three digits before it, is the point.
// Where every number with a comma reads both ways, commas separate thousands in a table
// with commas between its fields, and are the point in others. A dot that reads both ways is the point, except
// where threes says that numbers never have three decimals.
func localeOf(head []byte, threes bool) locale {
	l := locale{separator: separatorOf(head), point: '.'}
	var comma, dot evidence
	spaced := false
	for line := range bytes.Lines(head) {
		for field := range eachField(bytes.TrimSpace(line), l.separator) {
			if without := withoutSpaces(field); len(without) < len(field) {
				field, spaced = without, true
			}
			comma.observe(field, ',', '.')
			dot.observe(field, '.', ',')
		}
	}
	l.grouped = spaced || comma.seen || dot.groups || threes && dot.seen
	switch {
	case comma.point && !comma.groups:
		l.point = ','
	case comma.groups || comma.point:
	case dot.groups, comma.seen && l.separator != ',' && !dot.point:
		l.point = ','
	case threes && dot.seen && !dot.point:
		l.point = ','
	}
	return l
}

// evidence is what the numbers of a table tell about a mark in them.
type evidence struct {
	seen, point, groups bool
}

func (e *evidence) observe(field []byte, mark, other byte) {
	digits, ok := number(field)
	at := bytes.IndexByte(digits, mark)
	if !ok || at < 0 {
		return
	}
	e.seen = true
	beside := bytes.IndexByte(digits, other)
	switch n := bytes.Count(digits, []byte{mark}); {
	case n > 1 || beside > at:
		e.groups = true
	case beside >= 0, at == 0, at > 3, len(digits)-at-1 != 3, digits[0] == '0':
		e.point = true
	}
}

// number returns a number's digits and marks, without sign and exponent; false: the field is none.
func number(field []byte) ([]byte, bool) {
	if len(field) > 0 && (field[0] == '-' || field[0] == '+') {
		field = field[1:]
	}
	if at := bytes.IndexAny(field, "eE"); at > 0 {
		field = field[:at]
	}
	if len(field) == 0 || len(field) > 40 {
		return nil, false
	}
	digits := 0
	for _, c := range field {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case c != '.' && c != ',':
			return nil, false
		}
	}
	return field, digits > 0
}

// spaces separate thousands in some languages: no-break spaces and apostrophes.
var spaces = [][]byte{[]byte("\u00a0"), []byte("\u202f"), []byte("\u2009"), []byte("'"), []byte("\u2019")}

// withoutSpaces takes such spaces out of a number; other fields stay.
func withoutSpaces(field []byte) []byte {
	out := field
	for _, s := range spaces {
		if bytes.Contains(out, s) {
			out = bytes.ReplaceAll(out, s, nil)
		}
	}
	if _, ok := number(out); !ok {
		return field
	}
	return out
}

// plain rewrites a number of the locale as 1234.5; other fields stay.
func (l *locale) plain(field []byte) []byte {
	field = withoutSpaces(field)
	if _, ok := number(field); !ok {
		return field
	}
	out := field[:0]
	for _, c := range field {
		switch c {
		case l.point:
			out = append(out, '.')
		case '.', ',':
		default:
			out = append(out, c)
		}
	}
	return out
}

// separatorOf returns the separator of the line with the most fields. A comma loses ties: it may be in numbers.
func separatorOf(head []byte) byte {
	best, most := byte(','), 0
	for _, s := range []byte{',', ';', '\t'} {
		for line := range bytes.Lines(head) {
			n := -1
			for range eachField(line, s) {
				n++
			}
			if n > 0 && n >= most {
				best, most = s, n
			}
		}
	}
	return best
}

// eachField yields the fields of a line without their quotes; escaped quotes stay.
func eachField(line []byte, separator byte) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		quoted, start := false, 0
		for i := 0; i <= len(line); i++ {
			if i < len(line) {
				if line[i] == '"' {
					quoted = !quoted
				}
				if quoted || line[i] != separator {
					continue
				}
			}
			if !yield(bytes.Trim(line[start:i], `" `)) {
				return
			}
			start = i + 1
		}
	}
}

// Header returns a line in one form: names without quotes, between commas, whatever a
// program that saved the table again made of it.
func Header(line []byte) []byte {
	line = bytes.TrimPrefix(bytes.TrimSpace(line), []byte("\xef\xbb\xbf"))
	return bytes.Map(func(r rune) rune {
		switch r {
		case '"':
			return -1
		case ';', '\t':
			return ','
		}
		return r
	}, line)
}
