package reference

import (
	"slices"
	"strconv"

	"gpureplay/model"
	"gpureplay/policies/klap"
	"gpureplay/trace"
)

// nKLAP is the aggregation of child launches by code (KLAP paper, section II). Of
// package klap it has the instructions; whose requests go together, and who guesses
// his parent, it finds out by itself.
type nKLAP struct {
	n     *Machine
	scope string
	code  klap.Code
	pool  uint64
	off   bool
	warps map[*nWarp]uint64 // slots of its call under way
	teams map[any]*nTeam    // by block or kernel
	found map[*nKernel]*nAggregate
}

// nTeam is the launches that a block's or a kernel's warps have asked for.
type nTeam struct {
	slots    uint64
	calls    []*nCall // of a block: those that warps have come to, in turn
	records  uint64
	together []*nKept
}

// nCall is the launch that warps of a block have come to together: those who came
// before the first of them went on.
type nCall struct {
	slots    uint64
	left     map[*nWarp]bool // who has come to it and not made it
	gone     bool            // one of them has made it
	together []*nKept
}

type nKept struct {
	r      *nRequest
	thread int
}

// nAggregate is how the CTAs of an aggregate find their parents.
type nAggregate struct {
	p       klap.Parents
	threads uint32
}

func (n *Machine) aggregated(args map[string]string) {
	k := &nKLAP{
		n: n, scope: "block", code: klap.Code{Words: 2}, off: args["code"] == "off", warps: map[*nWarp]uint64{},
		teams: map[any]*nTeam{}, found: map[*nKernel]*nAggregate{},
	}
	if s := args["scope"]; s != "" {
		k.scope = s
	}
	if words, err := strconv.Atoi(args["words"]); err == nil {
		k.code.Words = words
	}
	n.klap = k
	n.cfg.Launch.StreamPerChild = n.cfg.Launch.StreamPerChild && args["streams"] == "on"
	p := *n.prog
	p.Functions = append(slices.Clone(p.Functions), *klap.Function)
	n.prog = &p
}

// run lets w execute some of klap's instructions before it goes on.
func (k *nKLAP) run(w *nWarp, code *model.AddedCode, asks []trace.Launch) {
	x := trace.Warp{Path: slices.Clone(code.Warp.Path), Masks: slices.Clone(code.Warp.Masks),
		Mem: slices.Clone(code.Warp.Mem)}
	for i, inst := range x.Path {
		if klap.Function.Insts[inst].Class == trace.ClassLaunch {
			for _, l := range asks {
				l.At = uint32(i)
				x.Launches = append(x.Launches, l)
			}
		}
	}
	w.callers = append(w.callers, w.nFrame)
	w.nFrame = frameOf(uint32(len(k.n.prog.Functions)-1), &x)
	w.added = true
}

func (k *nKLAP) reserve(threads int) uint64 {
	at := klap.Counter + 256 + k.pool
	k.pool += uint64((threads*(4*k.code.Words+12) + 127) / 128 * 128)
	return at
}

func threadsOf(k *nKernel, warp uint32) uint32 {
	return uint32(max(0, int(k.tk.Block.Count())-32*int(warp)))
}

// teamOf is the block or kernel of w.
func (k *nKLAP) teamOf(w *nWarp) *nTeam {
	key := any(w.cta)
	if k.scope == "grid" {
		key = w.cta.k
	}
	if k.teams[key] == nil {
		k.teams[key] = &nTeam{}
	}
	return k.teams[key]
}

// before reports whether w has something to do before it calls.
func (k *nKLAP) before(w *nWarp, asks []trace.Launch) bool {
	asking := uint32(0)
	for _, l := range asks {
		if l.Marked {
			asking |= 1 << l.Lane
		}
	}
	if asking == 0 {
		return false
	}
	threads := threadsOf(w.cta.k, w.id)
	team := k.teamOf(w)
	switch {
	case k.scope == "warp":
		k.warps[w] = k.reserve(int(min(threads, 32)))
		if k.off {
			return false
		}
		k.run(w, k.code.Warp(klap.Slots{Base: k.warps[w], Threads: uint64(min(threads, 32)), Words: k.code.Words},
			threads), asks)
	case k.scope == "block":
		block := int(w.cta.k.tk.Block.Count())
		last := len(team.calls) - 1
		if last < 0 || team.calls[last].gone {
			team.calls = append(team.calls, &nCall{slots: k.reserve(block), left: map[*nWarp]bool{}})
			last++
		}
		call := team.calls[last]
		call.left[w] = true
		if k.off {
			k.run(w, k.code.Barrier(threads), asks)
		} else {
			k.run(w, k.code.Block(klap.Slots{Base: call.slots, Threads: uint64(block), Words: k.code.Words}, w.id, threads),
				asks)
		}
	default:
		if team.slots == 0 {
			team.slots = k.reserve(1 << 20)
		}
		if k.off {
			return false
		}
		from := team.records
		for bit := range 32 {
			team.records += uint64(asking >> bit & 1)
		}
		k.run(w, k.code.Record(klap.Slots{Base: team.slots, Threads: 1 << 20, Words: k.code.Words}, from, asking, threads),
			asks)
	}
	return true
}

// called has w make its call, and returns the launches.
func (k *nKLAP) called(w *nWarp, kept []*nRequest) (first []*nRequest) {
	team := k.teamOf(w)
	switch k.scope {
	case "warp":
		var list []*nKept
		for _, r := range kept {
			list = append(list, &nKept{r, int(r.l.Lane)})
		}
		return k.merge(list, k.warps[w], min(int(threadsOf(w.cta.k, w.id)), 32))
	case "block":
		call := team.calls[slices.IndexFunc(team.calls, func(c *nCall) bool { return c.left[w] })]
		for _, r := range kept {
			call.together = append(call.together, &nKept{r, int(32*w.id) + int(r.l.Lane)})
		}
		call.gone = true
		if delete(call.left, w); len(call.left) == 0 {
			first = k.merge(call.together, call.slots, int(w.cta.k.tk.Block.Count()))
		}
	default:
		for _, r := range kept {
			team.together = append(team.together, &nKept{r: r})
		}
	}
	return first
}

// merge puts the requests for one function behind the first of them.
func (k *nKLAP) merge(kept []*nKept, slots uint64, parents int) (first []*nRequest) {
	n := k.n
	for _, x := range kept {
		lead := slices.IndexFunc(first, func(r *nRequest) bool { return r.child.tk.Function == x.r.child.tk.Function })
		if lead < 0 {
			first = append(first, x.r)
			continue
		}
		x.r.answer.way = model.Group
		first[lead].behind = append(first[lead].behind, x.r)
	}
	for _, r := range first {
		a, most := &nAggregate{}, r.child.tk
		for _, b := range r.behind {
			tk := &b.child.tk
			most.Registers, most.SharedBytes = max(most.Registers, tk.Registers), max(most.SharedBytes, tk.SharedBytes)
			if tk.Block.Count() > most.Block.Count() {
				most.Block = tk.Block
			}
		}
		r.child.res = n.cfg.CTAResources(&most)
		r.child.tk.Block, r.child.tk.Registers, r.child.tk.SharedBytes = most.Block, most.Registers, most.SharedBytes
		a.threads = uint32(most.Block.Count())
		a.p.Slots = klap.Slots{Base: slots, Threads: uint64(parents), Words: k.code.Words}
		sum := uint32(0)
		switch {
		case k.scope == "grid":
			a.p.Kind, a.p.Slots.Threads = klap.Binary, 1<<20
			for _, b := range append([]*nRequest{r}, r.behind...) {
				sum += uint32(len(b.child.items))
				a.p.Scan = append(a.p.Scan, sum)
			}
		default:
			if parents > int(max(a.threads, 32)) {
				a.p.Kind = klap.WarpSearch
			}
			for thread := range parents {
				for _, x := range kept {
					if x.thread == thread && x.r.child.tk.Function == r.child.tk.Function {
						sum += uint32(len(x.r.child.items))
					}
				}
				a.p.Scan = append(a.p.Scan, sum)
			}
		}
		if !k.off {
			k.found[r.child] = a
		}
	}
	return first
}

// unfold gives a kernel the CTAs of the launches that it combines.
func (k *nKernel) unfold(behind []*nRequest) {
	for _, r := range behind {
		g := &nGroup{r: r, left: len(r.child.items)}
		k.groups = append(k.groups, g)
		for i := range r.child.items {
			k.items = append(k.items, nItem{tc: r.child.items[i].tc, def: r.child, group: g})
		}
	}
}

// first lets a warp of an aggregate's CTA find its parent.
func (k *nKLAP) first(w *nWarp, cta uint32) {
	if a := k.found[w.cta.k]; a != nil {
		k.run(w, k.code.Search(&a.p, cta, w.id, uint32(max(0, int(a.threads)-32*int(w.id)))), nil)
	}
}

// kernelEnded has the host copy the counter back and launch the kernels that a kernel asked for.
func (k *nKLAP) kernelEnded(of *nKernel) {
	team, n, h := k.teams[any(of)], k.n, &k.n.cfg.Host
	if team == nil || k.scope != "grid" {
		return
	}
	delete(k.teams, any(of))
	at := max(n.t+1, n.host.engines[1]) + n.host.linkTime(8)
	n.host.engines[1] = at
	n.cycles = max(n.cycles, at)
	for i, r := range k.merge(team.together, team.slots, 0) {
		n.post(at+model.Time(h.LaunchLatency)+model.Time(i)*cyclesOfNs(h.LaunchOverheadNs, n.cfg), nChildPhase,
			func() { n.arrive([]*nRequest{r}) })
	}
}
