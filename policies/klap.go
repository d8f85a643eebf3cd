package policies

import (
	"fmt"
	"math/bits"
	"slices"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies/klap"
	"gpureplay/trace"
)

// klapScopes are whose requests are launched together.
var klapScopes = []string{"warp", "block", "grid"}

func init() {
	LaunchControls.Register(Option[model.LaunchControl]{
		Name: "klap", Title: "marked launches are made together, by a warp, a block, or the host " +
			"behind the parent kernel", Source: "KLAP paper, section II",
		Params: []Param{
			{"klap-scope", "block", "whose requests are one launch: warp, block or grid (of the whole parent kernel, " +
				"launched by the host when it has ended)"},
			{"klap-words", "2", "words of 4 bytes of a request's arguments that differ between threads, and are " +
				"stored for each"},
			{"klap-code", "on", "on: storing the arguments, summing the grid sizes and searching the parent are executed; " +
				"off: nothing is but the block's barrier"},
		},
		New: newKLAP,
	})
	Register(Policy{
		Name: "klap", Title: "child launches of a warp, block or kernel aggregated into one, by code alone",
		Source: "KLAP paper, section II",
		Doc: "Every child launch that the program's own rule would make is kept. The requests of a warp, a block " +
			"or a whole kernel become one grid " +
			"of the sum of their CTAs. Each CTA finds its parent by a guess or a search before it begins. Warps and " +
			"blocks launch it from the device, for a kernel the host does when it has ended.",
		Baselines: []string{"cdp"}, Launch: "klap",
		Needs: needsChildren,
		Params: []Param{{"klap-streams", "off", "off: an aggregate is launched into its thread's own default stream, " +
			"which is there; on: into a stream that is created for it"}},
		Adjust: func(c *hardware.Config, a Args) error {
			on, err := a.Flag("klap-streams")
			c.Launch.StreamPerChild = c.Launch.StreamPerChild && on
			return err
		},
	})
}

// keeper is the launch control of KLAP. Choices (docs/policies, "KLAP").
type keeper struct {
	scope string
	free  bool // the added code takes no time
	code  klap.Code
	m     *model.LaunchMachine
	pool  uint64 // bytes of it that have been taken

	blocks  map[klapCaller]*klapBlock
	kernels map[uint64]*klapBlock // by program order
}

// klapCaller is a block, or one warp of it.
type klapCaller struct {
	cta  model.CTAName
	warp uint32
}

// klapBlock is the requests of the warps of a block, or of a kernel.
type klapBlock struct {
	slots      klap.Slots
	came, gone int    // warps that have come to the call, and that have made it
	recorded   uint64 // places in the list that have been given
	batches    []*klapBatch
	before     *klapBlock // the call before this, which not all its warps have made yet
}

// klapBatch is the requests for one function, and whose they are.
type klapBatch struct {
	function uint32
	threads  uint64 // of a child's CTA
	requests []model.KeptLaunch
	thread   []int
}

func newKLAP(a Args) (model.LaunchControl, error) {
	k := &keeper{scope: a.Text("klap-scope"), blocks: map[klapCaller]*klapBlock{}, kernels: map[uint64]*klapBlock{}}
	if !slices.Contains(klapScopes, k.scope) {
		return nil, fmt.Errorf("klap-scope=%s: want warp, block or grid", k.scope)
	}
	words, err := a.Integer("klap-words", 0, 64)
	if err != nil {
		return nil, err
	}
	k.code.Words = int(words)
	on, err := a.Flag("klap-code")
	k.free = !on
	return k, err
}

// Decide is of [model.LaunchControl].
func (k *keeper) Decide(r *model.LaunchRequest) (model.Decision, string) {
	if r.Marked {
		return model.Keep, "aggregated"
	}
	return model.Inline, "unmarked"
}

// Start is of [model.LaunchKeeper].
func (k *keeper) Start(m *model.LaunchMachine) { k.m = m }

// asking returns the lanes whose requests are launched.
func asking(reqs []trace.Launch) (mask uint32) {
	for i := range reqs {
		if reqs[i].Marked {
			mask |= 1 << reqs[i].Lane
		}
	}
	return mask
}

// Before is of [model.LaunchKeeper]: all of a warp's threads pay, however few of them ask.
func (k *keeper) Before(c *model.LaunchCall) *model.AddedCode {
	mask := asking(c.Requests)
	if mask == 0 {
		return nil
	}
	threads := uint32(c.Block) - min(uint32(c.Block), c.Warp*hardware.WarpSize)
	switch b := k.block(c); k.scope {
	case "warp":
		if b.slots = k.take(min(uint64(threads), hardware.WarpSize)); !k.free {
			return k.code.Warp(b.slots, threads)
		}
	case "block":
		if b.gone > 0 { // its barrier is behind it
			next := &klapBlock{}
			if b.gone < b.came {
				next.before = b
			}
			b, k.blocks[klapCaller{cta: c.CTA}] = next, next
		}
		if b.came == 0 {
			b.slots = k.take(c.Block)
		}
		if b.came++; k.free {
			return k.code.Barrier(threads)
		}
		return k.code.Block(b.slots, c.Warp, threads)
	case "grid":
		if b.slots.Base == 0 { // for as many as there may be
			b.slots = k.take(klapRecords)
		}
		if first := b.recorded; !k.free {
			b.recorded += uint64(bits.OnesCount32(mask))
			return k.code.Record(b.slots, first, mask, threads)
		}
	}
	return nil
}

// klapRecords is for how many records of a kernel there is room: the arrays of the
// pool that the public code has.
const klapRecords = 1 << 20

// block returns the book of the block of a call, or of its kernel.
func (k *keeper) block(c *model.LaunchCall) *klapBlock {
	if k.scope == "grid" {
		return klapBook(k.kernels, c.CTA.Order)
	}
	who := klapCaller{cta: c.CTA}
	if k.scope == "warp" {
		who.warp = c.Warp
	}
	return klapBook(k.blocks, who)
}

func klapBook[K comparable](books map[K]*klapBlock, key K) *klapBlock {
	b := books[key]
	if b == nil {
		b = &klapBlock{}
		books[key] = b
	}
	return b
}

// take takes room for some threads out of the pool, of 1 GiB, which is used in turn.
func (k *keeper) take(threads uint64) klap.Slots {
	s := klap.Slots{Base: klap.Counter + 256 + k.pool, Threads: threads, Words: k.code.Words}
	k.pool = (k.pool + (s.Bytes()+127)/128*128) % (1 << 30)
	return s
}

// Called is of [model.LaunchKeeper].
func (k *keeper) Called(c *model.LaunchCall) {
	last := k.block(c)
	b := last
	if last.before != nil {
		b = last.before
	}
	for _, r := range c.Kept {
		thread := int(r.Lane)
		if k.scope == "block" {
			thread += int(c.Warp) * hardware.WarpSize
		}
		b.add(k.m, r, thread)
	}
	if b.gone++; k.scope == "grid" || k.scope == "block" && b.gone < b.came {
		return
	}
	for _, x := range b.batches {
		c.Launch(k.merged(x, b))
	}
	last.before, b.batches = nil, nil
	if k.scope == "warp" {
		delete(k.blocks, klapCaller{c.CTA, c.Warp})
	}
}

// add keeps a request with the others of its function.
func (b *klapBlock) add(m *model.LaunchMachine, r model.KeptLaunch, thread int) {
	function, threads := m.Kernel(r)
	var x *klapBatch
	for _, y := range b.batches {
		if y.function == function {
			x = y
		}
	}
	if x == nil {
		x = &klapBatch{function: function}
		b.batches = append(b.batches, x)
	}
	x.threads = max(x.threads, threads)
	x.requests, x.thread = append(x.requests, r), append(x.thread, thread)
}

// merged makes a launch of a batch.
func (k *keeper) merged(x *klapBatch, b *klapBlock) *model.MergedLaunch {
	l := &model.MergedLaunch{Requests: x.requests, Reason: "aggregated by its " + k.scope}
	if k.free {
		return l
	}
	p := &klap.Parents{Slots: b.slots}
	n := int(b.slots.Threads)
	if k.scope == "grid" {
		n, p.Kind = len(x.requests), klap.Binary
	} else if uint64(n) > max(x.threads, hardware.WarpSize) {
		p.Kind = klap.WarpSearch
	}
	p.Scan = make([]uint32, n)
	for i, r := range x.requests {
		at := x.thread[i]
		if k.scope == "grid" {
			at = i
		}
		p.Scan[at] = r.CTAs
	}
	for i := 1; i < n; i++ {
		p.Scan[i] += p.Scan[i-1]
	}
	counted := uint64(0)
	l.Prologue = func(cta uint64, warp uint32) *model.AddedCode {
		if cta+1 > counted {
			counted = cta + 1
			if _, right := p.Guess(uint32(cta)); !right {
				k.m.Count("klap_parent_searches")
			}
		}
		return k.code.Search(p, uint32(cta), warp, uint32(x.threads)-min(uint32(x.threads), warp*hardware.WarpSize))
	}
	return l
}

// CTAEnded is of [model.LaunchKeeper].
func (k *keeper) CTAEnded(c model.CTAName, _ model.Time) { delete(k.blocks, klapCaller{cta: c}) }

// KernelEnded is of [model.LaunchKeeper]: the host waits for the kernel, copies the counter back and launches that
// many children.
func (k *keeper) KernelEnded(order uint64, t model.Time) {
	b := k.kernels[order]
	if b == nil {
		return
	}
	delete(k.kernels, order)
	h := &k.m.Config().Host
	_, at := k.m.Copy(false, 8, t+1)
	at += model.Time(h.LaunchLatency)
	for _, x := range b.batches {
		k.m.LaunchAt(k.merged(x, b), at)
		at += k.m.Cycles(int64(h.LaunchOverheadNs))
	}
}
