package children

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"gpureplay/samples"
	"gpureplay/trace"
)

var regxRules = rules{dragonli: shape{64, 64}, klap: shape{1, 32}, arguments: 5}

// defaultPatterns are in the manner of an intrusion detector's rules: requests,
// logins, hexadecimal strings, numbers, paths.
var defaultPatterns = []string{
	`GET /[a-z0-9./]{1,8}`, `(root|admin|user)[ :=][a-z0-9]{3,}`, `(?:[0-9]{1,3}\.){3}[0-9]{1,3}`, `0x[0-9a-f]{4}`,
	`/(etc|bin|usr)/[a-z]+`, `[a-f0-9]{7}[g-z]`, `pass(word|wd)?[ :=]`, `\x00\x00[\x01-\x08]\x00[\x10-\x7f]`, `a[b-y]*z9`,
}

// defaultWords match the default patterns.
var defaultWords = []string{"GET /index", "root a1b2c3", "10.0.0.254", "0xbeef", "/etc/passwd", "password ",
	"abcdexyz9"}

func init() { samples.Register(regxGenerator) }

func regxGenerator() samples.Generator {
	return samples.Generator{
		Name:    "dp-regx",
		Machine: "k20c",
		Title:   "regular expressions at every offset of packets or strings, a child for a long one",
		Source: "DTBL table 4 (REGX, packets and random strings); a table-driven automaton, rule of 64 as the " +
			"suite's blocks",
		Params: append([]samples.Param{
			samples.Text("packets", "", "file of a packet capture (pcap); empty: random strings"),
			samples.Text("patterns", "", "file with a pattern a line in Go's syntax, without ^, $ and \\b; empty: nine of "+
				"an intrusion detector's kind"),
			samples.Int("strings", 1000, 1, 1<<20, "random strings"),
			samples.Int("longest", 1500, 1, 65535, "bytes of the longest random string"),
			samples.Seed(),
		}, regxRules.params()...),
		Generate: func(w samples.Writer, p samples.Params) error {
			r, err := regxRules.parse(p)
			if err != nil {
				return err
			}
			patterns, err := openPatterns(p.Text("patterns"))
			if err != nil {
				return err
			}
			texts := randomStrings(p.Int("strings"), p.Int("longest"), defaultWords, p.Seed())
			if path := p.Text("packets"); path != "" {
				if texts, err = openPackets(path); err != nil {
					return err
				}
			}
			a, err := compile(patterns)
			if err != nil {
				return err
			}
			_, err = runRegx(w, a, texts, r)
			return err
		},
	}
}

// openPatterns reads patterns, one a line; empty lines and those that begin with
// # are none.
func openPatterns(path string) ([]string, error) {
	if path == "" {
		return defaultPatterns, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var patterns []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if s := strings.TrimSpace(lines.Text()); s != "" && s[0] != '#' {
			patterns = append(patterns, s)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(patterns) == 0 {
		return nil, fmt.Errorf("%s: no pattern", path)
	}
	return patterns, nil
}

// regx tries, at every offset of every text, whether a pattern matches from there on: a thread per offset walks the
// automaton until it accepts or dies.
//
//  1. The papers' program is not public; a text is a parent thread's work and an offset a child thread's, since
//     texts of uneven length have unevenly many offsets. The least number of offsets of a child is 64.
//  2. The table has a row of 256 words for each state; the walk reads a byte of text and a word of the table for
//     each byte.
type regx struct {
	a                         *automaton
	texts                     [][]byte
	offsets                   []int
	textAt, offsetAt, tableAt samples.Array
	matchAt, countAt          samples.Array
	parent                    regxParent
	child                     regxChild
	matches                   [][]bool
}

func runRegx(w samples.Writer, a *automaton, texts [][]byte, r rule) ([][]bool, error) {
	p := samples.NewProgram(w)
	s := &regx{a: a, texts: texts, offsets: []int{0}}
	for _, t := range texts {
		s.offsets = append(s.offsets, s.offsets[len(s.offsets)-1]+len(t))
		s.matches = append(s.matches, make([]bool, len(t)))
	}
	size := max(s.offsets[len(texts)], 1)
	if err := fits("bytes of text", size); err != nil {
		return nil, err
	}
	s.textAt = p.Array("text", size, 1, trace.ArrayInput)
	s.offsetAt = p.Array("offset", len(s.offsets), 4, trace.ArrayInput)
	s.tableAt = p.Array("table", len(a.next), 4, trace.ArrayInput)
	s.matchAt = p.Array("match", size, 1, trace.ArrayOutput)
	s.countAt = p.Array("count", 1, 4, trace.ArrayOutput)
	s.child = newRegxChild(p)
	s.parent = newRegxParent(p, r, s.child.childCode)

	p.FileRead(s.textAt, s.offsetAt)
	for _, in := range []samples.Array{s.textAt, s.offsetAt, s.tableAt} {
		p.Put(in)
	}
	p.Memset(s.matchAt)
	p.Memset(s.countAt)
	p.Launch(grid{int(ceil(len(texts), 128)), 128}.kernel(s.parent.Code, 24), s.parentCTA)
	p.Get(s.countAt)
	p.Get(s.matchAt)
	p.FileWrite(s.matchAt)
	return s.matches, p.Err()
}

// regxParent is the parent. Per text: two addresses, the loads of its offset and
// of the next, a subtraction, and the request.
type regxParent struct {
	*loopCode
	address     []samples.Op
	first, last samples.Op
	length      []samples.Op
	nest        *nest
}

func newRegxParent(p *samples.Program, r rule, child *childCode) regxParent {
	c := regxParent{loopCode: newLoop(p, "scan")}
	a, b, first, last, length := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	c.address = []samples.Op{c.Op("IMAD.WIDE", a, c.item), c.Op("IADD3", b, a)}
	c.first, c.last = c.Load("LDG.E", 4, first, a), c.Load("LDG.E", 4, last, b)
	c.length = []samples.Op{c.Op("IADD3", length, last, first)}
	c.nest = newNest(p, r, c.Code, length, child, 20)
	c.nest.synced(c.Code)
	c.end()
	return c
}

func (s *regx) parentCTA(b *samples.Block) {
	c := &s.parent
	c.runThen(b, len(s.texts), func(w *samples.Warp, base int) {
		w.Do(c.address...)
		w.Affine(c.first, s.offsetAt.At(base), 4)
		w.Affine(c.last, s.offsetAt.At(base+1), 4)
		w.Do(c.length...)
		var work items
		w.Lanes(func(lane int) { work[lane] = len(s.texts[base+lane]) })
		c.nest.ask(w, &work, func(lane, first, count int) func(*samples.Block) {
			text := base + lane
			return func(b *samples.Block) { s.walk(b, text, first, count) }
		})
	}, c.nest.wait)
}

// regxChild walks from one offset a thread: two additions. Per byte: a comparison with the end and a branch, the
// load of the byte, two operations for the place in the table, its load. Then a comparison and a branch for a dead
// end, another two for a match, the step. A match costs an atomic addition to the count, an address and the store
// of a flag. The flat form counts in a register and adds that once.
type regxChild struct {
	*childCode
	begin, test []samples.Op
	char        samples.Op
	place       []samples.Op
	table       samples.Op
	over        []samples.Op
	step        samples.Op
	count       samples.Op
	address     []samples.Op
	flag        samples.Op
}

func newRegxChild(p *samples.Program) regxChild {
	c := regxChild{childCode: newChild(p, "walk")}
	at, state, char, addr, more, out := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Pred(), c.Pred()
	none := samples.NoReg
	c.begin = []samples.Op{c.Op("IADD3", at, c.item), c.Op("MOV", state)}
	c.test = []samples.Op{c.Op("ISETP.LT", more, at), c.Op("BRA", none, more)}
	c.char = c.Load("LDG.E.U8", 1, char, at)
	c.place = []samples.Op{c.Op("LEA", addr, state, char), c.Op("IMAD.WIDE", addr, addr)}
	c.table = c.Load("LDG.E", 4, state, addr)
	c.over = []samples.Op{c.Op("ISETP.EQ", out, state), c.Op("BRA", none, out), c.Op("ISETP.LT", out, state),
		c.Op("BRA", none, out)}
	c.step = c.Op("IADD3", at, at)
	c.count = c.Atomic("RED.E.ADD", 4, none)
	c.address = []samples.Op{c.Op("IADD3", addr, c.item)}
	c.flag = c.Store("STG.E.U8", 1, addr)
	c.end()
	own := c.Reg()
	c.Flat(c.count, c.Op("IADD3", own, own))
	c.FlatLast(c.count, c.Atomic("RED.E.ADD", 4, none, own))
	return c
}

func (s *regx) walk(b *samples.Block, text, first, count int) {
	c := &s.child
	bytes, origin := s.texts[text], s.offsets[text]
	c.run(b, count, func(w *samples.Warp, base int) {
		w.Do(c.begin...)
		var state items
		found := uint32(0)
		in := w.Mask()
		for i := first + base; in != 0; i++ {
			w.Under(in, func() { w.Do(c.test...) })
			in = within(w, in, func(lane int) bool { return i+lane < len(bytes) })
			w.Under(in, func() {
				w.Affine(c.char, s.textAt.At(origin+i), 1)
				w.Do(c.place...)
				w.Mem(c.table, func(lane int) uint64 {
					entry := state[lane]*256 + int(bytes[i+lane])
					state[lane] = int(s.a.next[entry])
					return s.tableAt.At(entry)
				})
				w.Do(c.over[:2]...)
			})
			in = within(w, in, func(lane int) bool { return state[lane] != dead })
			w.Under(in, func() { w.Do(c.over[2:]...) })
			found |= within(w, in, func(lane int) bool { return state[lane] == accept })
			in &^= found
			w.Under(in, func() { w.Do(c.step) })
		}
		w.Under(found, func() {
			w.Same(c.count, s.countAt.At(0))
			w.Do(c.address...)
			w.Affine(c.flag, s.matchAt.At(origin+first+base), 1)
			w.Lanes(func(lane int) { s.matches[text][first+base+lane] = true })
		})
	})
}

// within returns the lanes of a mask for which f holds.
func within(w *samples.Warp, mask uint32, f func(lane int) bool) uint32 {
	return w.Where(func(lane int) bool { return mask>>lane&1 != 0 && f(lane) })
}
