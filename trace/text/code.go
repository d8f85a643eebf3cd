package text

import (
	"fmt"
	"gpureplay/trace"
	"gpureplay/trace/internal/words"
	"slices"
	"strconv"
	"strings"
)

// function is a function as the text names its instructions.
type function struct {
	id     uint32
	labels map[string]uint32
	inline map[string]uint32 // instruction written in a warp → index
	n      uint32
}

func (p *parser) addFunction(name string) *function {
	f := &function{id: p.w.AddFunction(name), labels: map[string]uint32{}, inline: map[string]uint32{}}
	p.fns = append(p.fns, f)
	nameIndex(p.fnIDs, name, int(f.id))
	return f
}

func (p *parser) parseFunction() error {
	if len(p.toks) != 2 || p.toks[1].eq {
		return p.errf("write: function NAME, then one instruction a line")
	}
	if err := p.endKernel(); err != nil {
		return err
	}
	p.fn = p.addFunction(p.toks[1].word)
	return nil
}

// defineInst adds the instruction that toks say to f:
// [label:] OPCODE [class] [space] [flags] [w4] [imm=1] [pc=0x10] [dst...] [<- src...].
func (p *parser) defineInst(f *function, toks []token) (uint32, error) {
	label := ""
	if t := toks[0]; !t.quoted && !t.eq && strings.HasSuffix(t.word, ":") {
		label = strings.TrimSuffix(t.word, ":")
		toks = toks[1:]
		if label == "" || isLineWord(label) || strings.Contains(label, "..") {
			return 0, p.errf("%q cannot be a label; take another word", label)
		}
	}
	if len(toks) == 0 {
		return 0, p.errf("the instruction has no opcode; write: %s: LDG.E memory global load w4 R4 <- R2", label)
	}
	in, err := p.parseInst(toks)
	if err != nil {
		return 0, err
	}
	if in.PC == noPC {
		in.PC = labelPC(label, f.n*16)
	}
	if label == "" {
		label = f.freeLabel(in.PC)
	}
	if _, taken := f.labels[label]; taken {
		return 0, p.errf("the function has an instruction %s already; call this one %s/2", label, label)
	}
	i := p.w.AddInst(f.id, in)
	f.labels[label] = i
	f.n++
	return i, nil
}

const noPC = ^uint32(0)

func pcLabel(pc uint32) string { return fmt.Sprintf("%04x", pc) }

// freeLabel returns the label of an instruction that has none of its own: its
// PC, with "/2" and so on where the PC appears again.
func (f *function) freeLabel(pc uint32) string {
	label := pcLabel(pc)
	for k := 2; ; k++ {
		if _, taken := f.labels[label]; !taken {
			return label
		}
		label = fmt.Sprintf("%s/%d", pcLabel(pc), k)
	}
}

// labelPC returns the PC that a label states: 4 or more hexadecimal digits,
// perhaps with "/2". Other labels have the PC other.
func labelPC(label string, other uint32) uint32 {
	digits, _, _ := strings.Cut(label, "/")
	if pc, err := strconv.ParseUint(digits, 16, 32); err == nil && len(digits) >= 4 {
		return uint32(pc)
	}
	return other
}

// shortInsts are the words that stand for a whole memory instruction.
var shortInsts = map[string]trace.Inst{
	"load":   {Opcode: "LOAD", Class: trace.ClassMemory, Space: trace.SpaceGlobal, Flags: trace.InstLoad, Width: 4},
	"store":  {Opcode: "STORE", Class: trace.ClassMemory, Space: trace.SpaceGlobal, Flags: trace.InstStore, Width: 4},
	"atomic": {Opcode: "ATOMIC", Class: trace.ClassMemory, Space: trace.SpaceGlobal, Flags: trace.InstAtomic, Width: 4},
}

func (p *parser) parseInst(toks []token) (trace.Inst, error) {
	t := toks[0]
	if t.eq {
		return trace.Inst{}, p.unknown(t, "an opcode first")
	}
	in := trace.Inst{Opcode: t.word}
	if short, ok := shortInsts[t.word]; ok && !t.quoted {
		in = short
	} else if c := slices.Index(words.Class[:], strings.ToLower(t.word)); c >= 0 && !t.quoted {
		in.Opcode, in.Class = strings.ToUpper(t.word), trace.Class(c)
	}
	in.PC = noPC
	regs := &in.Dst
	for _, t := range toks[1:] {
		if t.word == "<-" && !t.eq {
			regs = &in.Src
			continue
		}
		if err := p.instAttr(&in, regs, t); err != nil {
			return in, err
		}
	}
	return in, nil
}

func (p *parser) instAttr(in *trace.Inst, regs *[]trace.Reg, t token) error {
	if t.eq {
		switch t.word {
		case "imm":
			return p.u64(t.word, t.value, &in.Imm)
		case "pc":
			return p.u32(t.word, t.value, &in.PC)
		case "each":
			if t.value == "none" {
				in.FlatEach = trace.FlatNone
				return nil
			}
			return p.flat(t, &in.FlatEach)
		case "last":
			return p.flat(t, &in.FlatLast)
		}
	} else if c := slices.Index(words.Class[:], t.word); c >= 0 {
		in.Class = trace.Class(c)
		return nil
	} else if s := slices.Index(words.Space[:], t.word); s >= 0 {
		in.Space = trace.Space(s)
		return nil
	} else if f := slices.Index(words.InstFlag[:], t.word); f >= 0 {
		in.Flags |= 1 << f
		return nil
	} else if r, ok := parseReg(t.word); ok {
		*regs = append(*regs, r)
		return nil
	} else if strings.HasPrefix(t.word, "w") {
		return p.u32("width", t.word[1:], &in.Width)
	}
	return p.unknown(t, "a class, a space, load store atomic bypass bulk, w4, imm=, pc=, each=, last=, registers and <-")
}

// flat reads the index of an instruction of the flat form.
func (p *parser) flat(t token, at *uint32) error {
	if err := p.u32(t.word, t.value, at); err != nil {
		return err
	}
	if *at >= trace.FlatNone-1 {
		return p.errf("%s=%s: there is no such instruction", t.word, t.value)
	}
	*at++
	return nil
}

func parseReg(s string) (trace.Reg, bool) {
	for _, k := range [...]struct {
		prefix string
		kind   trace.Reg
	}{{"R", trace.RegGeneral}, {"UR", trace.RegUniform}, {"P", trace.RegPredicate}, {"UP", trace.RegUniformPredicate}} {
		if rest, ok := strings.CutPrefix(s, k.prefix); ok {
			if n, err := strconv.ParseUint(rest, 10, 8); err == nil {
				return k.kind | trace.Reg(n), true
			}
		}
	}
	if rest, ok := strings.CutPrefix(s, "reg"); ok {
		n, err := strconv.ParseUint(rest, 10, 16)
		return trace.Reg(n), err == nil
	}
	return 0, false
}

// instKey is the text of an instruction without its PC. Two instructions written inside warps are the same if their
// keys are equal.
func instKey(in *trace.Inst) string {
	var b strings.Builder
	writeInst(&b, in)
	return b.String()
}

// writeInst writes the instruction as parseInst reads it, without label and PC.
func writeInst(b *strings.Builder, in *trace.Inst) {
	lower := strings.ToLower(in.Opcode)
	if _, short := shortInsts[in.Opcode]; short || slices.Index(words.Class[:], lower) >= 0 &&
		in.Opcode != strings.ToUpper(lower) {
		b.WriteString(strconv.Quote(in.Opcode))
	} else {
		b.WriteString(quoteName(in.Opcode))
	}
	b.WriteString(" " + in.Class.String())
	if in.Space != trace.SpaceNone {
		b.WriteString(" " + in.Space.String())
	}
	b.WriteString(words.Flags(words.InstFlag[:], uint8(in.Flags)))
	if in.Width > 0 {
		fmt.Fprintf(b, " w%d", in.Width)
	}
	if in.Imm > 0 {
		fmt.Fprintf(b, " imm=%#x", in.Imm)
	}
	switch in.FlatEach {
	case 0:
	case trace.FlatNone:
		b.WriteString(" each=none")
	default:
		fmt.Fprintf(b, " each=%d", in.FlatEach-1)
	}
	if in.FlatLast > 0 {
		fmt.Fprintf(b, " last=%d", in.FlatLast-1)
	}
	for _, r := range in.Dst {
		b.WriteString(" " + r.String())
	}
	if len(in.Src) > 0 {
		b.WriteString(" <-")
		for _, r := range in.Src {
			b.WriteString(" " + r.String())
		}
	}
}

// quoteName quotes a name where the reader would not take it for one word.
func quoteName(s string) string {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '.' && i > 0, c >= '0' && c <= '9' && i > 0:
		default:
			return strconv.Quote(s)
		}
	}
	if s == "" || isLineWord(s) || strings.Contains(s, "..") {
		return strconv.Quote(s)
	}
	return s
}
