package accelsim

import (
	"bytes"
	"io"
	"slices"
	"strconv"

	"gpureplay/trace"
)

// kernel is one kernel that streams from its file into the trace.
type kernel struct {
	*converter
	h     *header
	fn    *function
	l     *lines
	id    uint32
	begun bool
	ctas  uint64 // written
	last  int64  // linear index of the CTA last written; -1: none

	cta      trace.CTA
	lead     int // tokens before the PC, which repeat the grouping
	raw      bool
	addrs    []uint64 // scratch
	regular  bool     // forced: no analysis
	indirect bool     // an access by a loaded address was seen
	asyncPC  int64    // of the asynchronous copy that a raw capture gave last, not yet touched; -1: none
}

// grouped reads the CTAs of a .traceg.
func (k *kernel) grouped() error {
	for {
		line, err := k.l.text()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if string(line) != "#BEGIN_TB" {
			return k.l.errorf("%q where #BEGIN_TB is expected", clip(line))
		}
		if err := k.ctx.Err(); err != nil {
			return err
		}
		if err := k.block(); err != nil {
			return err
		}
	}
}

// block reads one CTA behind its #BEGIN_TB and writes it.
func (k *kernel) block() error {
	var place cluster
	placed, clustered := false, false
	for {
		line, err := k.l.within("a CTA")
		if err != nil {
			return err
		}
		if string(line) == "#END_TB" {
			if !placed {
				return k.l.errorf("a CTA without its thread block line")
			}
			break
		}
		key, value, ok := keyValue(line)
		if !ok {
			return k.l.errorf("%q where a warp or #END_TB is expected", clip(line))
		}
		switch key {
		case "thread block":
			if placed {
				return k.l.errorf("a second thread block line in one CTA")
			}
			var at trace.Dim3
			if at, ok = dim3(value); ok {
				placed = true
				err = k.beginCTA(at)
			}
		case "cluster id":
			place.id, ok = dim3(value)
		case "cluster cta":
			place.cta, ok = dim3(value)
		case "cluster rank":
			place.rank, ok = unsigned(value)
			clustered = true
		case "warp":
			var id uint32
			if id, ok = unsigned(value); ok {
				if !placed {
					return k.l.errorf("a warp before the thread block line")
				}
				err = k.warp(id)
			}
		default:
			return k.l.errorf("%q where a warp or #END_TB is expected", clip(line))
		}
		if !ok {
			return k.l.errorf("%q: not a value of that key", clip(line))
		}
		if err != nil {
			return err
		}
	}
	if clustered {
		if err := k.inCluster(place); err != nil {
			return err
		}
	}
	return k.writeCTA()
}

// inCluster notes the place of a CTA in its cluster.
func (k *kernel) inCluster(place cluster) error {
	if !k.begun {
		if err := k.findCluster(place); err != nil {
			return err
		}
	}
	k.checkCluster(place)
	return nil
}

// keyValue reads "key = value".
func keyValue(line []byte) (key, value string, ok bool) {
	i := bytes.IndexByte(line, '=')
	if i < 0 || len(line) > 256 {
		return "", "", false
	}
	return string(bytes.TrimSpace(line[:i])), string(bytes.TrimSpace(line[i+1:])), true
}

// beginCTA starts the next CTA.
func (k *kernel) beginCTA(at trace.Dim3) error {
	grid := k.h.kernel.Grid
	if at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2] {
		return k.l.errorf("CTA (%d,%d,%d) is not in the grid (%d,%d,%d)", at[0], at[1], at[2], grid[0], grid[1], grid[2])
	}
	id := (uint64(at[2])*uint64(grid[1])+uint64(at[1]))*uint64(grid[0]) + uint64(at[0])
	if int64(id) <= k.last {
		return k.l.errorf("CTA (%d,%d,%d) comes a second time or out of order", at[0], at[1], at[2])
	}
	k.last = int64(id)
	k.cta.ID, k.cta.SM, k.cta.Warps = uint32(id), -1, k.cta.Warps[:0]
	return nil
}

// begin starts the kernel in the trace unless it is.
func (k *kernel) begin(fidelity trace.Fidelity) error {
	if k.begun {
		return nil
	}
	k.begun = true
	t := k.h.kernel
	t.Function, t.Fidelity = k.fn.id, fidelity
	var err error
	k.id, err = k.w.BeginKernel(&t)
	return err
}

// addWarp appends an empty warp to the CTA, with the memory of an earlier one.
func (k *kernel) addWarp(id uint32) (*trace.Warp, error) {
	if id >= k.h.warps() {
		return nil, k.l.errorf("warp %d of a CTA of %d warps", id, k.h.warps())
	}
	for i := range k.cta.Warps {
		if k.cta.Warps[i].ID == id {
			return nil, k.l.errorf("warp %d comes a second time in one CTA", id)
		}
	}
	return k.cta.AddWarp(id), nil
}

// warp reads the instructions of one warp.
func (k *kernel) warp(id uint32) error {
	w, err := k.addWarp(id)
	if err != nil {
		return err
	}
	line, err := k.l.within("a warp")
	if err != nil {
		return err
	}
	key, value, ok := keyValue(line)
	n, convErr := strconv.ParseUint(value, 10, 64)
	if !ok || key != "insts" || convErr != nil {
		return k.l.errorf("%q where insts = N is expected", clip(line))
	}
	for read := uint64(0); read < n; {
		line, err := k.l.next()
		if err == io.EOF {
			return k.l.ends("after " + strconv.FormatUint(read, 10) + " of " + strconv.FormatUint(n, 10) +
				" instructions of a warp")
		}
		if err != nil {
			return err
		}
		if len(line) == 0 || len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if c := line[0]; c == '#' || c == 'w' || c == 'i' {
			return k.l.errorf("%q after %d of %d instructions of a warp", clip(line), read, n)
		}
		if err := k.step(w, line); err != nil {
			return err
		}
		read++
	}
	return k.endWarp()
}

// endWarp drops a warp without work and looks for indirect accesses in others.
func (k *kernel) endWarp() error {
	last := len(k.cta.Warps) - 1
	w := &k.cta.Warps[last]
	k.settle(w)
	if len(w.Path) == 0 {
		k.cta.Warps = k.cta.Warps[:last]
		return nil
	}
	if !k.regular && !k.indirect {
		k.indirect = k.fn.flow.indirect(w)
	}
	return nil
}

// writeCTA writes the CTA that was read.
func (k *kernel) writeCTA() error {
	if !slices.IsSortedFunc(k.cta.Warps, byID) {
		slices.SortFunc(k.cta.Warps, byID)
	}
	k.n[missingWarps] += uint64(k.h.warps()) - uint64(len(k.cta.Warps))
	k.ctas++
	if err := k.begin(trace.FidelityWarp); err != nil {
		return err
	}
	return k.w.WriteCTA(&k.cta)
}

func byID(a, b trace.Warp) int { return int(a.ID) - int(b.ID) }

// end closes the kernel in the trace.
func (k *kernel) end() error {
	if k.ctas == 0 {
		k.n.add(emptyKernels)
	}
	k.n[missingCTAs] += k.h.kernel.Grid.Count() - k.ctas
	if err := k.begin(trace.FidelityKernel); err != nil {
		return err
	}
	var flags trace.KernelFlags
	if k.irregular() {
		flags = trace.KernelIrregular
	}
	return k.w.EndKernel(flags)
}

// irregular is the verdict on the kernel.
func (k *kernel) irregular() bool {
	if r := k.opt.Irregular; r != nil && r.MatchString(k.h.name) {
		return true
	}
	return !k.regular && k.indirect
}

// ordinal says which element, from 0, as people count.
func ordinal(i int) string { return "number " + strconv.Itoa(i+1) }
