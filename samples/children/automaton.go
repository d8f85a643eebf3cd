package children

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
)

// Limits of a compiled automaton.
const (
	mostStates  = 4096
	mostPattern = 1024 // bytes of a pattern
)

// automaton is a deterministic finite automaton over bytes that looks, from the byte where it starts, for any of
// its patterns. State 0 is the start, dead is no way on, accept a match.
type automaton struct {
	next []int32 // state·256 + byte
}

const (
	dead   = -1
	accept = -2
)

// compile builds the automaton of patterns in Go's syntax by the subset
// construction. A byte is a character of its own (Latin-1). Patterns that look
// beyond the text they match (^, $, \b) or match nothing at all are errors.
func compile(patterns []string) (*automaton, error) {
	if len(patterns) == 0 {
		return nil, fmt.Errorf("no pattern")
	}
	for i, p := range patterns {
		if len(p) > mostPattern {
			return nil, fmt.Errorf("pattern %d: %d bytes, more than the limit of %d", i+1, len(p), mostPattern)
		}
		re, err := syntax.Parse(p, syntax.Perl|syntax.DotNL)
		if err != nil {
			return nil, fmt.Errorf("pattern %d: %w", i+1, err)
		}
		prog, err := syntax.Compile(re.Simplify())
		if err != nil {
			return nil, fmt.Errorf("pattern %d: %w", i+1, err)
		}
		for _, in := range prog.Inst {
			if in.Op == syntax.InstEmptyWidth {
				return nil, fmt.Errorf("pattern %d: %q has ^, $ or \\b, which no state of the automaton can tell", i+1, p)
			}
		}
	}
	re, err := syntax.Parse("(?:"+strings.Join(patterns, ")|(?:")+")", syntax.Perl|syntax.DotNL)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	return subsets(prog)
}

// subsets makes a state of every set of instructions that bytes lead to.
func subsets(prog *syntax.Prog) (*automaton, error) {
	start, matched := closure(prog, []uint32{uint32(prog.Start)})
	if matched {
		return nil, fmt.Errorf("the patterns match the empty text")
	}
	a := &automaton{}
	ids := map[string]int32{key(start): 0}
	states := [][]uint32{start}
	for s := 0; s < len(states); s++ {
		for b := range 256 {
			to, matched := closure(prog, advance(prog, states[s], rune(b)))
			next := int32(dead)
			switch {
			case matched:
				next = accept
			case len(to) > 0:
				id, ok := ids[key(to)]
				if !ok {
					if len(states) == mostStates {
						return nil, fmt.Errorf("more than %d states; use fewer or simpler patterns", mostStates)
					}
					id = int32(len(states))
					ids[key(to)] = id
					states = append(states, to)
				}
				next = id
			}
			a.next = append(a.next, next)
		}
	}
	return a, nil
}

// key names a set of instructions, sorted.
func key(set []uint32) string { return fmt.Sprint(set) }

// advance returns the instructions that follow a set's instructions when these take a character.
func advance(prog *syntax.Prog, set []uint32, r rune) (to []uint32) {
	for _, pc := range set {
		if in := &prog.Inst[pc]; in.MatchRune(r) {
			to = append(to, in.Out)
		}
	}
	return to
}

// closure follows the instructions that take no character, and reports whether
// they lead to a match. The set is sorted.
func closure(prog *syntax.Prog, from []uint32) (set []uint32, matched bool) {
	seen := map[uint32]bool{}
	stack := slices.Clone(from)
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch in := &prog.Inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			stack = append(stack, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			stack = append(stack, in.Out)
		case syntax.InstMatch:
			matched = true
		case syntax.InstFail:
		default:
			set = append(set, pc)
		}
	}
	slices.Sort(set)
	return set, matched
}
