package reference

import (
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

// nLaPerm is LaPerm's CTA scheduler (LaPerm paper, section IV).
type nLaPerm struct {
	n               *Machine
	scheme          string
	levels, entries int
	turn            int
	helps           map[int]int           // whose queues an SM takes from
	chip            map[uint32]model.Time // entries on chip, and since when
	memory          map[uint32]bool       // entries that had no room
}

// nChoice is a kernel's own grid or a group, which can be placed.
type nChoice struct {
	k           *nKernel
	item, level int
	sm          int // -1: of the host
	id          uint32
	left        int
	since       model.Time
}

func newNLaPerm(n *Machine, args map[string]string, number func(string, int) int) *nLaPerm {
	p := &nLaPerm{
		n: n, scheme: "adaptive", levels: number("levels", 4), entries: number("entries", 128), helps: map[int]int{},
		chip: map[uint32]model.Time{}, memory: map[uint32]bool{},
	}
	if s := args["scheme"]; s != "" {
		p.scheme = s
	}
	return p
}

// asked is the request that a CTA comes from.
func (c *nCTA) asked() *nRequest {
	if c.item.group != nil {
		return c.item.group.r
	}
	return c.k.request
}

func (c *nCTA) level() int {
	if r := c.asked(); r != nil {
		return r.parent.level() + 1
	}
	return 0
}

// choices are the CTAs that can be placed in this cycle.
func (p *nLaPerm) choices() (all []*nChoice) {
	for _, k := range p.n.entries {
		groups := map[*nGroup]*nChoice{}
		for i := k.next; i < len(k.items); i++ {
			g := k.items[i].group
			if c := groups[g]; c != nil {
				c.left++
				continue
			}
			c := &nChoice{k: k, item: i, sm: -1, id: k.id, left: 1, since: k.dispatch}
			groups[g] = c
			r := k.request
			if g != nil {
				r, c.id, c.since = g.r, g.r.child.id, g.from-1
			}
			if r != nil {
				c.level, c.sm = min(p.levels, r.parent.level()+1), r.parent.sm.id
			}
			if p.n.known(g) {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *nChoice) int { return int(a.since - b.since) })
	return all
}

// place puts one CTA on an SM.
func (p *nLaPerm) place() {
	n := p.n
	ahead := n.table.ahead
	for _, k := range n.entries {
		if n.pointAt(k, ahead); len(k.groups) > 0 {
			ahead = min(ahead, 1)
		}
	}
	all := p.choices()
	p.bring(all)
	for i := range n.sms {
		s := n.sms[(p.turn+i)%len(n.sms)]
		c := p.pick(all, s.id)
		if c == nil || !n.fits(c.k, s) {
			continue
		}
		p.turn = (s.id + 1) % len(n.sms)
		if c.left == 1 {
			delete(p.chip, c.id)
			delete(p.memory, c.id)
		}
		item := c.k.items[c.item]
		c.k.items = slices.Insert(slices.Delete(slices.Clone(c.k.items), c.item, c.item+1), c.k.next, item)
		n.start(c.k, s)
		return
	}
}

// home is the SM in whose queues an entry is.
func (p *nLaPerm) home(c *nChoice) int {
	if p.scheme == "tb-pri" && c.sm > 0 {
		return 0
	}
	return c.sm
}

// bring brings entries on chip.
func (p *nLaPerm) bring(all []*nChoice) {
	for sm := range p.n.sms {
		room := p.entries
		if p.scheme == "tb-pri" {
			room *= len(p.n.sms)
		}
		for _, c := range all {
			if _, on := p.chip[c.id]; on && p.home(c) == sm {
				room--
			}
		}
		for _, c := range all {
			if _, on := p.chip[c.id]; on || p.home(c) != sm {
				continue
			}
			if room <= 0 {
				p.memory[c.id] = true
				continue
			}
			room--
			p.chip[c.id] = p.n.t
			if p.memory[c.id] {
				p.chip[c.id] = p.n.mem.request(0, trace.InstLoad, &nAsked{sectors: []uint64{1<<58 + 1<<57 + uint64(c.id)}}, p.n.t)
			}
		}
	}
}

// first is the first entry of the highest level of an SM's queues.
func (p *nLaPerm) first(all []*nChoice, sm int) (best *nChoice) {
	for _, c := range all {
		if p.home(c) == sm && (sm < 0 || p.chip[c.id] <= p.n.t && p.on(c)) && (best == nil || c.level > best.level) {
			best = c
		}
	}
	return best
}

func (p *nLaPerm) on(c *nChoice) bool { _, on := p.chip[c.id]; return on }

// pick is the choice of an SM.
func (p *nLaPerm) pick(all []*nChoice, sm int) *nChoice {
	own := sm
	if p.scheme == "tb-pri" {
		own = 0
	}
	for _, q := range []int{own, -1} {
		if c := p.first(all, q); c != nil {
			return c
		}
	}
	if p.scheme != "adaptive" {
		return nil
	}
	from, helps := p.helps[sm]
	if !helps {
		from = sm + 1
	}
	for i := range p.n.sms {
		if b := (from + i) % len(p.n.sms); p.first(all, b) != nil {
			p.helps[sm] = b
			return p.first(all, b)
		}
	}
	return nil
}
