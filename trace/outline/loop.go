package outline

import (
	"cmp"
	"slices"
	"strings"

	"gpureplay/trace"
)

// Loop is one loop of a function, without a loop in it.
type Loop struct {
	Number   int // from 1, in the order of functions and of their code
	Function uint32
	Name     string // of the function
	Header   uint32 // PC of its first instruction
	Latch    uint32 // and of the last branch back

	Runs       uint64 // times that a warp ran it
	Passes     uint64 // of warps through it
	Iterations uint64 // of lanes
	Lanes      uint64 // that ran it, over all runs
	Longest    uint32 // most iterations of a lane
	Slots      uint64 // of each run its passes times its lanes
	Divergent  bool   // lanes of one run ran it different numbers of times
	Carried    int    // registers that an iteration reads from the one before it
	Why        string // it cannot become a child; "": it can

	insts map[uint32]bool // that its passes have, in the function
}

// Use is the share of the lanes that entered the loop which its passes used.
func (l *Loop) Use() float64 {
	if l.Slots == 0 {
		return 0
	}
	return float64(l.Iterations) / float64(l.Slots)
}

// back reports whether a step from one instruction to another goes back to the head
// of a loop.
func back(from, to *trace.Inst) bool {
	return from.Class == trace.ClassControl && to.PC <= from.PC && !calls(from)
}

// calls reports whether an instruction leaves its function, or comes back to one.
func calls(in *trace.Inst) bool {
	op := in.Opcode
	return strings.HasPrefix(op, "CALL") || strings.HasPrefix(op, "JCAL") || strings.HasPrefix(op, "RET")
}

// finder collects the branches back of each function.
type finder struct {
	prog    *trace.Program
	latches []map[uint32]uint32 // of each function, by the header's PC
}

func newFinder(p *trace.Program) *finder {
	return &finder{p, make([]map[uint32]uint32, len(p.Functions))}
}

// see looks at the path of a warp.
func (f *finder) see(function uint32, path []uint32) {
	insts := f.prog.Functions[function].Insts
	for i := 1; i < len(path); i++ {
		from, to := &insts[path[i-1]], &insts[path[i]]
		if !back(from, to) {
			continue
		}
		if f.latches[function] == nil {
			f.latches[function] = map[uint32]uint32{}
		}
		f.latches[function][to.PC] = max(f.latches[function][to.PC], from.PC)
	}
}

// loops returns the loops that no other begins in.
func (f *finder) loops() []*Loop {
	var all []*Loop
	for fn, latches := range f.latches {
		var own []*Loop
		for header, latch := range latches {
			inner := true
			for other := range latches {
				inner = inner && (other <= header || other > latch)
			}
			if inner && addressed(f.prog.Functions[fn].Insts) {
				own = append(own, &Loop{
					Function: uint32(fn), Name: f.prog.Functions[fn].Name, Header: header, Latch: latch, insts: map[uint32]bool{},
				})
			}
		}
		slices.SortFunc(own, func(a, b *Loop) int { return cmp.Compare(a.Header, b.Header) })
		all = append(all, own...)
	}
	for i, l := range all {
		l.Number = i + 1
	}
	return all
}

// addressed reports whether the instructions have addresses in the code: a source that
// knows none gives them all the same.
func addressed(insts []trace.Inst) bool {
	return slices.ContainsFunc(insts, func(in trace.Inst) bool { return in.PC != insts[0].PC })
}

// has reports whether an instruction lies in the loop.
func (l *Loop) has(in *trace.Inst) bool { return l.Header <= in.PC && in.PC <= l.Latch }

// exchanges are the opcodes by which lanes of a warp hand data to each other.
var exchanges = []string{"SHFL", "VOTE", "MATCH", "REDUX", "R2UR", "WARPSYNC"}

// obstacle says why an instruction cannot be of a child's body; "" if it can.
func obstacle(in *trace.Inst) string {
	switch {
	case in.Class == trace.ClassBarrier:
		return "barrier"
	case in.Class == trace.ClassExit:
		return "ends threads"
	case in.Class == trace.ClassLaunch || in.Class == trace.ClassDeviceSync:
		return "launches"
	case in.Class == trace.ClassTensor || slices.Contains(exchanges, stem(in.Opcode)):
		return "lanes exchange data"
	case in.Flags&trace.InstBulk != 0:
		return "bulk copy"
	case in.Mem() && in.Space == trace.SpaceShared:
		return "shared memory"
	case in.Mem() && in.Space == trace.SpaceLocal:
		return "local memory"
	case calls(in):
		return "calls"
	}
	return ""
}

func stem(opcode string) string {
	s, _, _ := strings.Cut(opcode, ".")
	return s
}

// refuse keeps the first reason against a loop.
func (l *Loop) refuse(why string) {
	if l.Why == "" {
		l.Why = why
	}
}
