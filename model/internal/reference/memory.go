package reference

import (
	"maps"
	"math"
	"slices"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// nPort is a port of some clock: its taken cycles, as far as a port remembers.
type nPort struct {
	nCycles
	clock, against model.Time // kHz
}

func port(mhz, core float64) *nPort {
	return &nPort{cycles(), model.Time(float64(mhz*1000) + 0.5), model.Time(float64(core*1000) + 0.5)}
}

// nCycles are the cycles that have been taken. Of 64 cycles, the earlier are forgotten
// when one of those a window of 16,384 later is taken (docs/model, choice 3).
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
	fetch        *nFetch // whose time is unknown
	requests     int
}

// whole: every byte has been fetched or written.
func (s *nSector) whole() bool { return s.valid && (s.written == nil || len(s.written) == 32) }

type nLine struct {
	tag uint64
	per uint64 // sectors of a line
	sec [4]nSector

	written bool // of an L1
}

func (l *nLine) at(sector uint64) *nSector { return &l.sec[sector%l.per] }

// whole reports whether sectors are there or on their way, all of them.
func (l *nLine) whole(sectors []uint64) bool {
	return l != nil && !slices.ContainsFunc(sectors, func(s uint64) bool { return !l.at(s).whole() })
}

// filled is when the last of some sectors is.
func (l *nLine) filled(sectors []uint64) (t model.Time) {
	for _, s := range sectors {
		t = max(t, l.at(s).fill)
	}
	return t
}

// joins adds a request to the ones that wait for the fetch of a sector, if there is room.
func (l *nLine) joins(sector uint64, blockBytes, room int) bool {
	first := l.at(wholeBlock(sector, blockBytes)[0])
	if room > 0 && first.requests >= room {
		return false
	}
	first.requests++
	return true
}

// fetch fills sectors at a time.
func (l *nLine) fetch(sectors []uint64, t model.Time) {
	for _, s := range sectors {
		if l != nil {
			d := l.at(s).dirty
			*l.at(s) = nSector{valid: true, dirty: d, fill: t, requests: 1}
		}
	}
}

func (l *nLine) write(sector uint64, blockBytes int, bytes map[uint64]bool, t model.Time) {
	s, block := l.at(sector), wholeBlock(sector, blockBytes)
	if !slices.ContainsFunc(block, func(x uint64) bool { return l.at(x).valid }) {
		l.at(block[0]).requests = 0
	}
	if !s.valid {
		*s = nSector{valid: true, dirty: s.dirty, fill: t, written: map[uint64]bool{}}
	}
	if s.written != nil {
		maps.Copy(s.written, bytes)
	}
}

// drop takes sectors out of a line, if it is there.
func (c *nCache) drop(set, tag uint64, sectors []uint64) {
	if l := c.find(set, tag, false); l != nil {
		for _, s := range sectors {
			l.at(s).valid = false
		}
	}
}

// nCache has the lines of each set from the least to the most recently used.
type nCache struct {
	ways int
	per  uint64 // sectors of a line
	sets map[uint64][]*nLine

	lines, ratio int // written lines stay while they are fewer than this percentage of all
}

// keeps reports whether a written line may not be replaced.
func (c *nCache) keeps() bool {
	written := 0
	if c.ratio == 0 {
		return false
	}
	for _, set := range c.sets {
		for _, l := range set {
			if l.written {
				written++
			}
		}
	}
	return 100*written < c.ratio*c.lines
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
	l = &nLine{tag: tag, per: c.per}
	if len(c.sets[set]) < c.ways {
		c.sets[set] = append(c.sets[set], l)
		return l, nil
	}
	keeps := c.keeps()
	for i, o := range c.sets[set] {
		idle := !o.written || !keeps
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

// nCount is the counts of one level, in the order of a memory record.
type nCount struct{ accesses, hits, misses, reads, writes uint64 }

func (c *nCount) note(hit, write bool, sectors int) {
	n := uint64(sectors)
	c.accesses += n
	if write {
		c.writes += n
	} else {
		c.reads += n
	}
	if hit {
		c.hits += n
	} else {
		c.misses += n
	}
}

type nMemory struct {
	sums                         map[float64][]float64 // times of the cycles of clocks, in MHz, added up
	l1Count, l2Count, dramCount  nCount
	cfg                          *hardware.Config
	out, in, sliceIn, sliceOut   []*nPort
	past, slicePort              []*nPort // past: of requests that bypass the L1 of the cycle engine
	misses, waiting, sliceMisses []*nQueue
	owed, sliceOwed, blocked     []model.Time
	lastSlice                    []int
	l2                           []*nCache
	pending                      []nMSHRs
	chans                        []*nChannel
	net                          *nNetwork
	control                      []*nController // of the cycle engine
	unknown                      []int          // fetches of each slice whose times are unknown
	waits                        *nFetch        // that the answer at hand waits for
	drove                        int            // sectors that the request at hand has driven out
	own                          bool           // a unit of the machine accesses, which waits for nothing
}

func newNMemory(c *hardware.Config) *nMemory {
	m := &nMemory{
		cfg: c, owed: make([]model.Time, c.SM.Count), lastSlice: make([]int, c.SM.Count),
		sliceOwed: make([]model.Time, c.L2.Slices), blocked: make([]model.Time, c.L2.Slices),
		pending: make([]nMSHRs, c.L2.Slices),
	}
	for range c.SM.Count {
		m.out, m.in = append(m.out, port(c.Clock.IcntMHz, c.Clock.CoreMHz)),
			append(m.in, port(c.Clock.IcntMHz, c.Clock.CoreMHz))
		m.past = append(m.past, port(c.Clock.IcntMHz, c.Clock.CoreMHz))
		m.misses = append(m.misses, &nQueue{size: c.L1.MissQueue + c.Icnt.Queue})
	}
	for range c.L2.Slices {
		m.slicePort = append(m.slicePort, port(c.Clock.IcntMHz, c.Clock.CoreMHz))
		m.sliceIn, m.sliceOut = append(m.sliceIn, port(c.Clock.L2MHz, c.Clock.CoreMHz)),
			append(m.sliceOut, port(c.Clock.IcntMHz, c.Clock.CoreMHz))
		m.waiting, m.sliceMisses = append(m.waiting, &nQueue{size: c.L2.Queue + c.Icnt.Queue}),
			append(m.sliceMisses, &nQueue{size: c.L2.MissQueue})
		m.l2 = append(m.l2, &nCache{ways: c.L2.Ways, per: uint64(c.L2.LineBytes / 32), sets: map[uint64][]*nLine{}})
	}
	for range c.DRAM.Channels {
		m.chans = append(m.chans, newNChannel(c))
	}
	m.net, m.unknown = newNNetwork(m), make([]int, c.L2.Slices)
	for _, ch := range m.chans {
		if c.CycleMemory() {
			m.control = append(m.control, newNController(m, ch))
		}
	}
	return m
}

// request sends a request, which its slice takes for its turns, and returns when the
// answer is back.
func (m *nMemory) request(sm int, kind trace.InstFlags, r *nAsked, t model.Time) model.Time {
	m.own = true
	defer func() { m.own = false }()
	i, lat := nSlice(m.cfg, r.sectors[0]), model.Time(m.cfg.Icnt.Latency)
	leave := m.out[sm].packet(t, m.flits(kind != trace.InstLoad, r))
	t = m.slicePort[i].reserve(m.waiting[i].room(leave + lat))
	if m.cfg.Icnt.HeadOfLine && !m.cfg.CycleMemory() {
		if m.lastSlice[sm] == i+1 && m.owed[sm] < 0 {
			m.owed[sm] = 0
		}
		m.lastSlice[sm] = i + 1
		m.owed[sm] += m.mean(m.slicePort[i], leave+lat, m.cfg.SM.Count, m.cfg.L2.Slices) - 256*(t-lat-leave)
		m.out[sm].hold(leave, t-lat-leave+due(&m.owed[sm]))
		leave = t - lat
	}
	m.misses[sm].leaves = append(m.misses[sm].leaves, leave)
	behind := model.Time(0) // the latency that lies before the slice
	if m.control != nil {
		behind = model.Time(m.cfg.L2.Latency)
	}
	t = m.sliceIn[i].reserve(max(t+behind, m.blocked[i]))
	m.waiting[i].leaves = append(m.waiting[i].leaves, t-behind)
	return m.serve(i, sm, kind, r, t)
}

// flits is how many a packet has, with or without the data of a request.
func (m *nMemory) flits(data bool, r *nAsked) int {
	bytes := 8
	if data {
		_, n := r.carries()
		bytes += 32 * n
	}
	return (bytes + m.cfg.Icnt.FlitBytes - 1) / m.cfg.Icnt.FlitBytes
}

// serve has slice i take a request at t and returns when the answer is back.
func (m *nMemory) serve(i, sm int, kind trace.InstFlags, r *nAsked, t model.Time) model.Time {
	lat, flits := model.Time(m.cfg.Icnt.Latency), m.flits(kind != trace.InstStore, r)
	t, _ = m.perform(i, kind, r, t)
	leave := m.sliceOut[i].packet(t, flits)
	if m.cfg.Icnt.HeadOfLine {
		m.sliceOwed[i] += m.mean(m.in[sm%m.net.ports], leave+lat, m.cfg.L2.Slices, m.cfg.SM.Count)
		m.sliceOut[i].hold(leave, due(&m.sliceOwed[i]))
	}
	return m.in[sm%m.net.ports].packet(leave+lat, flits)
}

// mean is for how long the head of an input waits on the average for an output from t
// on, in 256th parts of a cycle.
func (m *nMemory) mean(output *nPort, t model.Time, inputs, outputs int) model.Time {
	c := ceilDiv(t*output.clock, output.against)
	taken := 0
	for x := max(0, c/64*64-128); x < c/64*64; x++ {
		if output.has(x) {
			taken++
		}
	}
	ratio := float64(inputs) / float64(outputs)
	share := min(float64(taken)/128, 1+ratio-math.Sqrt(1+float64(ratio*ratio)))
	return model.Time(math.Round(256 * share / (2 * (1 - share))))
}

// due takes the whole cycles that are owed. Up to 128 cycles of overpayment are remembered.
func due(owed *model.Time) (cycles model.Time) {
	*owed = max(*owed, -128*256)
	for *owed >= 256 {
		*owed -= 256
		cycles++
	}
	return cycles
}

// hold takes the next free cycles of a port, as many as so many SM cycles are.
func (p *nPort) hold(t, cycles model.Time) {
	c := t * p.clock / p.against
	for left := ceilDiv(cycles*p.clock, p.against); left > 0; c++ {
		if !p.has(c) {
			p.take(c)
			left--
		}
	}
}

// place is the set and the tag of a sector in its slice.
func (m *nMemory) place(sector uint64) (set, tag uint64) {
	tag = sector / uint64(m.cfg.L2.LineBytes/32)
	return nSet(m.cfg, tag), tag
}

// store performs a store in slice i, behind its latency.
func (m *nMemory) store(i int, r *nAsked, t model.Time) model.Time {
	set, tag := m.place(r.sectors[0])
	l := m.l2[i].find(set, tag, true)
	from, n := r.carries()
	if !m.cfg.L2.WriteBack {
		var there []uint64
		for _, s := range wholeBlock(r.sectors[0], m.cfg.L2.SectorBytes) {
			if l != nil && l.at(s).valid {
				there = append(there, s)
			}
		}
		hit := len(there) > 0 && l.filled(there) <= t
		if hit {
			m.l2[i].drop(set, tag, there)
		}
		m.l2Count.note(hit, true, len(r.sectors))
		return m.pass(i, from, n, t)
	}
	if l == nil {
		if l = m.room(i, set, tag, t); l == nil {
			m.l2Count.note(false, true, len(r.sectors))
			return m.pass(i, from, n, t)
		}
	}
	for _, s := range r.sectors {
		m.l2Count.note(l.at(s).valid, true, 1)
		l.write(s, m.cfg.L2.SectorBytes, r.bytes[s], t)
		l.at(s).dirty = true
		if m.control != nil {
			l.overwrite(s, m.cfg.L2.SectorBytes, r.bytes[s], t)
		}
	}
	return t + 1
}

// load performs a load or an atomic in slice i, behind its latency. It returns whether the request waited for a
// fill.
func (m *nMemory) load(i int, r *nAsked, t model.Time) (done model.Time, stood bool) {
	set, tag := m.place(r.sectors[0])
	rop := model.Time(0) // it is over
	if m.control == nil {
		rop = model.Time(m.cfg.L2.Latency)
	}
	l := m.l2[i].find(set, tag, true)
	there := l.whole(r.sectors)
	m.l2Count.note(there, false, len(r.sectors))
	if there && l.unknown(r.sectors) != nil {
		return m.join(l, r, t), false
	}
	if there {
		fill := l.filled(r.sectors)
		there := fill
		if m.cfg.CycleMemory() {
			there--
		}
		if there <= t {
			return t + 1, false
		}
		if !l.joins(r.sectors[0], m.cfg.L2.SectorBytes, m.cfg.L2.Merge) {
			m.blocked[i] = max(m.blocked[i], fill-rop)
			return there + 1, true
		}
		return fill + 1, false
	}
	if m.control == nil || m.own {
		if free := m.pending[i].admit(t, m.cfg.L2.MSHRs); free > t {
			t = free
			m.blocked[i] = max(m.blocked[i], t-rop)
		}
	}
	block := wholeBlock(r.sectors[0], m.cfg.L2.SectorBytes)
	if m.control != nil {
		return m.miss(i, block, l, set, tag, t), false
	}
	fill := m.dram(i, block[0], len(block), t, false)
	m.pending[i].fills = append(m.pending[i].fills, fill)
	if l == nil {
		l = m.room(i, set, tag, t)
	}
	l.fetch(block, fill)
	return fill + 1, false
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
		i := nSlice(m.cfg, s)
		set := nSet(m.cfg, s/per)
		l := m.l2[i].find(set, s/per, true)
		if l == nil {
			l = m.room(i, set, s/per, t)
		}
		if l != nil {
			*l.at(s) = nSector{valid: true, dirty: m.cfg.L2.WriteBack, fill: t}
		}
	}
}

func (m *nMemory) dram(i int, sector uint64, n int, t model.Time, write bool) model.Time {
	c := m.chans[i/max(1, m.cfg.L2.Slices/m.cfg.DRAM.Channels)%m.cfg.DRAM.Channels]
	if enter := m.sliceMisses[i].room(t); enter > t {
		t = enter
		m.blocked[i] = max(m.blocked[i], t-model.Time(m.cfg.L2.Latency))
	}
	t = c.held.room(t+model.Time(m.cfg.DRAM.Latency)) - model.Time(m.cfg.DRAM.Latency)
	m.sliceMisses[i].leaves = append(m.sliceMisses[i].leaves, t)
	done, hit := c.access(sector, n, t, write)
	m.dramCount.note(hit, write, 1)
	m.dramCount.note(true, write, n-1)
	for x := t + model.Time(m.cfg.DRAM.Latency); x < done; x++ {
		if !c.pending.has(x) {
			c.pending.take(x)
		}
	}
	return done
}
