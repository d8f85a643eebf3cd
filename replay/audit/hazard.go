package audit

import (
	"cmp"
	"math/bits"
	"slices"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/trace"
)

// hazards checks a run whose kernels overlap against the exact accesses of its warps, page by page, as they issue
// and as they are done:
//
//   - raw, war, waw: no kernel touches a page before every conflicting access of the kernels before it in program
//     order is done;
//   - page-not-ready: no access to an input page before it has been transferred;
//   - page-owner: no access of a regular kernel to a page of another kernel;
//   - range-covers: no access to a page that none of the kernel's ranges covers;
//   - prelude-rate: pages do not become ready faster than storage and link carry them;
//   - page-released: at the end every page has been given back;
//   - kernel-per-sm: CTAs of two kernels are never on one SM together.
//
// Where CTAs are held and not accesses, pages have no owners. It then checks raw, war and waw alone, word by word,
// for programs of one stream: kernels of several streams have no single order.
//
// Its books are a word for each launch of the host and a few for each page, independent of the number of accesses.
// A page has the latest reading and the latest writing kernel in program order, and the times when it and when all
// before it were done.
type hazards struct {
	a       *Auditor
	prog    *trace.Program
	shift   uint
	order   []launchPlace        // of the host's kernels, by kernel
	pages   map[uint64]*pageBook // opened when they are first seen: arrays may be larger than memory
	inputs  []span               // copied to the GPU before the first kernel
	files   []span               // read from files before it
	holders []holder             // per SM
	kernel  uint32               // the one looked up last
	place   uint64
	known   bool
	regular bool
	ctas    bool   // CTAs are held, and not accesses
	streams bool   // and there are several streams
	ready   uint64 // bytes of ready pages
	read    uint64 // of them from files
}

// launchPlace is the place of a kernel in program order, from 1 on.
type launchPlace struct {
	kernel, place uint32
	stream        uint64
}

// holder is the kernel whose CTAs an SM holds.
type holder struct {
	kernel uint32
	ctas   int
}

// pageBook has the auditor's record of a page.
type pageBook struct {
	readers, writers history
	owner            uint32
	input            bool
	ready            bool
	array            bool   // an array lies in it
	file             uint64 // bytes that come from files
}

// history is who has read, or written, a page.
type history struct {
	kernel uint32     // the latest in program order
	place  uint64     // its place; 0: none
	done   model.Time // its last access
	before model.Time // last access of all kernels before it
}

func newHazards(a *Auditor) (*hazards, error) {
	h := &hazards{
		a: a, prog: a.tr.Program(), pages: make(map[uint64]*pageBook),
		holders: make([]holder, a.cfg.SM.Count), shift: uint(bits.TrailingZeros(uint(a.cfg.Host.PageBytes))),
	}
	for op, err := range trace.Each(a.tr.HostOps()) {
		if err != nil {
			return nil, err
		}
		first := len(h.order) == 0
		switch {
		case op.Kind == trace.OpLaunch:
			h.order = append(h.order, launchPlace{op.Kernel, uint32(len(h.order)) + 1, op.Stream})
		case !first || int(op.Array) >= len(h.prog.Arrays):
		case op.Kind == trace.OpCopyH2D:
			x := &h.prog.Arrays[op.Array]
			h.inputs = append(h.inputs, span{x.Base, x.Base + x.Bytes})
		case op.Kind == trace.OpFileRead:
			x := &h.prog.Arrays[op.Array]
			h.files = append(h.files, span{x.Base, x.Base + min(x.Bytes, op.Bytes)})
		}
	}
	slices.SortStableFunc(h.order, func(a, b launchPlace) int { return cmp.Compare(a.kernel, b.kernel) })
	return h, nil
}

// byCTA makes it an auditor of CTAs that are held.
func (h *hazards) byCTA() {
	h.ctas, h.shift = true, 2
	h.streams = slices.ContainsFunc(h.order, func(x launchPlace) bool { return x.stream != h.order[0].stream })
}

// span is a range of addresses, without its end.
type span struct{ lo, hi uint64 }

// common returns how many addresses two spans share.
func (s span) common(t span) uint64 {
	lo, hi := max(s.lo, t.lo), min(s.hi, t.hi)
	if lo >= hi {
		return 0
	}
	return hi - lo
}

// page returns the book of a page, opened when it is first seen.
func (h *hazards) page(number uint64) *pageBook {
	p := h.pages[number]
	if p == nil {
		p = &pageBook{owner: model.NoKernel}
		here := span{number << h.shift, (number + 1) << h.shift}
		p.array = slices.ContainsFunc(h.prog.Arrays, func(x trace.Array) bool {
			return here.common(span{x.Base, x.Base + x.Bytes}) > 0
		})
		p.input = slices.ContainsFunc(h.inputs, func(s span) bool { return here.common(s) > 0 })
		for _, s := range h.files {
			p.file += here.common(s)
		}
		h.pages[number] = p
	}
	return p
}

// lookUp finds a kernel's place in program order.
func (h *hazards) lookUp(id uint32, t model.Time) bool {
	if !h.known || id != h.kernel {
		h.kernel, h.place, h.known = id, 0, true
		if i, ok := slices.BinarySearchFunc(h.order, id, func(x launchPlace, id uint32) int {
			return cmp.Compare(x.kernel, id)
		}); ok {
			h.place = uint64(h.order[i].place)
		}
		h.regular = h.a.book(id, t).k.Flags&trace.KernelIrregular == 0
	}
	return h.place > 0
}

// access checks one access of a warp, page by page.
func (h *hazards) access(r *exec.AccessRecord) {
	if !h.lookUp(r.Kernel, r.Issue) {
		return // a child's accesses are its parent's affair
	}
	last := ^uint64(0)
	for addr := range r.Access.Addresses(r.Lists) {
		for n := addr >> h.shift; n <= (addr+uint64(max(1, r.Width))-1)>>h.shift; n++ {
			if n != last {
				last = n
				h.touch(n, h.page(n), r)
			}
		}
	}
}

func (h *hazards) touch(number uint64, p *pageBook, r *exec.AccessRecord) {
	if h.ctas {
		if !h.streams {
			h.ordered(number, p, r)
		}
		return
	}
	if p.input && !p.ready {
		h.a.fail("page-not-ready", r.Issue, "CTA %d of kernel %d touches page %#x, which has not been transferred", r.CTA,
			r.Kernel, number)
	}
	switch {
	case !p.array || !h.regular || p.owner == r.Kernel:
	case p.owner == model.NoKernel:
		h.a.fail("range-covers", r.Issue, "CTA %d of kernel %d touches page %#x, which no range of the kernel "+
			"covers any more", r.CTA, r.Kernel, number)
	default:
		h.a.fail("page-owner", r.Issue, "CTA %d of kernel %d touches page %#x of kernel %d", r.CTA, r.Kernel, number, p.owner)
	}
	h.ordered(number, p, r)
}

// ordered checks that an access comes behind the accesses of earlier kernels.
func (h *hazards) ordered(number uint64, p *pageBook, r *exec.AccessRecord) {
	if r.Mode&trace.Write != 0 {
		h.conflict(number, &p.readers, r, "raw", "war")
		h.conflict(number, &p.writers, r, "waw", "waw")
		p.writers.note(h.place, r)
	} else {
		h.conflict(number, &p.writers, r, "war", "raw")
	}
	if r.Mode&trace.Read != 0 {
		p.readers.note(h.place, r)
	}
}

// conflict checks an access against the accesses of other kernels that it may not overtake: late is the hazard if a
// later kernel has been there already, early if an earlier one is not done.
func (h *hazards) conflict(number uint64, x *history, r *exec.AccessRecord, late, early string) {
	done := x.before
	switch {
	case h.place < x.place:
		h.a.fail(late, r.Issue, "CTA %d of kernel %d touches page %#x after kernel %d, which comes later", r.CTA, r.Kernel,
			number, x.kernel)
		return
	case h.place > x.place:
		done = max(done, x.done)
	}
	if done > r.Issue {
		h.a.fail(early, r.Issue, "CTA %d of kernel %d touches page %#x, an earlier kernel is done with it at %d only",
			r.CTA, r.Kernel, number, done)
	}
}

// note takes an access into the history.
func (x *history) note(place uint64, r *exec.AccessRecord) {
	switch {
	case place > x.place:
		x.before = max(x.before, x.done)
		x.kernel, x.place, x.done = r.Kernel, place, r.Done
	case place == x.place:
		x.done = max(x.done, r.Done)
	default:
		x.before = max(x.before, r.Done)
	}
}

// changed takes note of a page that has become ready or gone to another owner.
func (h *hazards) changed(r *model.PageRecord) {
	p := h.page(r.Page)
	p.owner = r.To
	if !r.Ready || p.ready {
		return
	}
	p.ready = true
	if !p.input {
		return
	}
	h.ready += 1 << h.shift
	h.read += p.file
	c := &h.a.cfg.Host
	seconds := float64(r.Time) / (h.a.cfg.Clock.CoreMHz * 1e6) * 1.000001
	if c.StorageMBs > 0 && float64(h.read) > seconds*c.StorageMBs*1e6 || c.PCIeGBs > 0 &&
		float64(h.ready) > seconds*c.PCIeGBs*1e9 {
		h.a.fail("prelude-rate", r.Time, "%d bytes of pages are ready, %d of them from files: more than storage and "+
			"link carry", h.ready, h.read)
	}
}

// placed and ended keep which kernel an SM holds.
func (h *hazards) placed(r *model.CTARecord) {
	x := &h.holders[r.SM]
	if !h.ctas && x.ctas > 0 && x.kernel != r.Kernel {
		h.a.fail("kernel-per-sm", r.Dispatch, "CTA %d of kernel %d goes on SM %d, which holds CTAs of kernel %d", r.CTA,
			r.Kernel, r.SM, x.kernel)
	}
	x.kernel = r.Kernel
	x.ctas++
}

func (h *hazards) ended(r *model.CTARecord) { h.holders[r.SM].ctas-- }

// finish checks that every page has been given back.
func (h *hazards) finish(t model.Time) {
	var kept []uint64
	for n, p := range h.pages {
		if p.owner != model.NoKernel {
			kept = append(kept, n)
		}
	}
	slices.Sort(kept)
	for _, n := range kept {
		h.a.fail("page-released", t, "page %#x still belongs to kernel %d", n, h.pages[n].owner)
	}
}
