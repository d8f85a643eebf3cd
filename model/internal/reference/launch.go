package reference

import (
	"fmt"
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

// nWay is the outcome of a request.
type nWay int

const (
	nRefuse nWay = iota // it runs in the parent's lanes
	nDevice
	nJoin
	nKeep // it is launched with others (klap.go)
)

// nRequest is one lane's request.
type nRequest struct {
	l      trace.Launch
	parent *nCTA
	child  *nKernel
	hwq    int
	thread int         // hardware thread of the lane
	joined []*nRequest // that wait for it to enter the distributor
	behind []*nRequest // launched with it
	answer nAnswer
}

// nAnswer is the outcome of a request, with the registers that SPAWN saw.
type nAnswer struct {
	way                  model.Decision
	asked, first         model.Time
	spilled              bool
	entry                int32
	n, nCon, tCTA, tWarp int64
	tChild, tParent      int64
}

func (a nAnswer) String() string {
	type plain nAnswer
	return fmt.Sprintf("%+v", plain(a))
}

// nGroup is an aggregated group that has joined a kernel.
type nGroup struct {
	r            *nRequest
	left         int // CTAs that have not ended
	from         model.Time
	read, placed bool // its record, of a spilled group; a CTA
	loaded       model.Time
}

// nTable is the aggregated group table, and which kernels a group may join.
type nTable struct {
	size, ahead int
	hashed      bool // the lane's thread names the entry; otherwise the one that was freed last
	api         bool // a group that joins none makes the calls of a device kernel
	used        map[int32]bool
	free        []int32              // entries, the next one last
	launched    bool                 // also an earlier group that is on its way
	alone       bool                 // none: each takes an entry of the distributor
	way         map[string]*nRequest // the former, by shape
}

// shape is the properties that a kernel and a group must share.
func (k *nKernel) shape() string { return fmt.Sprint(k.tk.Function, k.tk.Block, k.tk.SharedBytes) }

// key names a CTA: of a group by its kernel and its own grid.
func (c *nCTA) key() [3]uint32 {
	if g := c.item.group; g != nil {
		return [3]uint32{c.k.id, g.r.child.id, c.id}
	}
	if c.item.task != nil {
		return [3]uint32{c.item.def.id, model.NoKernel, c.id}
	}
	return [3]uint32{c.k.id, model.NoKernel, c.id}
}

// ask makes the launch call of w in this cycle.
func (w *nWarp) ask(n *Machine) {
	c := w.cta
	asks := slices.DeleteFunc(slices.Clone(w.w.Launches), func(l trace.Launch) bool { return int(l.At) != w.pc-1 })
	if n.klap != nil && !w.added && n.klap.before(w, asks) {
		return
	}
	ways, launched := map[nWay][]*nRequest{}, uint32(0)
	for _, l := range asks {
		r := &nRequest{l: l, parent: c, child: n.kernels[l.Child], thread: 32*w.slot + int(l.Lane)}
		r.answer = nAnswer{asked: n.t, first: model.Unset, entry: -1}
		x := int64(len(r.child.items))
		way := n.decide(&l, x, r)
		ways[way] = append(ways[way], r)
		if way == nRefuse {
			r.answer.way = model.Inline
			n.requests[l.Child] = r.answer.String()
			continue
		}
		r.answer.way = map[nWay]model.Decision{nDevice: model.DeviceKernel, nJoin: model.Group,
			nKeep: model.DeviceKernel}[way]
		launched |= 1 << l.Lane
		if n.kids.early {
			n.kids.entered += x
		}
		c.kids++
		c.k.kids++
		stream := &c.ownStream
		if !l.SharedSWQ {
			stream = new(int)
		}
		if *stream == 0 {
			*stream = n.streams
			n.streams++
		}
		r.hwq = *stream % len(n.queues)
	}
	until := n.t + 1
	if kept := ways[nKeep]; len(kept) > 0 {
		if n.detached != nil {
			n.detached.kept[c.k] = append(n.detached.kept[c.k], kept...)
		} else {
			ways[nDevice] = append(ways[nDevice], n.klap.called(w, kept)...)
		}
	}
	if kernels := ways[nDevice]; len(kernels) > 0 {
		arrive := n.t + max(1, n.apiLatency(len(kernels)))
		n.post(arrive, nChildPhase, func() { n.arrive(kernels) })
		if n.cfg.Launch.BlocksWarp {
			until = arrive
		}
	}
	if groups := ways[nJoin]; len(groups) > 0 {
		w.holding = n.cfg.Launch.BlocksWarp
		buffer := n.cfg.Launch.ParamBase + n.cfg.Launch.ParamPerLane*len(groups)
		n.post(n.t+model.Time(max(buffer, n.cfg.KMU.Entries+len(groups)-1)+1), nGroupPhase, func() { w.find(n, groups) })
	}
	w.from = max(w.from, until)
	if !w.loop(n, launched) {
		w.inline(n, ways[nRefuse])
	}
}

// apiLatency is the latency of a call by which lanes launch device kernels.
func (n *Machine) apiLatency(lanes int) model.Time {
	l := &n.cfg.Launch
	latency := l.ParamBase + l.DeviceBase + (l.ParamPerLane+l.DevicePerLane)*lanes
	if l.StreamPerChild {
		latency += l.StreamCreate
	}
	return model.Time(latency)
}

// kernelOf makes the kernel of a request.
func (r *nRequest) kernelOf() *nKernel {
	r.child.parent, r.child.request, r.child.hwq = r.parent, r, r.hwq
	r.child.unfold(r.behind)
	return r.child
}

// arrive takes device kernels to the KMU.
func (n *Machine) arrive(rs []*nRequest) {
	for _, r := range rs {
		n.reached(r)
		k := r.kernelOf()
		n.queues[k.hwq].device = append(n.queues[k.hwq].device, k)
		k.arrived = n.order()
		n.inspect()
	}
}

// reached counts the CTAs of a child that has left the launch path.
func (n *Machine) reached(r *nRequest) {
	if !n.kids.early {
		n.kids.entered += int64(len(r.child.items))
	}
}

// find looks for kernels that groups may join. A group without one becomes a device kernel, for the KMU in the next
// cycle or by the rest of the calls.
func (w *nWarp) find(n *Machine, groups []*nRequest) {
	var none []*nRequest
	for _, r := range groups {
		if n.table.alone {
			n.direct = append(n.direct, r)
			n.reached(r)
		} else if n.join(r) {
			n.reached(r)
		} else {
			none = append(none, r)
		}
	}
	until := n.t
	if len(none) > 0 {
		comes := n.t + 1
		if n.table.api {
			comes = n.t + n.apiLatency(len(none)) - model.Time(n.cfg.Launch.ParamBase+n.cfg.Launch.ParamPerLane*len(none))
			until = comes
		}
		for _, r := range none {
			r.answer.way = model.DeviceKernel
		}
		n.post(comes, nChildPhase, func() { n.arrive(none) })
	}
	if w.holding {
		w.holding, w.from = false, max(w.from, until)
	}
	n.enterDirect()
}

// join lets a group join the first kernel of the distributor that it may.
func (n *Machine) join(r *nRequest) bool {
	for _, k := range n.entries {
		if k.shape() == r.child.shape() && !k.ending {
			n.track(r)
			n.link(k, r)
			return true
		}
	}
	if first := n.table.way[r.child.shape()]; first != nil {
		n.track(r)
		first.joined = append(first.joined, r)
		return true
	}
	if n.table.launched {
		n.table.way[r.child.shape()] = r
	}
	return false
}

// track gives a group its entry of the table; where that is taken, its record is
// written to memory.
func (n *Machine) track(r *nRequest) {
	if n.table.hashed && n.table.size > 0 {
		if e := int32(r.thread % n.table.size); !n.table.used[e] {
			n.table.used[e], r.answer.entry = true, e
			return
		}
	} else if last := len(n.table.free) - 1; !n.table.hashed && last >= 0 {
		r.answer.entry, n.table.free = n.table.free[last], n.table.free[:last]
		return
	}
	r.answer.spilled = true
	bytes := map[uint64]bool{}
	for b := range uint64(32) {
		bytes[32*recordOf(r)+b] = true
	}
	n.mem.request(r.parent.sm.id, trace.InstStore,
		&nAsked{[]uint64{recordOf(r)}, map[uint64]map[uint64]bool{recordOf(r): bytes}, 1}, n.t)
}

// recordOf is the sector of a group's record.
func recordOf(r *nRequest) uint64 { return 1<<58 + uint64(r.child.id) }

// link appends a group to the list of a kernel, from the next cycle on. One that had
// nothing left to give goes to the back of the distributor's order.
func (n *Machine) link(k *nKernel, r *nRequest) {
	if k.next == len(k.items) {
		i := slices.Index(n.entries, k)
		n.entries = append(slices.Delete(n.entries, i, i+1), k)
	}
	g := &nGroup{r: r, left: len(r.child.items), from: n.t + 1}
	k.groups = append(k.groups, g)
	for i := range r.child.items {
		k.items = append(k.items, nItem{tc: r.child.items[i].tc, def: r.child, group: g})
	}
}

// entered lets the groups join that waited for a kernel to enter the distributor.
func (n *Machine) entered(k *nKernel) {
	if n.table.way[k.shape()] == k.request {
		delete(n.table.way, k.shape())
	}
	for _, r := range k.request.joined {
		n.link(k, r)
	}
}

// enterDirect gives groups that join none the free entries of the distributor.
func (n *Machine) enterDirect() {
	for len(n.direct) > 0 && len(n.entries)+n.coming < n.cfg.KMU.Entries {
		k := n.direct[0].kernelOf()
		k.hwq = -1
		n.direct = n.direct[1:]
		n.enter(k)
	}
}

// pointAt reads the records of the groups that are next in k's list, if they are in memory.
func (n *Machine) pointAt(k *nKernel, ahead int) {
	for i, g := range k.groups {
		if i < ahead && g.r.answer.spilled && !g.read && g.from <= n.t {
			g.read, g.loaded = true, n.mem.request(0, trace.InstLoad, &nAsked{sectors: []uint64{recordOf(g.r)}}, n.t)
		}
	}
}

// placeable: the next CTA of k is known to the CTA scheduler.
func (n *Machine) placeable(k *nKernel) bool { return n.known(k.items[k.next].group) }

// known: the next CTA of a group, or of a kernel's own grid, can be placed.
func (n *Machine) known(g *nGroup) bool {
	return g == nil || g.placed || g.from <= n.t && (!g.r.answer.spilled || n.table.ahead == 0 || g.read &&
		g.loaded <= n.t)
}

// started: a CTA of k is placed.
func (n *Machine) started(k *nKernel, item *nItem) {
	r := k.request
	if g := item.group; g != nil {
		r = g.r
		if !g.placed {
			g.placed = true
			k.groups = slices.DeleteFunc(k.groups, func(x *nGroup) bool { return x == g })
		}
	}
	if r != nil {
		if r.answer.first == model.Unset {
			r.answer.first = n.t
			if n.detached != nil {
				n.detached.begun++
			}
			n.requests[r.child.id] = r.answer.String()
		}
		n.kids.starts = append(n.kids.starts, n.t)
	}
}

// childCTAEnded: a CTA has ended, of a child perhaps; a group ends with its last.
func (n *Machine) childCTAEnded(c *nCTA) {
	if c.item.group == nil && c.k.request == nil {
		return
	}
	n.kids.ctas = append(n.kids.ctas, nTook{n.t, n.t - c.placed})
	if g := c.item.group; g != nil {
		if g.left--; g.left == 0 {
			if e := g.r.answer.entry; e >= 0 {
				delete(n.table.used, e)
				n.table.free = append(n.table.free, e)
			}
			n.childEnded(g.r.parent)
		}
	}
}

func (n *Machine) childWarpEnded(w *nWarp) {
	if w.cta.item.group != nil || w.cta.k.request != nil {
		n.kids.warps = append(n.kids.warps, nTook{n.t, n.t + 1 - w.began})
	}
}
