package accelsim

import (
	"bytes"
	"strings"

	"gpureplay/convert/sass"
	"gpureplay/trace"
)

const (
	maxStatics  = 1 << 22  // static instructions of a capture
	maxText     = 64 << 20 // bytes of their text
	maxRegs     = 255      // of an instruction, in or out
	nearPCs     = 8 << 20  // PCs below are found by index
	noStatic    = int32(-1)
	maxOpcode   = 64
	noInst      = ^uint32(0)
	windowBytes = 16 << 20 // of the generic windows of shared and local memory
)

// static is one static instruction as the capture writes it.
type static struct {
	text    []byte // from behind the mask to the memory width
	tail    []byte // the text behind the addresses when it was last read
	next    int32  // another of the same PC
	imm     int64
	notes   notes
	unknown bool // opcode
	oddRegs bool // a register of an unknown kind
	read    bool // imm, notes and tail come from a line
	marker  bool // not an instruction: a mark of the tracer
	mem     bool
	bulk    bool
	generic bool
	ldgsts  bool
	width   uint32
	space   trace.Space
	insts   [trace.NumSpaces]uint32 // index in the trace's function by resolved space; noInst: none yet
	inst    trace.Inst
}

// notes are the kinds of data behind the addresses that are not kept.
type notes uint8

const (
	noteExtra   notes = 1 << iota // immediates beyond the first
	noteValues                    // register values
	noteUnknown                   // something else
)

// function is the static code of one kernel function.
type function struct {
	id      uint32
	statics []static
	near    []int32 // PC/8 → index in statics
	far     map[uint32]int32
	flow    flow

	indirect bool // an access by a loaded address was seen in one of its kernels
}

func newFunction(id uint32) *function {
	return &function{id: id, far: map[uint32]int32{}, flow: newFlow()}
}

// first returns the head of the list of static instructions at a PC.
func (f *function) first(pc uint32) int32 {
	if pc&7 == 0 && int(pc>>3) < len(f.near) {
		return f.near[pc>>3]
	}
	if len(f.far) == 0 {
		return noStatic
	}
	if i, ok := f.far[pc]; ok {
		return i
	}
	return noStatic
}

func (f *function) setFirst(pc uint32, i int32) {
	if pc&7 != 0 || pc >= nearPCs {
		f.far[pc] = i
		return
	}
	for int(pc>>3) >= len(f.near) {
		f.near = append(f.near, noStatic)
	}
	f.near[pc>>3] = i
}

// matches reports whether rest begins with the text of s, as whole tokens.
func (s *static) matches(rest []byte) bool {
	n := len(s.text)
	return len(rest) >= n && string(rest[:n]) == string(s.text) && (len(rest) == n || rest[n] == ' ')
}

// parseStatic reads from behind the mask to the memory width.
func parseStatic(pc uint32, line []byte) (s static, what string) {
	s = static{inst: trace.Inst{PC: pc}, next: noStatic, width: 0}
	for i := range s.insts {
		s.insts[i] = noInst
	}
	p, unknownDst, what := registers(line, &s.inst.Dst)
	if what != "" {
		return s, "destinations: " + what
	}
	opcode, p := token(p)
	if len(opcode) == 0 || len(opcode) > maxOpcode || !isLetter(opcode[0]) {
		return s, "no opcode behind the destinations"
	}
	s.inst.Opcode = string(opcode)
	p, unknownSrc, what := registers(p, &s.inst.Src)
	if what != "" {
		return s, "sources: " + what
	}
	s.oddRegs = unknownDst || unknownSrc
	base, _, _ := strings.Cut(s.inst.Opcode, ".")
	if strings.HasSuffix(base, "GMMA") && numbers(p) >= 4 {
		_, p, _ = decimal(p) // newer tracers' flag: the width and two immediates make three
	}
	width, p, ok := decimal(p)
	if !ok || width < 0 || width > 1<<31 {
		return s, "no memory width behind the sources"
	}
	s.text = bytes.Clone(line[:len(line)-len(p)])
	s.width = uint32(width)
	s.classify(base)
	if s.mem && !s.bulk && !trace.ThreadWidth(s.width) {
		return s, "a memory width that no thread has"
	}
	return s, ""
}

// classify fills in the meaning of the opcode.
func (s *static) classify(base string) {
	op := sass.Classify(s.inst.Opcode)
	in := &s.inst
	in.Class, in.Space, in.Flags, in.Width = op.Class, op.Space, op.Flags, s.width
	s.marker = base == "REPLAY_START" || base == "REPLAY_END"
	s.unknown = !op.Known && !s.marker
	s.mem = s.width > 0
	s.bulk = in.Flags&trace.InstBulk != 0
	s.ldgsts = base == "LDGSTS"
	switch base {
	case "LD", "ST", "ATOM", "RED":
		s.generic = true
	}
	if s.mem && op.Class != trace.ClassMemory {
		// An operand in memory tells more than the name.
		in.Class, in.Space, s.generic = trace.ClassMemory, trace.SpaceGlobal, true
		in.Flags = trace.InstStore
		if len(in.Dst) > 0 {
			in.Flags = trace.InstLoad
		}
	}
	s.space = in.Space
}

// registers reads a count and that many registers.
func registers(p []byte, regs *[]trace.Reg) (rest []byte, unknown bool, what string) {
	n, p, ok := count(p, maxRegs)
	if !ok {
		return p, false, "their number is missing or not a number up to 255"
	}
	for range n {
		var tok []byte
		tok, p = token(p)
		if len(tok) == 0 || !isLetter(tok[0]) {
			return p, unknown, "fewer registers than their number says"
		}
		r, ok := register(tok)
		if !ok {
			unknown = true
			continue
		}
		*regs = append(*regs, r)
	}
	return p, unknown, ""
}

// register reads R4, UR4, P4 or UP4.
func register(tok []byte) (trace.Reg, bool) {
	kind := trace.RegGeneral
	if tok[0] == 'U' {
		kind, tok = trace.RegUniform, tok[1:]
	}
	if len(tok) < 2 {
		return 0, false
	}
	switch tok[0] {
	case 'R':
	case 'P':
		kind += trace.RegPredicate
	default:
		return 0, false
	}
	n, rest, ok := count(tok[1:], 255)
	return kind | trace.Reg(n), ok && len(rest) == 0
}

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' }

// numbers counts the decimal tokens at the front.
func numbers(p []byte) int {
	for n := 0; ; n++ {
		_, rest, ok := decimal(p)
		if !ok {
			return n
		}
		p = rest
	}
}

// parseTail reads the text behind the addresses.
func parseTail(tail []byte) (imm int64, n notes) {
	for i := 0; ; i++ {
		tail = blank(tail)
		if len(tail) == 0 {
			return imm, n
		}
		v, rest, ok := decimal(tail)
		if !ok {
			break
		}
		if i == 0 {
			imm = v
		} else {
			n |= noteExtra
		}
		tail = rest
	}
	switch tok, _ := token(tail); string(tok) {
	case "NoVal":
	case "Val":
		n |= noteValues
	default:
		n |= noteUnknown
	}
	return imm, n
}
