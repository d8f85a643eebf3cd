package model_test

import (
	"maps"
	"math/bits"
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

// nPort is a port of some clock: its taken cycles, as far as a port remembers.
type nPort struct {
	nCycles
	clock, against model.Time // kHz
}

func port(mhz, core float64) *nPort {
	return &nPort{cycles(), model.Time(mhz*1000 + 0.5), model.Time(core*1000 + 0.5)}
}

// nCycles are the cycles that have been taken. Of 64 cycles, the earlier are forgotten
// when one of those a window of 16,384 later is taken (MODEL.md, choice 3).
type nCycles struct {
	taken  map[model.Time]bool
	latest map[model.Time]model.Time // by place in the window
}

func cycles() nCycles { return nCycles{map[model.Time]bool{}, map[model.Time]model.Time{}} }

// has reports whether cycle c is taken; one that is forgotten counts as taken.
func (n *nCycles) has(c model.Time) bool { return n.taken[c] || n.latest[c/64%256] > c/64 }

func (n *nCycles) take(c model.Time) {
	n.taken[c], n.latest[c/64%256] = true, c/64
}

func ceilDiv(a, b model.Time) model.Time { return (a + b - 1) / b }

func (p *nPort) reserve(t model.Time) model.Time {
	c := ceilDiv(t*p.clock, p.against)
	for p.has(c) {
		c++
	}
	p.take(c)
	return ceilDiv(c*p.against, p.clock)
}

func (p *nPort) packet(t model.Time, flits int) model.Time {
	for range flits {
		t = p.reserve(t)
	}
	return t
}

// nQueue holds so many; all leaving times are kept.
type nQueue struct {
	size   int
	leaves []model.Time
}

func (q *nQueue) room(t model.Time) model.Time {
	if n := len(q.leaves) - q.size; n >= 0 {
		t = max(t, q.leaves[n])
	}
	return t
}

type nSector struct {
	valid, dirty bool
	written      map[uint64]bool // of a sector that was not fetched: its bytes
	fill         model.Time
	requests     int
}

// whole: every byte has been fetched or written.
func (s *nSector) whole() bool { return s.valid && (s.written == nil || len(s.written) == 32) }

func (s *nSector) write(bytes map[uint64]bool, t model.Time) {
	if !s.valid {
		s.valid, s.fill, s.requests, s.written = true, t, 0, map[uint64]bool{}
	}
	if s.written != nil {
		maps.Copy(s.written, bytes)
	}
}

type nLine struct {
	tag uint64
	sec [4]nSector
}

// nCache has the lines of each set from the least to the most recently used.
type nCache struct {
	ways int
	sets map[uint64][]*nLine
}

func (c *nCache) find(set, tag uint64, touch bool) *nLine {
	for i, l := range c.sets[set] {
		if l.tag == tag {
			if touch {
				c.sets[set] = append(slices.Delete(c.sets[set], i, i+1), l)
			}
			return l
		}
	}
	return nil
}

// allocate returns a new line and the one that it drives out, if any.
func (c *nCache) allocate(set, tag uint64, t model.Time) (l, out *nLine) {
	l = &nLine{tag: tag}
	if len(c.sets[set]) < c.ways {
		c.sets[set] = append(c.sets[set], l)
		return l, nil
	}
	for i, o := range c.sets[set] {
		idle := true
		for _, s := range o.sec {
			idle = idle && (!s.valid || s.fill <= t)
		}
		if idle {
			c.sets[set] = append(slices.Delete(c.sets[set], i, i+1), l)
			return l, o
		}
	}
	return nil, nil
}

// nCount is what one level counts, in the order of a memory record.
type nCount struct{ accesses, hits, misses, reads, writes uint64 }

func (c *nCount) note(hit, write bool) {
	c.accesses++
	if write {
		c.writes++
	} else {
		c.reads++
	}
	if hit {
		c.hits++
	} else {
		c.misses++
	}
}

type nMemory struct {
	l1Count, l2Count, dramCount  nCount
	cfg                          *model.Config
	out, in, sliceIn, sliceOut   []*nPort
	misses, waiting, sliceMisses []*nQueue
	held, blocked                []model.Time
	l2                           []*nCache
	pending                      []nMSHRs
	chans                        []*nChannel
}

func newNMemory(c *model.Config) *nMemory {
	m := &nMemory{cfg: c, held: make([]model.Time, c.SM.Count), blocked: make([]model.Time, c.L2.Slices), pending: make([]nMSHRs, c.L2.Slices)}
	for range c.SM.Count {
		m.out, m.in = append(m.out, port(c.Clock.IcntMHz, c.Clock.CoreMHz)), append(m.in, port(c.Clock.IcntMHz, c.Clock.CoreMHz))
		m.misses = append(m.misses, &nQueue{size: c.L1.MissQueue})
	}
	for range c.L2.Slices {
		m.sliceIn, m.sliceOut = append(m.sliceIn, port(c.Clock.L2MHz, c.Clock.CoreMHz)), append(m.sliceOut, port(c.Clock.IcntMHz, c.Clock.CoreMHz))
		m.waiting, m.sliceMisses = append(m.waiting, &nQueue{size: c.L2.Queue}), append(m.sliceMisses, &nQueue{size: c.L2.MissQueue})
		m.l2 = append(m.l2, &nCache{ways: c.L2.Ways, sets: map[uint64][]*nLine{}})
	}
	for range c.DRAM.Channels {
		m.chans = append(m.chans, newNChannel(c))
	}
	return m
}

func (m *nMemory) slice(sector uint64) int {
	chunk, n := sector/8, uint64(m.cfg.L2.Slices)
	if m.cfg.L2.Hash == "linear" {
		return int(chunk % n)
	}
	hi, _ := bits.Mul64((chunk^chunk>>7^chunk>>13)*0x9E3779B97F4A7C15, n)
	return int(hi)
}

// request sends one sector's request and returns when its answer is back.
func (m *nMemory) request(sm int, kind trace.InstFlags, sector uint64, t model.Time, bytes map[uint64]bool) model.Time {
	return m.turns(sm, kind, sector, t, bytes, 1)
}

// turns is request where the slice takes it for so many of its cycles.
func (m *nMemory) turns(sm int, kind trace.InstFlags, sector uint64, t model.Time, bytes map[uint64]bool, n int) model.Time {
	flits := map[bool]int{false: (8 + m.cfg.Icnt.FlitBytes - 1) / m.cfg.Icnt.FlitBytes, true: (40 + m.cfg.Icnt.FlitBytes - 1) / m.cfg.Icnt.FlitBytes}
	i, lat := m.slice(sector), model.Time(m.cfg.Icnt.Latency)
	t = m.out[sm].packet(max(t, m.held[sm]), flits[kind != trace.InstLoad])
	m.misses[sm].leaves = append(m.misses[sm].leaves, t)
	t += lat
	if enter := m.waiting[i].room(t); enter > t {
		t, m.held[sm] = enter, max(m.held[sm], enter-lat)
	}
	t = m.sliceIn[i].reserve(max(t, m.blocked[i]))
	m.waiting[i].leaves = append(m.waiting[i].leaves, t)
	for range n - 1 {
		t = m.sliceIn[i].reserve(t)
	}
	t = m.serve(i, kind, sector, t, bytes)
	t = m.sliceOut[i].packet(t, flits[kind != trace.InstStore]) + lat
	return m.in[sm].packet(t, flits[kind != trace.InstStore])
}

// serve is what slice i does for a request that it takes at t.
func (m *nMemory) serve(i int, kind trace.InstFlags, sector uint64, t model.Time, bytes map[uint64]bool) model.Time {
	per := uint64(m.cfg.L2.LineBytes / 32)
	tag, rop := sector/per, model.Time(m.cfg.L2.Latency)
	sets := uint64(m.cfg.L2.Bytes / m.cfg.L2.Slices / m.cfg.L2.LineBytes / m.cfg.L2.Ways)
	set := tag * 0x9E3779B97F4A7C15 >> 33 % sets
	t += rop
	l := m.l2[i].find(set, tag, true)
	there := l != nil && l.sec[sector%per].valid
	m.l2Count.note(there && (kind == trace.InstStore || l.sec[sector%per].whole()), kind == trace.InstStore)
	if kind == trace.InstStore {
		if l == nil {
			if l = m.room(i, set, tag, t); l == nil {
				return m.dram(i, sector, t, true)
			}
		}
		s := &l.sec[sector%per]
		s.write(bytes, t)
		s.dirty = true
		return t + 1
	}
	defer func() {
		if l := m.l2[i].find(set, tag, true); l != nil && kind == trace.InstAtomic {
			l.sec[sector%per].dirty = true
		}
	}()
	if l != nil && l.sec[sector%per].whole() {
		s := &l.sec[sector%per]
		if s.fill <= t {
			return t + 1
		}
		if s.requests >= m.cfg.L2.Merge && m.cfg.L2.Merge > 0 {
			m.blocked[i] = max(m.blocked[i], s.fill-rop)
		} else {
			s.requests++
		}
		return s.fill + 1
	}
	if free := m.pending[i].admit(t, m.cfg.L2.MSHRs); free > t {
		t = free
		m.blocked[i] = max(m.blocked[i], t-rop)
	}
	fill := m.dram(i, sector, t, false)
	m.pending[i].fills = append(m.pending[i].fills, fill)
	if l == nil {
		l = m.room(i, set, tag, t)
	}
	if l != nil {
		s := &l.sec[sector%per]
		s.valid, s.written, s.fill, s.requests = true, nil, fill, 1
	}
	return fill + 1
}

// pendingCycles is for how many cycles channels had a request pending.
func (m *nMemory) pendingCycles() (n int) {
	for _, c := range m.chans {
		n += len(c.pending.taken)
	}
	return n
}

// warm leaves a copy's bytes in the L2, dirty; of a large copy the last.
func (m *nMemory) warm(addr, bytes uint64, t model.Time) {
	first, end := addr/32, (addr+bytes+31)/32
	if most := uint64(m.cfg.L2.Bytes); bytes > most {
		first = (addr + bytes - most) / 32
	}
	per := uint64(m.cfg.L2.LineBytes / 32)
	for s := first; s < end && bytes > 0; s++ {
		i := m.slice(s)
		set := s / per * 0x9E3779B97F4A7C15 >> 33 % uint64(m.cfg.L2.Bytes/m.cfg.L2.Slices/m.cfg.L2.LineBytes/m.cfg.L2.Ways)
		l := m.l2[i].find(set, s/per, true)
		if l == nil {
			l = m.room(i, set, s/per, t)
		}
		if l != nil {
			l.sec[s%per] = nSector{valid: true, dirty: true, fill: t}
		}
	}
}

// room allocates a line of slice i and writes back what it drives out.
func (m *nMemory) room(i int, set, tag uint64, t model.Time) *nLine {
	l, out := m.l2[i].allocate(set, tag, t)
	if out != nil {
		for s := range out.sec {
			if out.sec[s].dirty {
				m.dram(i, out.tag*uint64(m.cfg.L2.LineBytes/32)+uint64(s), t, true)
			}
		}
	}
	return l
}

func (m *nMemory) dram(i int, sector uint64, t model.Time, write bool) model.Time {
	c := m.chans[i/max(1, m.cfg.L2.Slices/m.cfg.DRAM.Channels)%m.cfg.DRAM.Channels]
	if enter := m.sliceMisses[i].room(t); enter > t {
		t = enter
		m.blocked[i] = max(m.blocked[i], t-model.Time(m.cfg.L2.Latency))
	}
	t = c.queue.room(t+model.Time(m.cfg.DRAM.Latency)) - model.Time(m.cfg.DRAM.Latency)
	m.sliceMisses[i].leaves = append(m.sliceMisses[i].leaves, t)
	done, hit := c.access(sector, t, write)
	m.dramCount.note(hit, write)
	for x := t + model.Time(m.cfg.DRAM.Latency); x < done; x++ {
		if !c.pending.has(x) {
			c.pending.take(x)
		}
	}
	return done
}
