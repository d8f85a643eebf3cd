package children

import (
	"math/bits"

	"gpureplay/samples"
	"gpureplay/trace"
)

// nest is the code with which a parent thread requests its nested work. Per thread: a comparison of the items with
// the threshold and a branch. Where a child is launched, its grid, its items and its arguments' address (four
// operations) and the launch. Then the rest: a comparison, a branch, and a second request without a mark.
type nest struct {
	rule
	p      *samples.Program
	kernel trace.Kernel // of the children

	test, grid, left  []samples.Op
	launch, remainder samples.Op
	join              samples.Op
}

// newNest adds the code to the parent's; items is the register with their number.
func newNest(p *samples.Program, r rule, parent *samples.Code, items trace.Reg, child *childCode,
	registers uint32) *nest {
	n := &nest{rule: r, p: p, kernel: trace.Kernel{
		Function: child.Function, Fidelity: trace.FidelityWarp, Registers: registers, Flags: trace.KernelIrregular,
		Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{uint32(r.block), 1, 1},
	}}
	none, many, ctas, whole, args := samples.NoReg, parent.Pred(), parent.Reg(), parent.Reg(), parent.Reg()
	n.test = []samples.Op{parent.Op("ISETP.GE", many, items), parent.Op("BRA", none, many)}
	n.grid = []samples.Op{
		parent.Op("SHF.R", ctas, items), parent.Op("IMAD", whole, ctas), parent.Op("MOV", args),
		parent.Op("IADD3", items, items, whole),
	}
	n.launch = parent.Op("LAUNCH", none, ctas, whole, args)
	some := parent.Pred()
	n.left = []samples.Op{parent.Op("ISETP.GT", some, items), parent.Op("BRA", none, some)}
	n.remainder = parent.Op("LAUNCH", none, items, args)
	return n
}

// synced adds the wait for children to the end of the parent's code.
func (n *nest) synced(parent *samples.Code) { n.join = parent.Op("DEVSYNC", samples.NoReg) }

// wait lets a warp wait for its CTA's children, if the rule says so.
func (n *nest) wait(w *samples.Warp) {
	if n.sync {
		w.Do(n.join)
	}
}

// items are the nested items of each lane.
type items [samples.WarpSize]int

// ask records the requests of the active lanes for their items: first the items of children, then the rest. body
// makes the work of a request's child from its first item on.
func (n *nest) ask(w *samples.Warp, of *items, body func(lane, first, count int) func(*samples.Block)) {
	n.askFor(w, of, func(lane int) int { return n.child(of[lane]) }, body)
}

// askFor is ask with a rule of the program's own for how many of a lane's items
// go to a child.
func (n *nest) askFor(w *samples.Warp, of *items, rule func(lane int) int,
	body func(lane, first, count int) func(*samples.Block)) {
	var child items
	w.Lanes(func(lane int) { child[lane] = rule(lane) })
	w.Do(n.test...)
	w.Under(w.Where(func(lane int) bool { return child[lane] > 0 }), func() {
		w.Do(n.grid...)
		n.request(w, n.launch, true, func(lane int) (int, int) { return 0, child[lane] }, body)
	})
	w.Do(n.left...)
	w.Under(w.Where(func(lane int) bool { return of[lane] > child[lane] }), func() {
		n.request(w, n.remainder, false, func(lane int) (int, int) { return child[lane], of[lane] - child[lane] }, body)
	})
}

func (n *nest) request(w *samples.Warp, op samples.Op, marked bool, span func(lane int) (first, count int),
	body func(lane, first, count int) func(*samples.Block)) {
	var requests [samples.WarpSize]trace.Launch
	k := 0
	w.Lanes(func(lane int) {
		first, count := span(lane)
		requests[k] = trace.Launch{
			Lane: uint8(lane), Marked: marked, SharedSWQ: n.shared, Workload: uint32(count), ParamBytes: n.bytes,
			Child: n.p.ChildOf(&n.kernel, ceil(count, n.block), body(lane, first, count)),
		}
		k++
	})
	w.Launch(op, requests[:k]...)
}

// appendCode is the code of an append to a list on the device by some lanes of a warp at once, as compilers make of
// an atomic counter. Per warp: a vote, two population counts for the rank and the number; one lane's atomic
// addition; a shuffle of its result. An addition, the address and the store of the element; the point where the
// lanes meet again.
type appendCode struct {
	head   []samples.Op
	atomic samples.Op
	tail   []samples.Op
	store  samples.Op
	join   samples.Op
}

func newAppend(c *samples.Code, element trace.Reg) appendCode {
	votes, rank, count, base, at, addr := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	return appendCode{
		head:   []samples.Op{c.Op("VOTE.ANY", votes), c.Op("POPC", rank, votes), c.Op("POPC", count, votes)},
		atomic: c.Atomic("ATOMG.E.ADD", 4, base, count),
		tail:   []samples.Op{c.Op("SHFL.IDX", at, base), c.Op("IADD3", at, at, rank), c.Op("IMAD.WIDE", addr, at)},
		store:  c.Store("STG.E", 4, addr, element),
		join:   c.Op("BSYNC", samples.NoReg),
	}
}

// run appends an element for each active lane to list. The word at counter is the length so far.
func (a *appendCode) run(w *samples.Warp, counter uint64, list samples.Array, count *int, element func(lane, at int)) {
	w.Do(a.head...)
	mask := w.Mask()
	w.Under(mask&-mask, func() { w.Same(a.atomic, counter) })
	w.Do(a.tail...)
	first := *count
	w.Mem(a.store, func(lane int) uint64 { return list.At(first + bits.OnesCount32(mask&(1<<lane-1))) })
	w.Lanes(func(lane int) {
		element(lane, *count)
		*count++
	})
	w.Do(a.join)
}
