package reference

import (
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

// nLSU is the load/store unit, shared memory, L1 and TLB of an SM.
type nLSU struct {
	n       *Machine
	s       *nSM
	free    model.Time
	starts  []model.Time
	wb      *nPort
	l1, tlb *nCache
	pending nMSHRs
	now     model.Time // when the request that begins has come to the unit
	line    []*nHeld   // where requests are in turn: the unit has stopped at the first

	register nWriteback

	// Of the cycle engine:
	mshrs  []*nMSHR
	blocks map[uint64]*nFetch // the last of each block, by its first sector
}

// nHeld is a memory instruction on its way: begin brings it to the unit, each step times a
// request.
type nHeld struct {
	begin func()
	steps []func()
	done  model.Time

	// Of the cycle engine:
	since    model.Time    // it waits for the unit
	ask      []func() bool // those that are left
	at       model.Time    // of the next
	tried    bool          // it has its bank
	taken    map[int]bool  // banks, in that cycle
	bank     int           // that it waits for; -1: none
	known    model.Time    // and its address
	begun    bool
	closed   bool // none is left
	open     int  // requests whose return is not known yet
	numbered bool // the return of some was unknown when they were made
	result   func(done model.Time)
	release  func(done model.Time) // of an atomic that holds its warp

	sched        int
	banksWritten []int
}

func (u *nLSU) init(n *Machine, s *nSM) {
	u.n, u.s, u.wb = n, s, port(1, 1)
	u.tlb = &nCache{ways: n.cfg.TLB.Entries, per: 1, sets: map[uint64][]*nLine{}}
}

func (u *nLSU) takes() model.Time {
	k := u.n.cfg.SM.OperandCollectors
	waiting := 0
	for _, h := range u.line {
		if !h.begun {
			waiting++
		}
	}
	switch i := len(u.starts) + waiting - k; {
	case k == 0 || i < 0:
		return 0
	case waiting >= k:
		return 1 << 40
	default:
		return u.starts[i]
	}
}

func (u *nLSU) begin(cycles model.Time) model.Time {
	start := max(u.now, u.free)
	u.free = start + cycles
	u.starts = append(u.starts, start)
	return start
}

// access times the next memory instruction of w. It returns the access if its completion is unknown.
func (u *nLSU) access(n *Machine, w *nWarp, in *trace.Inst) (model.Time, *nHeld) {
	h := u.parts(n, w, in)
	if n.cfg.CycleMemory() {
		if u.accessInTurn(h) {
			return h.done, nil
		}
		return 0, h
	}
	u.now = u.n.t
	h.begin()
	for _, step := range h.steps {
		step()
	}
	return h.done, nil
}

// left is for how many cycles an instruction without a result is in the unit behind its last cycle.
func (u *nLSU) left() model.Time {
	if d := u.n.cfg.SM.PipelineDepth; u.n.cfg.CycleMemory() && d > 2 {
		return model.Time(d - 1)
	}
	return 1
}

// parts takes the next memory instruction of w apart.
func (u *nLSU) parts(n *Machine, w *nWarp, in *trace.Inst) *nHeld {
	h := &nHeld{}
	var addrs []uint64
	if in.Width > 0 {
		a := w.w.Mem[w.mem]
		w.mem++
		addrs = addresses(w.w, &a)
	}
	shared := model.Time(n.cfg.Shared.Latency + n.cfg.Shared.Writeback)
	switch {
	case in.Width == 0 || in.Space == trace.SpaceConstant:
		h.begin = func() { h.done = u.begin(1) + shared }
		return h
	case in.Space == trace.SpaceShared:
		width := uint64(in.Width)
		if n.cfg.Shared.Wide == "first" {
			width = min(width, 4)
		}
		cycles := bankCycles(addrs, width, uint64(n.cfg.Shared.Banks))
		h.begin = func() {
			h.done = u.begin(cycles) + cycles - 1 + shared
			if in.Flags&trace.InstLoad == 0 && n.cfg.CycleMemory() {
				h.done += u.left() - shared
			}
			if in.Flags&trace.InstLoad != 0 && n.cfg.CycleMemory() {
				h.open, h.numbered, h.done = h.open+1, true, 0
				u.register.entering = append(u.register.entering, nResult{from: u.free, h: h})
				return
			}
			if in.Flags&trace.InstLoad != 0 {
				h.done = u.wb.reserve(h.done)
			}
		}
		return h
	case len(addrs) == 0:
		h.begin = func() { h.done = u.begin(1) + u.left() }
		return h
	}
	order, bytes := touchedSectors(addrs, uint64(in.Width))
	turns := map[uint64]int{} // of the requests of a sector at its slice
	if in.Space == trace.SpaceLocal {
		width := uint64(4)
		words := u.local(w, addrs[0], max(1, uint64(in.Width)/4))
		if off := addrs[0] % 4; in.Width < 4 {
			width = min(uint64(in.Width), 4-off)
			for i := range words {
				words[i] += off
			}
		}
		order, bytes = touchedSectors(words, width)
	} else if in.Flags&trace.InstAtomic != 0 {
		order, turns = atomicRequests(n.cfg.SM.AtomicConflicts, addrs, uint64(in.Width))
	}
	if len(order) <= 128 {
		slices.Sort(order)
	}
	asked := blockRequests(order, uint64(n.cfg.L1.SectorBytes/32))
	slices.Reverse(asked)
	var after []model.Time // of each request: in order, a bank takes one a cycle
	busy := map[uint64]bool{}
	turn := model.Time(0)
	for i, r := range asked {
		b := r[0] / uint64(n.cfg.L1.SectorBytes/32) % uint64(n.cfg.L1.Banks)
		if busy[b] || i > 0 && u.passes(in) {
			turn++
			clear(busy)
		}
		busy[b] = true
		after = append(after, turn)
	}
	var start model.Time
	h.begin = func() {
		start = u.begin(turn + 1)
		h.done = start + 1
		if n.cfg.CycleMemory() {
			h.at, u.free, h.taken, h.bank = start, start, map[int]bool{}, -1
		}
	}
	for i, r := range asked {
		q := nAsked{sectors: r, bytes: bytes, turns: 1}
		for _, s := range r {
			q.turns = max(q.turns, turns[s])
		}
		h.steps = append(h.steps, func() { h.done = max(h.done, u.request(in, &q, start+after[i])) })
		h.ask = append(h.ask, func() bool {
			if b := int(r[0] / uint64(n.cfg.L1.SectorBytes/32) % uint64(n.cfg.L1.Banks)); !h.tried {
				if h.taken[b] || len(h.taken) > 0 && u.passes(in) {
					h.at++
					clear(h.taken)
				}
				h.taken[b] = true
				h.known = u.translate(q.sectors[0], h.at)
			}
			h.tried = true
			return u.requestInTurn(h, in, &q, max(h.at, h.known))
		})
	}
	return h
}

// nAsked is a warp's request to a block: its sectors of 32 B, rising.
type nAsked struct {
	sectors []uint64
	bytes   map[uint64]map[uint64]bool // of a sector: that are touched
	turns   int
}

// carries is how many sectors its data takes in a packet: the smallest aligned piece
// that holds them, and where that begins.
func (r *nAsked) carries() (first uint64, n int) {
	lo, hi := slices.Min(r.sectors), slices.Max(r.sectors)
	for size := uint64(1); ; size *= 2 {
		if lo/size == hi/size {
			return lo / size * size, int(size)
		}
	}
}

// blockRequests puts the sectors that lie side by side and in one block together: the
// first of each, the second of each, and so on.
func blockRequests(order []uint64, per uint64) (all [][]uint64) {
	for len(order) > 0 {
		n := 1
		for n < len(order) && order[n]/per == order[0]/per {
			n++
		}
		var rounds [][]uint64
		times := map[uint64]int{}
		for _, s := range order[:n] {
			if times[s] == len(rounds) {
				rounds = append(rounds, nil)
			}
			rounds[times[s]] = append(rounds[times[s]], s)
			times[s]++
		}
		all, order = append(all, rounds...), order[n:]
	}
	return all
}

// atomicRequests gives the sector of each request of an atomic and how many turns one
// of a sector takes of its slice. A byte of a sector is touched by at most one
// lane of a group; the groups of a sector are requests of their own, or its turns.
func atomicRequests(rule string, addrs []uint64, width uint64) (order []uint64, turns map[uint64]int) {
	groups, turns := map[uint64][]map[uint64]bool{}, map[uint64]int{}
	for _, a := range addrs {
		parts := map[uint64][]uint64{}
		for b := a; b < a+width; b++ {
			parts[b/32] = append(parts[b/32], b)
		}
		for s, part := range parts {
			g := slices.IndexFunc(groups[s], func(taken map[uint64]bool) bool {
				return !slices.ContainsFunc(part, func(b uint64) bool { return taken[b] })
			})
			if g < 0 {
				g = len(groups[s])
				groups[s] = append(groups[s], map[uint64]bool{})
			}
			for _, b := range part {
				groups[s][g][b] = true
			}
		}
	}
	for s, g := range groups {
		switch rule {
		case "split":
			order = append(order, slices.Repeat([]uint64{s}, len(g))...)
		case "serial":
			turns[s] = len(g)
			fallthrough
		default:
			order = append(order, s)
		}
	}
	return order, turns
}

// passes reports whether an access goes past the L1.
func (u *nLSU) passes(in *trace.Inst) bool {
	if in.Flags&trace.InstAtomic != 0 || !u.n.cfg.L1.GlobalLoads && in.Space != trace.SpaceLocal {
		return true
	}
	return in.Flags&trace.InstStore == 0 && in.Flags&trace.InstBypassL1 != 0
}

// local gives the address of each word of each active lane (docs/model, choice 7).
func (u *nLSU) local(w *nWarp, base, words uint64) (addrs []uint64) {
	k, sms := w.cta.k, uint64(u.n.cfg.SM.Count)
	ctas, _ := u.n.cfg.Residency(&k.tk)
	for ctas > 1 && uint64(ctas-1)*sms >= k.tk.Grid.Count() {
		ctas--
	}
	ctas, padded := max(1, ctas), (k.tk.Block.Count()+31)/32*32
	ports := sms / uint64(u.n.cfg.Icnt.SMsPerPort)
	sm := uint64(u.s.id)%ports*uint64(u.n.cfg.Icnt.SMsPerPort) + uint64(u.s.id)/ports
	for i := range words {
		for lane := range uint64(32) {
			if w.mask>>lane&1 != 0 {
				tid := uint64(w.slot)*32 + lane
				cta := tid / padded
				thread := padded*(sm+sms*(cta%uint64(ctas))) + tid%padded
				addrs = append(addrs, 105<<56+0x1f880000+cta/uint64(ctas)<<48+4*((base/4+i)*padded*uint64(ctas)*sms+thread))
			}
		}
	}
	return addrs
}

// enter empties the L1 for another kernel. Where it shares its store with shared memory, it gets the rest of the
// smallest carve-out that holds so many of the kernel's CTAs, or as many as fit.
func (u *nLSU) enter(n *Machine, k *nKernel, ctas int) {
	c := &n.cfg.L1
	size := c.Bytes
	if c.Unified > 0 {
		most, _ := n.cfg.Residency(&k.tk)
		ctas = min(ctas, most)
		taken := n.cfg.SM.SharedBytes
		for _, carve := range slices.Backward(c.Carveouts) {
			if carve >= ctas*k.res.SharedBytes {
				taken = carve
			}
		}
		size = min(c.Bytes, c.Unified-taken)
	}
	u.keepHits()
	u.l1 = &nCache{ways: c.Ways * size / c.Bytes, per: uint64(c.LineBytes / 32), sets: map[uint64][]*nLine{},
		lines: size / c.LineBytes}
	if u.n.cfg.Memory.Engine == "cycle" {
		u.l1.ratio = c.WriteRatio
	}
}

// empty empties the L1 for the kernel that has it.
func (u *nLSU) empty() {
	u.keepHits()
	u.l1 = &nCache{ways: u.l1.ways, per: u.l1.per, sets: map[uint64][]*nLine{}, lines: u.l1.lines, ratio: u.l1.ratio}
}

// touchedSectors gives the sectors in the order of their first byte, and the
// bytes of each.
func touchedSectors(addrs []uint64, width uint64) ([]uint64, map[uint64]map[uint64]bool) {
	var order []uint64
	bytes := map[uint64]map[uint64]bool{}
	for _, a := range addrs {
		for b := a; b < a+width; b++ {
			if bytes[b/32] == nil {
				order = append(order, b/32)
				bytes[b/32] = map[uint64]bool{}
			}
			bytes[b/32][b] = true
		}
	}
	return order, bytes
}

// bankCycles is the most distinct words of a bank, pass by pass.
func bankCycles(addrs []uint64, width, banks uint64) model.Time {
	total := model.Time(0)
	words := max(1, width/4)
	for pass := range slices.Chunk(addrs, int(max(1, 32/words))) {
		seen := map[uint64]map[uint64]bool{}
		most := 1
		for _, a := range pass {
			for w := a / 4; w < a/4+words; w++ {
				if seen[w%banks] == nil {
					seen[w%banks] = map[uint64]bool{}
				}
				seen[w%banks][w] = true
				most = max(most, len(seen[w%banks]))
			}
		}
		total += model.Time(most)
	}
	return max(1, total)
}

// queued is when a request that its bank takes at a time is in the miss queue.
func (u *nLSU) queued(at model.Time, latency int) model.Time {
	ready := at + model.Time(latency)
	room := u.n.mem.misses[u.s.id].room(ready)
	for _, leaves := range u.n.mem.misses[u.s.id].leaves {
		room = max(room, leaves-4096)
	}
	if room > ready {
		u.free = max(u.free, at+room-ready)
	}
	return room
}

// translate walks to the page of a sector if the TLB has it not.
func (u *nLSU) translate(sector uint64, at model.Time) model.Time {
	c := &u.n.cfg.TLB
	if c.Entries == 0 {
		return at
	}
	tag := sector * 32 / uint64(c.PageBytes)
	if l := u.tlb.find(0, tag, true); l != nil {
		return max(at, l.sec[0].fill)
	}
	walked := at + model.Time(c.MissLatency)
	if l, _ := u.tlb.allocate(0, tag, at); l != nil {
		l.sec[0] = nSector{valid: true, fill: walked}
	}
	return walked
}

// wholeBlock gives the sectors of the block of a cache that fetches so many bytes.
func wholeBlock(sector uint64, bytes int) (all []uint64) {
	per := uint64(bytes / 32)
	for i := range per {
		all = append(all, sector/per*per+i)
	}
	return all
}

func (u *nLSU) request(in *trace.Inst, r *nAsked, at model.Time) model.Time {
	c, m, sm := &u.n.cfg.L1, u.n.mem, u.s.id
	per := uint64(c.LineBytes / 32)
	tag := r.sectors[0] / per
	set := tag % uint64(c.Bytes/c.LineBytes/c.Ways)
	at = u.translate(r.sectors[0], at)
	block := wholeBlock(r.sectors[0], c.SectorBytes)
	switch {
	case in.Flags&trace.InstAtomic != 0:
		u.l1.drop(set, tag, block)
		return u.wb.reserve(m.request(sm, trace.InstAtomic, r, u.queued(at, c.BypassLatency)))
	case in.Flags&trace.InstStore != 0 && u.passes(in):
		return m.request(sm, trace.InstStore, r, u.queued(at, c.BypassLatency))
	case in.Flags&trace.InstStore != 0:
		m.l1Count.accesses += uint64(len(r.sectors))
		m.l1Count.writes += uint64(len(r.sectors))
		if !c.WriteAllocate {
			u.l1.drop(set, tag, block)
		} else {
			u.keep(set, tag, r, at)
		}
		return m.request(sm, trace.InstStore, r, u.queued(at, c.Latency))
	case in.Flags&trace.InstBypassL1 != 0 || !c.GlobalLoads && in.Space != trace.SpaceLocal:
		return u.wb.reserve(m.request(sm, trace.InstLoad, r, u.queued(at, c.BypassLatency)))
	}
	l := u.l1.find(set, tag, true)
	there := l.whole(r.sectors)
	m.l1Count.note(there, false, len(r.sectors))
	if there {
		return u.hit(l, r.sectors, at)
	}
	if free := u.pending.admit(at, c.MSHRs); free > at {
		at = free
		u.free = max(u.free, at)
	}
	fill := m.request(sm, trace.InstLoad, &nAsked{sectors: block}, u.queued(at, c.Latency))
	u.pending.fills = append(u.pending.fills, fill)
	if l == nil {
		l, _ = u.l1.allocate(set, tag, at)
	}
	l.fetch(block, fill)
	return u.wb.reserve(fill)
}

func (u *nLSU) hit(l *nLine, sectors []uint64, at model.Time) model.Time {
	c := &u.n.cfg.L1
	hit := at + model.Time(c.Latency) + 4
	fill := l.filled(sectors)
	if fill <= hit {
		return hit
	}
	if !l.joins(sectors[0], c.SectorBytes, c.Merge) {
		u.free = max(u.free, fill)
		return fill + model.Time(c.Latency) + 4
	}
	return u.wb.reserve(fill)
}

// keep writes into the L1.
func (u *nLSU) keep(set, tag uint64, r *nAsked, at model.Time) {
	l := u.l1.find(set, tag, true)
	if l == nil {
		l, _ = u.l1.allocate(set, tag, at)
	}
	for _, s := range r.sectors {
		if l != nil {
			l.write(s, u.n.cfg.L1.SectorBytes, r.bytes[s], at)
		}
	}
}
