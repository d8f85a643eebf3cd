package container

import (
	"fmt"
	"gpureplay/trace"
)

// readProgram reads the last block: one section for each part of the program.
func (r *Reader) readProgram() error {
	f := &frame{}
	raw, err := r.readFrame(f, &r.index[r.programBlock])
	if err == nil {
		err = readSections(&r.prog, raw)
	}
	if err == nil {
		err = checkProgram(&r.prog)
	}
	if err != nil {
		return fmt.Errorf("program: %w", err)
	}
	t := &r.prog.Totals
	if t.Kernels != r.count[0] || t.HostOps != r.count[1] || t.CTAs != r.count[2] {
		return fmt.Errorf("program: it counts %d kernels, %d CTAs and %d host operations, the index %d, %d and %d",
			t.Kernels, t.CTAs, t.HostOps, r.count[0], r.count[2], r.count[1])
	}
	return nil
}

func readSections(p *trace.Program, raw []byte) error {
	var s section
	var strings []string
	var functions []functionRow
	var insts []trace.Inst
	var meta []trace.Meta
	var totals []trace.Totals
	var err error
	for len(raw) > 0 && err == nil {
		if raw, err = s.next(raw); err != nil {
			break
		}
		switch s.kind {
		case kindStrings:
			strings, err = readStrings(&s)
		case kindMeta:
			meta, err = readTable(&s, metaFields, strings)
		case kindAttr:
			p.Meta.Attrs, err = readTable(&s, attrFields, strings)
		case kindArray:
			p.Arrays, err = readTable(&s, arrayFields, strings)
		case kindFunction:
			functions, err = readTable(&s, functionFields, strings)
		case kindInst:
			insts, err = readTable(&s, instFields, strings)
		case kindScope:
			p.Scopes, err = readTable(&s, scopeFields, strings)
		case kindDiag:
			p.Diagnostics, err = readTable(&s, diagFields, strings)
		case kindTotals:
			totals, err = readTable(&s, totalsFields, strings)
		}
	}
	if err != nil {
		return err
	}
	if len(meta) != 1 || len(totals) != 1 {
		return errBlock
	}
	meta[0].Attrs = p.Meta.Attrs
	p.Meta, p.Totals = meta[0], totals[0]
	p.Functions = make([]trace.Function, len(functions))
	for i, f := range functions {
		if uint64(f.insts) > uint64(len(insts)) {
			return errBlock
		}
		p.Functions[i] = trace.Function{Name: f.name, Insts: insts[:f.insts:f.insts]}
		insts = insts[f.insts:]
	}
	if len(insts) > 0 {
		return errBlock
	}
	return nil
}

// append appends the sections of the program.
func appendProgram(p *trace.Program, dst []byte) []byte {
	functions := make([]functionRow, len(p.Functions))
	var insts []trace.Inst
	for i, f := range p.Functions {
		functions[i] = functionRow{f.Name, uint32(len(f.Insts))}
		insts = append(insts, f.Insts...)
	}
	t := newStringTable()
	var rest []byte
	rest = appendTable(rest, kindMeta, metaFields, []trace.Meta{p.Meta}, t)
	rest = appendTable(rest, kindAttr, attrFields, p.Meta.Attrs, t)
	rest = appendTable(rest, kindArray, arrayFields, p.Arrays, t)
	rest = appendTable(rest, kindFunction, functionFields, functions, t)
	rest = appendTable(rest, kindInst, instFields, insts, t)
	if len(p.Scopes) > 0 {
		rest = appendTable(rest, kindScope, scopeFields, p.Scopes, t)
	}
	rest = appendTable(rest, kindDiag, diagFields, p.Diagnostics, t)
	rest = appendTable(rest, kindTotals, totalsFields, []trace.Totals{p.Totals}, t)
	return append(appendStrings(dst, t), rest...)
}
