package text

import (
	"bytes"
	"errors"
	"fmt"
	"gpureplay/trace"
	"gpureplay/trace/internal/words"
	"io"
	"slices"
	"strconv"
)

// Limits of repetition, so that a few bytes cannot fill the memory: steps of one CTA, and CTAs of one "cta a..b".
var (
	maxSteps uint64 = 1 << 26
	maxCTAs  uint32 = 1 << 24
)

// parser reads a text and writes its trace.
type parser struct {
	*lines
	w        target
	meta     trace.Meta
	arrays   []trace.Array
	arrayIDs map[string]int // -1: several have the name
	nextBase uint64
	scopes   uint32 // defined so far
	fns      []*function
	fnIDs    map[string]int // -1: several have the name
	fn       *function      // open for instructions
	kernel   *trace.Kernel  // open for CTAs
	code     *function      // of kernel
	cta      *cta
	warp     *warp
	blocks   []*[]item // open repeats of warp, innermost last
	lastStep *item
	builder  builder
}

// target is a [trace.Sink] that tells an instruction that was added to it.
type target interface {
	trace.Sink
	Inst(function, index uint32) *trace.Inst
}

// Parse writes the trace of a text into w, which the caller closes. Errors begin with name and line, and name a
// remedy. docs/text.md has the grammar.
func Parse(name string, in io.Reader, w target) error {
	p := &parser{
		lines:    newLines(name, in),
		w:        w,
		arrayIDs: map[string]int{},
		fnIDs:    map[string]int{},
		nextBase: 1 << 32,
	}
	for {
		err := p.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = p.dispatch()
		}
		if err != nil {
			return err
		}
	}
	if err := p.endKernel(); err != nil {
		return err
	}
	slices.SortStableFunc(p.meta.Attrs, func(a, b trace.Attr) int { return compareStrings(a.Key, b.Key) })
	w.SetMeta(p.meta)
	return nil
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// lineWords are the words that begin a line, each with its parser.
var lineWords = map[string]func(*parser) error{
	"trace": (*parser).parseVersion, "meta": (*parser).parseMeta, "attr": (*parser).parseAttr,
	"diagnostic": (*parser).parseDiagnostic, "array": (*parser).parseArray,
	"scope": (*parser).parseScope, "function": (*parser).parseFunction,
	"kernel": (*parser).parseKernel, "cta": (*parser).parseCTA, "warp": (*parser).parseWarp,
	"range": (*parser).parseRange, "touch": (*parser).parseTouch, "child": (*parser).parseChild,
	"repeat": (*parser).parseRepeat, "end": (*parser).parseEnd,
}

// Is reports whether a file that begins so is a trace in its text form: its first word outside comments is one that
// begins a line.
func Is(head []byte) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\uFEFF"))) {
		if word := bytes.TrimSpace(line); len(word) > 0 && word[0] != '#' {
			first, _, _ := bytes.Cut(bytes.ReplaceAll(word, []byte{'\t'}, []byte{' '}), []byte{' '})
			return isLineWord(string(first))
		}
	}
	return false
}

// isLineWord reports whether s begins a line of its own, so that no label may be
// called so.
func isLineWord(s string) bool {
	return lineWords[s] != nil || s == countWord || slices.Index(words.Op[:], s) >= 0
}

// countWord begins a line too; its parser asks isLineWord.
const countWord = "count"

func (p *parser) dispatch() error {
	t := p.toks[0]
	if !t.quoted && !t.eq {
		if f := lineWords[t.word]; f != nil {
			return f(p)
		}
		if t.word == countWord {
			return p.parseCount()
		}
		if kind := slices.Index(words.Op[:], t.word); kind >= 0 {
			return p.parseOp(trace.OpKind(kind))
		}
	}
	switch {
	case p.warp != nil:
		return p.parseStep()
	case p.fn != nil:
		_, err := p.defineInst(p.fn, p.toks)
		return err
	}
	return p.errf("a line cannot begin with %q here; begin with array, function, kernel, launch, h2d or another word "+
		"of docs/text.md", t.word)
}

func (p *parser) parseVersion() error {
	if len(p.toks) != 2 || p.toks[1].word != strconv.Itoa(trace.Version) {
		return p.errf("this version reads \"trace %d\"", trace.Version)
	}
	return nil
}

func (p *parser) parseMeta() error {
	m := &p.meta
	for _, t := range p.toks[1:] {
		var err error
		var i int
		switch t.word {
		case "source":
			m.Source = t.value
		case "version":
			m.SourceVersion = t.value
		case "gpu":
			m.GPU = t.value
		case "sm":
			err = p.u32(t.word, t.value, &m.SMVersion)
		case "sms":
			err = p.u32(t.word, t.value, &m.SMs)
		case "arrays":
			m.ArraysFrom = t.value
		case "fidelity":
			i, err = p.lines.word(t.word, t.value, words.Fidelity[:])
			m.Fidelity = trace.Fidelity(i)
		default:
			err = p.unknown(t, "source= version= gpu= sm= sms= arrays= fidelity=")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) parseAttr() error {
	if len(p.toks) != 3 || p.toks[1].eq || p.toks[2].eq {
		return p.errf("write: attr \"key\" \"value\"")
	}
	p.meta.Attrs = append(p.meta.Attrs, trace.Attr{Key: p.toks[1].word, Value: p.toks[2].word})
	return nil
}

func (p *parser) parseDiagnostic() error {
	if len(p.toks) < 3 {
		return p.errf("write: diagnostic name info|data_loss|error count=1 help=\"a remedy\"")
	}
	d := trace.Diagnostic{Name: p.toks[1].word, Count: 1}
	i, err := p.lines.word("severity", p.toks[2].word, words.Severity[:])
	if err != nil {
		return err
	}
	d.Severity = trace.Severity(i)
	for _, t := range p.toks[3:] {
		switch t.word {
		case "count":
			err = p.u64(t.word, t.value, &d.Count)
		case "help":
			d.Help = t.value
		default:
			err = p.unknown(t, "count= help=")
		}
		if err != nil {
			return err
		}
	}
	p.w.Diagnose(d)
	return nil
}

func (p *parser) parseScope() error {
	if len(p.toks) < 2 || len(p.toks) > 3 {
		return p.errf("write: scope NAME in=0")
	}
	s := trace.Scope{Name: p.toks[1].word}
	for _, t := range p.toks[2:] {
		if t.word != "in" {
			return p.unknown(t, "in=")
		}
		if err := p.scope(t, &s.In); err != nil {
			return err
		}
	}
	p.scopes = p.w.AddScope(s)
	return nil
}

// scope reads the index of a scope that is defined above.
func (p *parser) scope(t token, to *uint32) error {
	if err := p.u32(t.word, t.value, to); err != nil {
		return err
	}
	if *to >= p.scopes {
		return p.errf("there is no scope %d: %d are defined above this line", *to, p.scopes)
	}
	*to++
	return nil
}

// arrayAlign is the alignment of arrays that a text gives no base: no two share
// a page of any size in use up to 64 KiB.
const arrayAlign = 64 << 10

func (p *parser) parseArray() error {
	if len(p.toks) < 2 {
		return p.errf("write: array NAME bytes=4K base=0x10000 input output")
	}
	a := trace.Array{Name: p.toks[1].word, Base: p.nextBase}
	for _, t := range p.toks[2:] {
		var err error
		switch t.word {
		case "bytes":
			err = p.u64(t.word, t.value, &a.Bytes)
		case "base":
			err = p.u64(t.word, t.value, &a.Base)
		case "input":
			a.Flags |= trace.ArrayInput
		case "output":
			a.Flags |= trace.ArrayOutput
		default:
			err = p.unknown(t, "bytes= base= input output")
		}
		if err != nil {
			return err
		}
	}
	if end := a.Base + a.Bytes; end >= a.Base && end < 1<<62 {
		p.nextBase = max(p.nextBase, (end+arrayAlign-1)&^uint64(arrayAlign-1))
	}
	id := p.w.AddArray(a)
	p.arrays = append(p.arrays, a)
	nameIndex(p.arrayIDs, a.Name, int(id))
	return nil
}

func nameIndex(ids map[string]int, name string, id int) {
	if _, ok := ids[name]; ok {
		id = -1
	}
	ids[name] = id
}

// reference finds the index of a name or an index. A quoted word, or one that is no number, is a name.
func (p *parser) reference(what string, t token, ids map[string]int, n int) (uint32, error) {
	if !t.quoted {
		if i, err := strconv.ParseUint(t.word, 10, 32); err == nil {
			if int(i) >= n {
				return 0, p.errf("there is no %s %d: %d are defined above this line", what, i, n)
			}
			return uint32(i), nil
		}
	}
	switch id, ok := ids[t.word]; {
	case !ok:
		return 0, p.errf("there is no %s %q; define it above this line: %s %s ...", what, t.word, what, t.word)
	case id < 0:
		return 0, p.errf("several have the name %q; name the %s by its index", t.word, what)
	default:
		return uint32(id), nil
	}
}

// position puts file and line before an error of the Writer.
func (p *parser) position(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s:%d: %w", p.name, p.line, err)
}
