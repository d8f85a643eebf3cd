package container

import (
	"errors"
	"fmt"
	"gpureplay/trace"
	"gpureplay/trace/internal/words"
)

// checkProgram checks the rules that do not depend on the execution.
func checkProgram(p *trace.Program) error {
	if int(p.Meta.Fidelity) >= len(words.Fidelity) {
		return fmt.Errorf("there is no fidelity %d", p.Meta.Fidelity)
	}
	for i, a := range p.Arrays {
		if a.Flags >= 1<<len(words.ArrayFlag) {
			return fmt.Errorf("array %d (%s): there is no flag %#x", i, a.Name, uint8(a.Flags))
		}
		if a.Base+a.Bytes < a.Base {
			return fmt.Errorf("array %d (%s): %d bytes at %#x end behind the last address", i, a.Name, a.Bytes, a.Base)
		}
	}
	for i, s := range p.Scopes {
		if int64(s.In) > int64(i) {
			return fmt.Errorf("scope %d (%s): scope %d, in which it is, comes after it", i, s.Name, s.In-1)
		}
	}
	for _, d := range p.Diagnostics {
		if int(d.Severity) >= len(words.Severity) {
			return fmt.Errorf("diagnostic %s: there is no severity %d", d.Name, d.Severity)
		}
	}
	for _, f := range p.Functions {
		for i := range f.Insts {
			if err := checkInst(&f.Insts[i]); err != nil {
				return fmt.Errorf("function %s, instruction %d (%s): %w", f.Name, i, f.Insts[i].Opcode, err)
			}
			for _, at := range [2]uint32{f.Insts[i].FlatEach, f.Insts[i].FlatLast} {
				if err := checkFlat(&f, uint32(i), at); err != nil {
					return fmt.Errorf("function %s, instruction %d (%s): %w", f.Name, i, f.Insts[i].Opcode, err)
				}
			}
		}
	}
	return nil
}

// checkLoop checks the instruction that a launch names: the last one of its loop, at or behind its address.
func checkLoop(f *trace.Function, launch uint32) error {
	in := &f.Insts[launch]
	switch {
	case in.FlatEach != 0:
		return errors.New("a launch has a loop at most (flat_last), and no flat_each")
	case in.FlatLast > uint32(len(f.Insts)) || f.Insts[in.FlatLast-1].Class == trace.ClassLaunch:
		return fmt.Errorf("its loop ends with instruction %d; want one of %d that is no launch", int64(in.FlatLast)-1,
			len(f.Insts))
	case f.Insts[in.FlatLast-1].PC < in.PC:
		return fmt.Errorf("its loop ends at address %#x, before it begins (%#x)", f.Insts[in.FlatLast-1].PC, in.PC)
	}
	return nil
}

// checkFlat checks the instruction that another names for the flat form. The indices of a chain rise, so that it
// ends.
func checkFlat(f *trace.Function, from, at uint32) error {
	switch {
	case at == 0:
		return nil
	case f.Insts[from].Class == trace.ClassLaunch:
		return checkLoop(f, from)
	case at == trace.FlatNone:
		return nil
	}
	if at > uint32(len(f.Insts)) || at <= from+1 {
		return fmt.Errorf("its flat form names instruction %d; want one behind it, of %d", int64(at)-1, len(f.Insts))
	}
	switch in := &f.Insts[at-1]; in.Class {
	case trace.ClassLaunch, trace.ClassDeviceSync, trace.ClassBarrier, trace.ClassExit:
		return fmt.Errorf("its flat form, instruction %d, is of class %s; want one that computes, branches or "+
			"accesses memory", at-1, in.Class)
	}
	return nil
}

func checkInst(in *trace.Inst) error {
	switch {
	case in.Class >= trace.NumClasses:
		return fmt.Errorf("there is no class %d", in.Class)
	case in.Space >= trace.NumSpaces:
		return fmt.Errorf("there is no space %d", in.Space)
	case in.Flags >= 1<<len(words.InstFlag):
		return fmt.Errorf("there is no flag %#x", uint8(in.Flags))
	case in.Width > 0 && in.Flags&trace.InstBulk == 0 && !trace.ThreadWidth(in.Width):
		return fmt.Errorf("a thread accesses %d bytes; want 1, 2 or a multiple of 4", in.Width)
	}
	return nil
}
