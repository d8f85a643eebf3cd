package trace

import (
	"strings"
	"unicode/utf8"
)

// soundName reports whether a name can stand in every table and on every
// terminal: UTF-8 without a zero byte.
func soundName(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// soundNames puts U+FFFD for what cannot stand in a name, in all of the program,
// and returns how many names it changed: captures have names as their memory had
// them.
func (p *Program) soundNames() (changed uint64) {
	fix := func(names ...*string) {
		for _, s := range names {
			if !soundName(*s) {
				*s = strings.ReplaceAll(strings.ToValidUTF8(*s, "\uFFFD"), "\x00", "\uFFFD")
				changed++
			}
		}
	}
	m := &p.Meta
	fix(&m.Source, &m.SourceVersion, &m.GPU, &m.ArraysFrom)
	for i := range m.Attrs {
		fix(&m.Attrs[i].Key, &m.Attrs[i].Value)
	}
	for i := range p.Arrays {
		fix(&p.Arrays[i].Name)
	}
	for i := range p.Functions {
		f := &p.Functions[i]
		fix(&f.Name)
		for j := range f.Insts {
			fix(&f.Insts[j].Opcode)
		}
	}
	for i := range p.Scopes {
		fix(&p.Scopes[i].Name)
	}
	for i := range p.Diagnostics {
		fix(&p.Diagnostics[i].Name, &p.Diagnostics[i].Help)
	}
	return changed
}
