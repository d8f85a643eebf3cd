package trace

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maxMangled bounds the names that are demangled: a substitution can repeat a part of
// the name, so the result grows faster than the name.
const maxMangled = 1 << 14

// FullName is the name of a device function as its source has it: a mangled name of the
// Itanium C++ ABI or of Rust is demangled, another name stays.
func FullName(name string) string {
	if !strings.HasPrefix(name, "_Z") && !strings.HasPrefix(name, "_R") || len(name) > maxMangled {
		return name
	}
	return demangle.Filter(name, demangle.NoClones, demangle.MaxLength(16))
}

// ShortName is the name of a device function without namespaces, templates and
// parameters: void at::native::vectorized<4, float>(int) becomes vectorized.
func ShortName(name string) string {
	full := FullName(name)
	if head := parseName(full, 0).head; head != "" {
		return head
	}
	return full
}

// ShortNames are the short names of functions, in their order. Functions of one short
// name keep the first template argument or parameter that differs:
// elementwise<MulFunctor> and elementwise<AddFunctor>. Equal names get equal short names.
func ShortNames(names []string) []string {
	at := make(map[string]int, len(names))
	of := make([]int, len(names))
	var distinct []*symbol
	for i, name := range names {
		full := FullName(name)
		n, known := at[full]
		if !known {
			n = len(distinct)
			at[full] = n
			distinct = append(distinct, parseName(full, 0))
		}
		of[i] = n
	}
	short := labels(distinct, true)
	ambiguous(short, func(i int) { short[i] = distinct[i].space + short[i] }) // namespaces differ
	ambiguous(short, func(i int) { short[i] = distinct[i].text })             // return types differ
	all := make([]string, len(names))
	for i, n := range of {
		all[i] = short[n]
	}
	return all
}

// ambiguous calls f for each label that is empty or that another shares.
func ambiguous(labels []string, f func(i int)) {
	count := map[string]int{"": 2}
	for _, s := range labels {
		count[s]++
	}
	for i, s := range slices.Clone(labels) {
		if count[s] > 1 {
			f(i)
		}
	}
}

// symbol is a demangled name, or an argument of one, as far as short names need it.
type symbol struct {
	text  string
	head  string   // last part of the qualified name, lambdas and operators apart
	space string   // namespaces and classes in front of the head, each with its ::
	parts []string // template arguments of all parts of the name, then its parameters
	depth int
}

// deepestName bounds how far arguments of arguments are taken apart.
const deepestName = 32

// parseName takes a name apart into its head and its arguments.
func parseName(text string, depth int) *symbol {
	s := &symbol{text: text, head: text, depth: depth}
	if depth == deepestName || strings.HasPrefix(text, "(") && !strings.HasPrefix(text, anonymous) {
		return s
	}
	var params []string
	head := ""
	for _, p := range pathOf(text) {
		name, args, of := dissect(p)
		s.parts, params = append(s.parts, args...), of
		switch {
		case name == "" || strings.HasPrefix(name, "{lambda") || strings.HasPrefix(name, "operator"):
			if name != "" {
				s.parts = append(s.parts, name)
			}
		default:
			if head != "" {
				s.space += head + "::"
			}
			head = name
		}
	}
	s.parts = append(s.parts, params...)
	if head != "" {
		s.head = head
	}
	return s
}

const anonymous = "(anonymous namespace)"

// pathOf splits a qualified name at its :: outside of brackets. A space outside of them
// ends a return type, which is dropped.
func pathOf(text string) []string {
	var path []string
	from, depth := 0, 0
	text = trimQualifiers(text)
	for i := 0; i < len(text); i++ {
		if strings.HasPrefix(text[i:], "operator") && depth == 0 {
			i += len("operator")
			for i < len(text) && strings.IndexByte("()<>=!+-*/%&|^~[] ", text[i]) >= 0 && !startsParameters(text, i) {
				i++
			}
			i--
			continue
		}
		switch text[i] {
		case '<', '(', '{', '[':
			depth++
		case '>', ')', '}', ']':
			depth = max(0, depth-1)
		case ' ':
			if depth == 0 && !qualifies(text[i:]) && !joins(text[from:i]) {
				path, from = nil, i+1
			}
		case ':':
			if depth == 0 && i+1 < len(text) && text[i+1] == ':' {
				path = append(path, trimQualifiers(text[from:i]))
				i++
				from = i + 1
			}
		}
	}
	return append(path, text[from:])
}

// startsParameters reports whether the parameters of an operator begin at i: operator()
// has a pair of brackets in its name.
func startsParameters(text string, i int) bool {
	return text[i] == '(' && !(strings.HasSuffix(text[:i], "operator") && strings.HasPrefix(text[i:], "()"))
}

// qualifies reports whether a space begins words that stand behind a name.
func qualifies(rest string) bool {
	for _, word := range []string{" const", " volatile", " [clone", " &", " *", " >", " ["} {
		if strings.HasPrefix(rest, word) {
			return true
		}
	}
	return false
}

// joins reports whether a word is the first of a type of several words.
func joins(word string) bool { return word == "unsigned" || word == "signed" || word == "long" }

func trimQualifiers(s string) string {
	for {
		t := strings.TrimSpace(s)
		for _, suffix := range []string{" const", " volatile", "&", "*"} {
			t = strings.TrimSuffix(t, suffix)
		}
		if t == s {
			return s
		}
		s = t
	}
}

// dissect splits one part of a qualified name into its name, its template arguments
// and its parameters.
func dissect(part string) (name string, args, params []string) {
	if part == anonymous {
		return "", nil, nil
	}
	open := strings.IndexAny(part, "<(")
	if strings.HasPrefix(part, "{") || strings.HasPrefix(part, "operator") || open <= 0 {
		return part, nil, nil
	}
	name = part[:open]
	for open < len(part) && (part[open] == '<' || part[open] == '(') {
		list, end := argumentsOf(part, open)
		if part[open] == '<' {
			args = append(args, list...)
		} else {
			params = list
		}
		open = end
	}
	return name, args, params
}

// argumentsOf splits the list that begins with the bracket at open at its commas, and
// returns where the list ends.
func argumentsOf(text string, open int) (list []string, end int) {
	depth, from := 0, open+1
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '<', '(', '{', '[':
			depth++
		case '>', ')', '}', ']':
			if text[i] == '>' && text[i-1] == '-' {
				continue
			}
			if depth--; depth == 0 {
				return append(list, strings.TrimSpace(text[from:i])), i + 1
			}
		case ',':
			if depth == 1 {
				list, from = append(list, strings.TrimSpace(text[from:i])), i+1
			}
		}
	}
	return append(list, strings.TrimSpace(text[from:])), len(text)
}

// labels are short names that tell the symbols apart: the head of one that no other
// shares, else its head and the arguments that differ. Below the top a head that all of
// them share tells nothing and is left out.
func labels(all []*symbol, top bool) []string {
	byHead := map[string][]int{}
	for i, s := range all {
		byHead[s.head] = append(byHead[s.head], i)
	}
	out := make([]string, len(all))
	for head, group := range byHead {
		if len(group) == 1 {
			out[group[0]] = head
			continue
		}
		members := make([]*symbol, len(group))
		for i, at := range group {
			members[i] = all[at]
		}
		for i, args := range differing(members) {
			switch {
			case args == "":
				out[group[i]] = head
			case !top && len(byHead) == 1:
				out[group[i]] = args
			default:
				out[group[i]] = head + "<" + args + ">"
			}
		}
	}
	return out
}

// differing are the arguments by which symbols of one head differ, from the first on
// until all are told apart.
func differing(all []*symbol) []string {
	out := make([]string, len(all))
	class := make([]string, len(all)) // equal for symbols that are not told apart yet
	most := 0
	for _, s := range all {
		most = max(most, len(s.parts))
	}
	for arg := range most {
		if !splits(all, class, arg) {
			continue
		}
		at := map[string]int{}
		var distinct []*symbol
		for _, s := range all {
			if _, ok := at[s.part(arg)]; !ok {
				at[s.part(arg)] = len(distinct)
				distinct = append(distinct, parseName(s.part(arg), s.depth+1))
			}
		}
		words := labels(distinct, false)
		for i, s := range all {
			n := at[s.part(arg)]
			class[i] += " " + strconv.Itoa(n)
			if words[n] != "" && out[i] != "" {
				out[i] += ", "
			}
			out[i] += words[n]
		}
	}
	return out
}

// part is the argument with a number; "" where the symbol has fewer.
func (s *symbol) part(n int) string {
	if n < len(s.parts) {
		return s.parts[n]
	}
	return ""
}

// splits reports whether an argument differs within a class.
func splits(all []*symbol, class []string, arg int) bool {
	first := map[string]string{}
	for i, s := range all {
		text, ok := first[class[i]]
		if !ok {
			first[class[i]] = s.part(arg)
		} else if text != s.part(arg) {
			return true
		}
	}
	return false
}

// Shorten cuts a name to n runes.
func Shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// ShortenMiddle cuts a name to n runes. Both ends stay: the names of one template, and of the ranks of a job, differ
// at their end.
func ShortenMiddle(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	head := (n - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}
