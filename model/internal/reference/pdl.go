package reference

import (
	"slices"
	"strings"

	"gpureplay/trace"
)

// nPDL is programmatic dependent launch (docs/policies/boundaries.md). Where warps trigger and wait it finds out anew
// for each instruction, and which memory a kernel touches for each access.
type nPDL struct {
	n             *Machine
	trigger, wait string
	all           bool                    // every launch is programmatic
	moved         bool                    // paths do not say where warps trigger
	before        map[*nKernel][]*nKernel // that had not completed when it was opened
	behind        map[*nKernel][]*nKernel // of other streams, that it follows
	completed     map[*nKernel]bool
	passed        map[*nCTA]map[uint32]bool    // warps behind their triggers
	through       map[*nKernel]map[uint32]bool // CTAs
	fresh         map[*nSM]*nKernel            // for which the L1 was emptied
	followed      map[*nKernel]bool
	begun         map[*nKernel]int // CTAs that have been placed
	ported        bool             // an event has a port
}

func newNPDL(n *Machine, args map[string]string) *nPDL {
	p := &nPDL{n: n, trigger: "none", wait: args["wait"], all: args["edges"] == "all",
		moved:  args["own"] == "moved",
		before: map[*nKernel][]*nKernel{}, behind: map[*nKernel][]*nKernel{},
		completed: map[*nKernel]bool{}, passed: map[*nCTA]map[uint32]bool{},
		through: map[*nKernel]map[uint32]bool{}, fresh: map[*nSM]*nKernel{}, followed: map[*nKernel]bool{},
		begun: map[*nKernel]int{}}
	if x := args["trigger"]; x != "" {
		p.trigger = x
	}
	stated := false
	for _, k := range n.kernels {
		stated = stated || k.tk.Flags&trace.KernelProgrammatic != 0
	}
	p.all = p.all || !stated
	n.opens = p
	return p
}

// open lets the first kernel of a stream enter the GPU, and the second when the first has triggered.
func (p *nPDL) open(st *nStream) {
	for i, o := range st.queue {
		if i > 1 || o.k == nil || o.done {
			return
		}
		if i == 1 {
			first := st.queue[0].k
			if st.queue[0].done || !p.triggered(first) || p.ahead(first) ||
				!p.all && o.k.tk.Flags&trace.KernelProgrammatic == 0 {
				return
			}
			if !o.k.opened {
				p.before[o.k] = append(p.before[o.k], first)
			}
		}
		if !o.k.opened {
			for _, k := range p.behind[o.k] {
				if k.opened && !p.completed[k] {
					p.before[o.k] = append(p.before[o.k], k)
				}
			}
			o.k.opened, o.k.early, o.k.ready = true, i > 0, true
			p.n.inspect()
		}
	}
}

// has reports whether a kernel's function has an instruction.
func (p *nPDL) has(k *nKernel, opcode string) bool {
	for _, in := range p.n.prog.Functions[k.tk.Function].Insts {
		if strings.Split(in.Opcode, ".")[0] == opcode {
			return true
		}
	}
	return false
}

func (p *nPDL) triggers(k *nKernel) bool {
	return p.trigger != "none" || !p.moved && p.has(k, "PREEXIT")
}

// triggered reports whether all CTAs of a kernel have triggered or ended.
func (p *nPDL) triggered(k *nKernel) bool { return p.triggers(k) && len(p.through[k]) == len(k.items) }

// stepOf is the first step of a warp with an opcode; -1: none.
func (p *nPDL) stepOf(w *nWarp, opcode string) int {
	for i, at := range w.w.Path {
		if strings.Split(p.n.prog.Functions[w.fn].Insts[at].Opcode, ".")[0] == opcode {
			return i
		}
	}
	return -1
}

// triggerOf is the step with which a warp triggers; the length of its path: when it exits.
func (p *nPDL) triggerOf(w *nWarp) int {
	if !p.moved && p.has(w.cta.k, "PREEXIT") {
		if at := p.stepOf(w, "PREEXIT"); at >= 0 {
			return at
		}
		return len(w.w.Path)
	}
	switch p.trigger {
	case "begin":
		return 0
	case "last-load":
		last := 0
		for i, at := range w.w.Path {
			in := &p.n.prog.Functions[w.fn].Insts[at]
			if in.Width > 0 && in.Space == trace.SpaceGlobal && in.Flags&trace.InstLoad != 0 {
				last = i
			}
		}
		return last
	}
	return len(w.w.Path)
}

// issues notes that a warp issues its next instruction, exits: that it has none.
func (p *nPDL) issues(w *nWarp, exits bool) {
	if c := w.cta; p.triggers(c.k) && p.passed[c] != nil && !p.passed[c][w.id] && (exits || p.triggerOf(w) == w.pc) {
		if p.passed[c][w.id] = true; len(p.passed[c]) == len(c.item.tc.Warps) {
			p.pass(c)
		}
	}
}

// pass notes a CTA that has triggered or ended.
func (p *nPDL) pass(c *nCTA) {
	k := c.k
	if p.through[k] == nil {
		p.through[k] = map[uint32]bool{}
	}
	p.through[k][c.id] = true
	if p.triggered(k) && !p.followed[k] {
		p.followed[k] = true
		p.n.post(p.n.t+1, nFollowPhase, func() {
			p.follow(k)
		})
	}
}

// ahead reports whether warps of a kernel that wait are kept back.
func (p *nPDL) ahead(k *nKernel) bool {
	return slices.ContainsFunc(p.before[k], func(x *nKernel) bool { return !p.completed[x] })
}

// placed gives the warps of a CTA the points at which they wait.
func (p *nPDL) placed(c *nCTA) {
	p.passed[c] = map[uint32]bool{}
	defer p.began(c.k)
	if p.ahead(c.k) {
		for _, w := range c.warps {
			w.waits = p.waitOf(w)
			if w.waits == noWait && p.foreign(c.k) {
				w.waits = len(w.w.Path) - 1
			}
		}
	}
}

// noWait is of a warp that waits nowhere.
const noWait = -1

// waitOf is the step before which a warp waits.
func (p *nPDL) waitOf(w *nWarp) int {
	if at := p.stepOf(w, "ACQBULK"); at >= 0 {
		return at
	}
	if p.has(w.cta.k, "ACQBULK") || p.wait == "begin" {
		return 0
	}
	mem := 0
	for i, at := range w.w.Path {
		in := &p.n.prog.Functions[w.fn].Insts[at]
		if in.Width == 0 {
			continue
		}
		if in.Space == trace.SpaceGlobal && p.conflicts(w.cta.k, in, addresses(w.w, &w.w.Mem[mem])) {
			return i
		}
		mem++
	}
	return noWait
}

// conflicts reports whether an access reads or writes a sector that the kernel before writes, or writes one that it
// touches.
func (p *nPDL) conflicts(k *nKernel, in *trace.Inst, addrs []uint64) bool {
	writes := func(in *trace.Inst) bool { return in.Flags&(trace.InstStore|trace.InstAtomic) != 0 }
	mine, _ := touchedSectors(addrs, uint64(in.Width))
	for _, item := range p.itemsBefore(k) {
		for i := range item.tc.Warps {
			w := &item.tc.Warps[i]
			for x, a := range w.Accesses(p.n.prog.Functions[item.def.tk.Function].Insts) {
				its, _ := touchedSectors(addresses(w, a), uint64(x.Width))
				if x.Space != trace.SpaceGlobal || !writes(x) && !writes(in) {
					continue
				}
				for _, a := range mine {
					for _, b := range its {
						if a == b {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// atWait reports whether a warp comes to its wait.
func (w *nWarp) atWait() bool { return w.waits == w.pc }

// stalls keeps a warp back at its wait. One that goes on empties the L1.
func (p *nPDL) stalls(w *nWarp) bool {
	if !w.atWait() {
		return false
	}
	if p.ahead(w.cta.k) {
		w.kept = true
		return true
	}
	w.waits = noWait
	if s := w.cta.sm; p.fresh[s] != w.cta.k {
		s.lsu.empty()
		p.fresh[s] = w.cta.k
	}
	return false
}

// enters empties the L1 for a CTA on a free SM, unless its kernel does so when it has waited.
func (p *nPDL) enters(k *nKernel, s *nSM, enter func()) {
	before := s.lsu.l1
	enter()
	switch {
	case !p.ahead(k):
		p.fresh[s] = k
	case before != nil && before.lines == s.lsu.l1.lines:
		s.lsu.l1 = before
	}
}

// ended lets the warps go on that have waited for a kernel, from the next cycle on.
func (p *nPDL) ended(k *nKernel) {
	p.completed[k] = true
	for _, s := range p.n.sms {
		for _, w := range s.slots {
			if w != nil && w.kept && slices.Contains(p.before[w.cta.k], k) && !p.ahead(w.cta.k) {
				w.kept = false
				w.from = max(w.from, p.n.t+1)
			}
		}
	}
}
