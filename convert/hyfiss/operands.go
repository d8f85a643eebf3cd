package hyfiss

import (
	"strconv"
	"strings"

	"gpureplay/trace"
)

// Operands splits an instruction's text into mnemonic, destination and source
// registers. Sources says that it has no destination.
func Operands(text string, sources bool) (mnemonic string, dst, src []trace.Reg) {
	f := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == ';' || r == '\t' })
	if len(f) > 1 && strings.HasPrefix(f[0], "@") {
		f = f[1:] // the mask has the predicate
	}
	if len(f) == 0 {
		return "", nil, nil
	}
	mnemonic = f[0]
	left := 1
	if strings.Contains(strings.SplitN(mnemonic, ".", 2)[0], "SETP") || strings.HasPrefix(mnemonic, "PLOP3") {
		left = 2
	}
	if sources {
		left = 0
	}
	for _, operand := range f[1:] {
		r, ok := register(operand)
		if left > 0 {
			left--
			if ok {
				dst = append(dst, r)
			}
			continue
		}
		if ok {
			src = append(src, r)
		}
	}
	return mnemonic, dst, src
}

// register reads a register out of an operand: "R12", "-R3.reuse", "[R2.64+0x10]", "UR4", "!P0".
func register(operand string) (trace.Reg, bool) {
	operand = strings.TrimLeft(operand, "-!~|[")
	for _, kind := range []struct {
		prefix string
		reg    trace.Reg
		zero   trace.Reg
	}{
		{"UR", trace.RegUniform, 63}, {"UP", trace.RegUniformPredicate, 7},
		{"R", trace.RegGeneral, 255}, {"P", trace.RegPredicate, 7},
	} {
		rest, ok := strings.CutPrefix(operand, kind.prefix)
		if !ok {
			continue
		}
		if strings.HasPrefix(rest, "Z") || strings.HasPrefix(rest, "T") {
			return kind.reg | kind.zero, true
		}
		end := 0
		for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
			end++
		}
		if n, err := strconv.ParseUint(rest[:end], 10, 8); err == nil {
			return kind.reg | trace.Reg(n), true
		}
		return 0, false
	}
	return 0, false
}
