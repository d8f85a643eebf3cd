package model_test

import (
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

// nLSU is the load/store unit, shared memory, L1 and TLB of an SM.
type nLSU struct {
	n       *naive
	s       *nSM
	free    model.Time
	starts  []model.Time
	wb      *nPort
	l1, tlb *nCache
	pending nMSHRs
}

// nMSHRs are the fill times of misses.
type nMSHRs struct {
	fills  []model.Time
	latest model.Time // of the requests
}

// admit returns when a request at t has an MSHR, of a number of them (0: any).
func (p *nMSHRs) admit(t model.Time, limit int) model.Time {
	p.latest = max(p.latest, t)
	p.fills = slices.DeleteFunc(p.fills, func(f model.Time) bool { return f <= p.latest })
	if limit == 0 || len(p.fills) < limit {
		return t
	}
	first := slices.Index(p.fills, slices.Min(p.fills))
	t = p.fills[first]
	p.fills = slices.Delete(p.fills, first, first+1)
	return t
}

func (u *nLSU) init(n *naive, s *nSM) {
	u.n, u.s, u.wb = n, s, port(1, 1)
	u.tlb = &nCache{ways: n.cfg.TLB.Entries, sets: map[uint64][]*nLine{}}
}

func (u *nLSU) takes() model.Time {
	if k := u.n.cfg.SM.OperandCollectors; k > 0 && len(u.starts) >= k {
		return u.starts[len(u.starts)-k]
	}
	return 0
}

func (u *nLSU) begin(cycles model.Time) model.Time {
	start := max(u.n.t, u.free)
	u.free = start + cycles
	u.starts = append(u.starts, start)
	return start
}

// access times the next memory instruction of w.
func (u *nLSU) access(n *naive, w *nWarp, in *trace.Inst) model.Time {
	var addrs []uint64
	if in.Width > 0 {
		a := w.w.Mem[w.mem]
		w.mem++
		for i := range a.Count {
			if a.List != 0 {
				addrs = append(addrs, w.w.Lists[a.List-1+i])
			} else {
				addrs = append(addrs, a.Base+uint64(int64(a.Stride)*int64(i)))
			}
		}
	}
	shared := model.Time(n.cfg.Shared.Latency) + 4
	switch {
	case in.Width == 0 || in.Space == trace.SpaceConstant:
		return u.begin(1) + shared
	case in.Space == trace.SpaceShared:
		cycles := bankCycles(addrs, uint64(in.Width), uint64(n.cfg.Shared.Banks))
		done := u.begin(cycles) + cycles - 1 + shared
		if in.Flags&trace.InstLoad != 0 {
			done = u.wb.reserve(done)
		}
		return done
	case len(addrs) == 0:
		return u.begin(1) + 1
	}
	order, bytes := touchedSectors(addrs, uint64(in.Width))
	turns := map[uint64]int{} // of a request of a sector at its slice
	if in.Space == trace.SpaceLocal {
		order, bytes = touchedSectors(u.local(w, addrs[0], max(1, uint64(in.Width)/4)), 4)
	} else if in.Flags&trace.InstAtomic != 0 {
		order, turns = atomicRequests(n.cfg.SM.AtomicConflicts, addrs, uint64(in.Width))
	}
	if len(order) <= 128 {
		slices.Sort(order)
	}
	slices.Reverse(order)
	var after []model.Time // of each sector: in order, a bank takes one a cycle
	busy := map[uint64]bool{}
	turn := model.Time(0)
	for i, s := range order {
		if b := s % uint64(n.cfg.L1.Banks); busy[b] || i > 0 && u.passes(in) {
			turn++
			clear(busy)
		}
		busy[s%uint64(n.cfg.L1.Banks)] = true
		after = append(after, turn)
	}
	start := u.begin(turn + 1)
	done := start + 1
	for i, s := range order {
		done = max(done, u.sector(in, s, start+after[i], bytes[s], max(1, turns[s])))
	}
	return done
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

// local gives the address of each word of each active lane (MODEL.md, choice 7).
func (u *nLSU) local(w *nWarp, base, words uint64) (addrs []uint64) {
	window := uint64(1)<<62 + uint64(64*u.s.id+w.slot)<<24
	for i := range words {
		for lane := range uint64(32) {
			if w.mask>>lane&1 != 0 {
				addrs = append(addrs, window+128*(base%131072/4+i)+4*lane)
			}
		}
	}
	return addrs
}

// enter empties the L1 for another kernel; where it shares its store with shared
// memory it gets what the smallest carve-out that holds the kernel's CTAs leaves.
func (u *nLSU) enter(n *naive, k *nKernel) {
	c := &n.cfg.L1
	size := c.Bytes
	if c.Unified > 0 {
		ctas, _ := n.cfg.Residency(&k.tk)
		taken := n.cfg.SM.SharedBytes
		for _, carve := range slices.Backward(c.Carveouts) {
			if carve >= ctas*k.res.SharedBytes {
				taken = carve
			}
		}
		size = min(c.Bytes, c.Unified-taken)
	}
	u.l1 = &nCache{ways: c.Ways * size / c.Bytes, sets: map[uint64][]*nLine{}}
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

func (u *nLSU) sector(in *trace.Inst, sector uint64, at model.Time, bytes map[uint64]bool, turns int) model.Time {
	c, m, sm := &u.n.cfg.L1, u.n.mem, u.s.id
	per := uint64(c.LineBytes / 32)
	tag := sector / per
	set := tag % uint64(c.Bytes/c.LineBytes/c.Ways)
	at = u.translate(sector, at)
	switch {
	case in.Flags&trace.InstAtomic != 0:
		if l := u.l1.find(set, tag, false); l != nil {
			l.sec[sector%per].valid = false
		}
		return u.wb.reserve(m.turns(sm, trace.InstAtomic, sector, u.queued(at, c.BypassLatency), nil, turns))
	case in.Flags&trace.InstStore != 0 && u.passes(in):
		return m.request(sm, trace.InstStore, sector, u.queued(at, c.BypassLatency), bytes)
	case in.Flags&trace.InstStore != 0:
		m.l1Count.accesses++
		m.l1Count.writes++
		u.store(set, tag, sector%per, at, bytes)
		return m.request(sm, trace.InstStore, sector, u.queued(at, c.Latency), bytes)
	case in.Flags&trace.InstBypassL1 != 0 || !c.GlobalLoads && in.Space != trace.SpaceLocal:
		return u.wb.reserve(m.request(sm, trace.InstLoad, sector, u.queued(at, c.BypassLatency), nil))
	}
	l := u.l1.find(set, tag, true)
	there := l != nil && l.sec[sector%per].whole()
	m.l1Count.note(there, false)
	if there {
		return u.hit(&l.sec[sector%per], at)
	}
	if free := u.pending.admit(at, c.MSHRs); free > at {
		at = free
		u.free = max(u.free, at)
	}
	fill := m.request(sm, trace.InstLoad, sector, u.queued(at, c.Latency), nil)
	u.pending.fills = append(u.pending.fills, fill)
	if l == nil {
		l, _ = u.l1.allocate(set, tag, at)
	}
	if l != nil {
		l.sec[sector%per] = nSector{valid: true, fill: fill, requests: 1}
	}
	return u.wb.reserve(fill)
}

func (u *nLSU) hit(s *nSector, at model.Time) model.Time {
	c := &u.n.cfg.L1
	hit := at + model.Time(c.Latency) + 4
	switch {
	case s.fill <= hit:
		return hit
	case c.Merge > 0 && s.requests >= c.Merge:
		u.free = max(u.free, s.fill)
		return s.fill + model.Time(c.Latency) + 4
	}
	s.requests++
	return u.wb.reserve(s.fill)
}

func (u *nLSU) store(set, tag, sec uint64, at model.Time, bytes map[uint64]bool) {
	keep := u.n.cfg.L1.WriteAllocate
	l := u.l1.find(set, tag, keep)
	if keep && l == nil {
		l, _ = u.l1.allocate(set, tag, at)
	}
	switch {
	case l == nil:
	case !keep:
		l.sec[sec].valid = false
	default:
		l.sec[sec].write(bytes, at)
	}
}

// nChannel is a DRAM channel.
type nChannel struct {
	cfg           *model.Config
	queue         nQueue
	bus           *nPort // in bursts
	banks         []nBank
	turn, lastAct model.Time
	everAct       bool
	pending       nCycles      // with a request
	works         []model.Time // cycles without refresh, as far as anybody looked
}

// working is the number of cycles before t that have no refresh.
func (c *nChannel) working(t model.Time) model.Time {
	d := &c.cfg.DRAM
	next := model.Time(0)
	if n := len(c.works); n > 0 {
		next = c.works[n-1] + 1
	}
	for ; len(c.works) == 0 || c.works[len(c.works)-1] < t; next++ {
		if d.TREFI == 0 || int(next)%d.TREFI < d.TREFI-d.TRFC {
			c.works = append(c.works, next)
		}
	}
	i, _ := slices.BinarySearch(c.works, t)
	return model.Time(i)
}

// cycle is where working cycle w is.
func (c *nChannel) cycle(w model.Time) model.Time {
	for t := w; ; t += 100 {
		if c.working(t) > w {
			return c.works[w]
		}
	}
}

// interval is that of working cycle w between refreshes.
func (c *nChannel) interval(w model.Time) model.Time {
	if c.cfg.DRAM.TREFI == 0 {
		return 0
	}
	return c.cycle(w) / model.Time(c.cfg.DRAM.TREFI)
}

type nBank struct {
	rows                    []nRow // as opened, the open one last
	lastAct, lastCol, wrote model.Time
	everCol                 bool
}

type nRow struct {
	row        uint64
	open, last model.Time
	interval   model.Time
}

func newNChannel(c *model.Config) *nChannel {
	return &nChannel{cfg: c, queue: nQueue{size: c.DRAM.Window}, bus: port(1, 1), banks: make([]nBank, c.DRAM.Banks), pending: cycles()}
}

func (c *nChannel) access(sector uint64, t model.Time, write bool) (done model.Time, hit bool) {
	d := &c.cfg.DRAM
	clock := port(c.cfg.Clock.DRAMMHz, c.cfg.Clock.CoreMHz)
	now := ceilDiv((t+model.Time(d.Latency))*clock.clock, clock.against)
	row := sector / 8 / uint64(d.Channels) * 8 / uint64(d.RowBytes/32)
	n := uint64(d.Banks)
	b := &c.banks[(row^row/n)%n]
	cmd, hit := c.open(b, row/n, c.working(now))
	delay := model.Time(d.TCL)
	if write {
		delay = model.Time(d.TWL)
	} else if c.turn > cmd {
		cmd = min(c.turn, cmd) + model.Time(d.TCDLR)
	}
	if gap := cmd - b.lastCol; b.everCol && gap >= 0 && gap < model.Time(d.TCCD) {
		cmd = b.lastCol + model.Time(d.TCCD)
	}
	b.lastCol, b.everCol = max(b.lastCol, cmd), true
	burst := ceilDiv(32, model.Time(d.BusBytes*d.DataRate))
	data := c.bus.reserve(ceilDiv(cmd+delay, burst)) * burst
	r := &b.rows[len(b.rows)-1]
	r.last = max(r.last, data)
	if write {
		c.turn = data + burst
		b.wrote = max(b.wrote, c.turn)
	}
	done = ceilDiv((c.cycle(data+burst-1)+1)*clock.against, clock.clock)
	c.queue.leaves = append(c.queue.leaves, done)
	return done, hit
}

// open gives the first column command of a row: at once if it is open, or among
// the last four and still served.
func (c *nChannel) open(b *nBank, row uint64, now model.Time) (cmd model.Time, hit bool) {
	d := &c.cfg.DRAM
	for i := len(b.rows) - 1; i >= 0 && i >= len(b.rows)-4; i-- {
		if r := &b.rows[i]; r.row == row && r.interval == c.interval(now) && (i == len(b.rows)-1 || r.last >= now) {
			if i < len(b.rows)-1 {
				r.last++
			}
			return max(now, r.open), true
		}
	}
	act := now
	if len(b.rows) > 0 && b.rows[len(b.rows)-1].interval == c.interval(now) {
		pre := max(now, b.rows[len(b.rows)-1].last, b.lastAct+model.Time(d.TRAS))
		if b.wrote > 0 {
			pre = max(pre, b.wrote+model.Time(d.TWR))
		}
		act = max(pre+model.Time(d.TRP), b.lastAct+model.Time(d.TRC))
	}
	if gap := act - c.lastAct; c.everAct && gap >= 0 && gap < model.Time(d.TRRD) {
		act = c.lastAct + model.Time(d.TRRD)
	}
	if after := now; c.interval(act+model.Time(d.TRCD)) > c.interval(now) {
		for c.interval(after) == c.interval(now) {
			after++
		}
		return c.open(b, row, after)
	}
	b.lastAct = act
	c.lastAct, c.everAct = max(c.lastAct, act), true
	b.rows = append(b.rows, nRow{row: row, open: act + model.Time(d.TRCD), interval: c.interval(act)})
	return b.rows[len(b.rows)-1].open, false
}
