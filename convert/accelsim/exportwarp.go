package accelsim

import (
	"bufio"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"gpureplay/trace"
)

// line is the part that all executions of a static instruction share.
type line struct {
	pc    string // with the blank behind it
	rest  string // from the registers to the sources, with blanks around
	width string // of an access; "0": none
	tail  string // immediate
	mem   bool
}

// lines returns the text of a function's instructions.
func (x *exporter) lines(function uint32) ([]line, error) {
	f := &x.r.Program().Functions[function]
	if x.code[function] != nil || len(f.Insts) == 0 {
		return x.code[function], nil
	}
	code := make([]line, len(f.Insts))
	for i := range f.Insts {
		in := &f.Insts[i]
		what := ""
		switch {
		case in.Opcode == "" || !isLetter(in.Opcode[0]) || len(in.Opcode) > maxOpcode ||
			strings.ContainsAny(in.Opcode, " \t\r\n"):
			what = "its opcode is no mnemonic"
		case in.Class == trace.ClassLaunch || in.Class == trace.ClassDeviceSync:
			what = "a capture of Accel-Sim has no form for launches by the device"
		case in.Flags&trace.InstBulk != 0:
			what = "Accel-Sim takes no bulk transfers"
		}
		if what != "" {
			return nil, fmt.Errorf("instruction %d of %s, %q: %s", i, f.Name, in.Opcode, what)
		}
		code[i] = line{
			pc: fmt.Sprintf("%04x ", in.PC), width: strconv.FormatUint(uint64(in.Width), 10),
			tail: " " + strconv.FormatUint(in.Imm, 10) + "\n", mem: in.Mem(),
		}
		dst, src := x.registers(in)
		code[i].rest = fmt.Sprintf(" %d %s%s %d %s", len(dst), named(dst), in.Opcode, len(src), named(src))
	}
	x.code[function] = code
	return code, nil
}

// registers returns those that Accel-Sim's parser takes.
func (x *exporter) registers(in *trace.Inst) (dst, src []trace.Reg) {
	general := func(all []trace.Reg) (kept []trace.Reg) {
		for _, r := range all {
			if r>>8 == trace.RegGeneral>>8 {
				kept = append(kept, r)
			}
		}
		return kept
	}
	dst, src = general(in.Dst), general(in.Src)
	if len(dst) < len(in.Dst) || len(src) < len(in.Src) {
		x.n[lostRegisters]++
	}
	if len(dst) > mostDst || len(src) > mostSrc {
		x.n[lostOperands]++
		dst, src = dst[:min(len(dst), mostDst)], src[:min(len(src), mostSrc)]
	}
	return dst, src
}

// named returns registers as the format writes them, a blank behind each.
func named(regs []trace.Reg) string {
	var b strings.Builder
	for _, r := range regs {
		fmt.Fprintf(&b, "R%d ", r&0xff)
	}
	return b.String()
}

// warp writes the executed lines of a warp.
func (x *exporter) warp(w *bufio.Writer, warp *trace.Warp, code []line) error {
	fmt.Fprintf(w, "\nwarp = %d\ninsts = %d\n", warp.ID, len(warp.Path))
	mask, runs, mem := ^uint32(0), warp.Masks, warp.Mem
	var b []byte
	for at, i := range warp.Path {
		if len(runs) > 0 && int(runs[0].At) == at {
			mask, runs = runs[0].Mask, runs[1:]
		}
		l := &code[i]
		b = append(b[:0], l.pc...)
		for shift := 28; shift >= 0; shift -= 4 {
			b = append(b, "0123456789abcdef"[mask>>shift&15])
		}
		b = append(b, l.rest...)
		if !l.mem {
			b = append(b, '0')
		} else {
			b = x.access(b, l, mask, &mem[0], warp.Lists)
			mem = mem[1:]
		}
		if _, err := w.Write(append(b, l.tail...)); err != nil {
			return err
		}
	}
	x.done.WarpInsts += uint64(len(warp.Path))
	return nil
}

// access appends the width, the address mode and the addresses of an access.
func (x *exporter) access(b []byte, l *line, mask uint32, a *trace.Access, lists []uint64) []byte {
	if a.Count == 0 && mask != 0 {
		x.n[lostAddresses]++
		return append(b, '0')
	}
	b = append(b, l.width...)
	run := mask >> uint(bits.TrailingZeros32(mask)&31)
	if a.List == 0 && run&(run+1) == 0 { // neighbours
		b = append(b, " 1 0x"...)
		b = strconv.AppendUint(b, a.Base, 16)
		b = append(b, ' ')
		return strconv.AppendInt(b, int64(a.Stride), 10)
	}
	b = append(b, " 0"...)
	for i := range a.Count {
		b = append(b, " 0x"...)
		b = strconv.AppendUint(b, a.Address(lists, i), 16)
	}
	return b
}
