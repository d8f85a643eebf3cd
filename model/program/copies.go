package program

import (
	"strings"

	"gpureplay/trace"
)

// CopyRole is the part of an instruction in asynchronous copies from memory to shared memory (cp.async). A warp closes
// the copies that it has issued into a group, and later waits for all groups but the newest few.
type CopyRole uint8

const (
	CopyNone      CopyRole = iota
	CopyStarts             // LDGSTS
	CopiesClosed           // LDGDEPBAR: the copies since the last one are a group
	CopiesAwaited          // DEPBAR: all groups but the newest [Op.Groups] are done
)

// mostGroups bounds the groups that may go on; a warp has fewer.
const mostGroups = 1 << 20

// roleOf goes by the opcode's name. A DEPBAR of a function without copies waits for scoreboards, which registers stand
// for.
func roleOf(in *trace.Inst) CopyRole {
	switch name, _, _ := strings.Cut(in.Opcode, "."); {
	case name == "LDGSTS" && in.Mem():
		return CopyStarts
	case name == "LDGDEPBAR":
		return CopiesClosed
	case name == "DEPBAR" && in.Class == trace.ClassFence:
		return CopiesAwaited
	}
	return CopyNone
}
