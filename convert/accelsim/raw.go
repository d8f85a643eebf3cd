package accelsim

import (
	"io"

	"gpureplay/trace"
)

// Raw captures (.trace) hold the lines of all warps as they were executed. Each
// line begins with its CTA (x, y, z) and warp; newer tracers then give the
// cluster (3), the CTA in the cluster (3) and its rank, and a tracer that was
// told to (TOOL_TRACE_CORE) the SM and the warp slot.
const (
	leadCTA     = 4
	leadCluster = 7
	leadCore    = 2
	maxLead     = leadCTA + leadCluster + leadCore
)

// rawLead describes the front of a raw line.
type rawLead struct{ cluster, core bool }

var rawLeads = [...]rawLead{{}, {core: true}, {cluster: true}, {true, true}}

func (r rawLead) tokens() int {
	n := leadCTA
	if r.cluster {
		n += leadCluster
	}
	if r.core {
		n += leadCore
	}
	return n
}

// rawLines reads a raw capture: groups its lines, then writes CTA by CTA.
func (k *kernel) rawLines() error {
	k.raw = true
	g := newGroups(k.opt.TempDir, k.opt.Memory)
	defer g.close()
	if err := k.gather(g); err != nil {
		return err
	}
	it, err := g.sorted()
	if err != nil {
		return err
	}
	return k.scatter(it)
}

// gather reads all lines into groups.
func (k *kernel) gather(g *groups) error {
	var lead rawLead
	known := false
	var shape trace.Dim3 // of the clusters
	for {
		line, err := k.l.text()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if line[0] == '#' {
			continue
		}
		if !known {
			if lead, known = findLead(line, k.h.lineInfo); !known {
				return k.l.errorf("%q is neither #BEGIN_TB nor a raw instruction line", clip(line))
			}
		}
		at, rest, err := k.rawPlace(line, lead, &shape)
		if err != nil {
			return err
		}
		if err := g.add(at, k.l.number, rest); err != nil {
			return err
		}
		if g.lines&0xfff == 0 && k.ctx.Err() != nil {
			return k.ctx.Err()
		}
	}
	k.setCluster(shape)
	return nil
}

// findLead finds the fields of a raw line before its PC.
func findLead(line []byte, lineInfo bool) (rawLead, bool) {
	for _, lead := range rawLeads {
		p, ok := line, true
		n := lead.tokens()
		if lineInfo {
			n++
		}
		for i := 0; ok && i < n; i++ {
			_, p, ok = decimal(p)
		}
		if ok && isInstruction(p) {
			return lead, true
		}
	}
	return rawLead{}, false
}

// isInstruction reports whether PC, mask, destinations and an opcode follow.
func isInstruction(p []byte) bool {
	_, p, ok := hex32(p)
	if !ok {
		return false
	}
	mask, p := token(p)
	if _, _, ok := hex32(mask); !ok || len(mask) != 8 {
		return false
	}
	_, what := parseStatic(0, blank(p))
	return what == ""
}

// place is where a raw line belongs.
type place struct {
	cta, warp uint32
	sm        int32 // -1: not given
}

// rawPlace reads the front of a raw line.
func (k *kernel) rawPlace(line []byte, lead rawLead, shape *trace.Dim3) (at place, rest []byte, err error) {
	var v [maxLead]uint32
	p := line
	for i := range lead.tokens() {
		n, rest, ok := count(p, 1<<31-1)
		if !ok {
			return at, p, k.l.errorf("%q: the numbers before the PC (CTA, warp, ...) are not all there", clip(line))
		}
		v[i], p = uint32(n), rest
	}
	grid := k.h.kernel.Grid
	if v[0] >= grid[0] || v[1] >= grid[1] || v[2] >= grid[2] {
		return at, p, k.l.errorf("CTA (%d,%d,%d) is not in the grid (%d,%d,%d)", v[0], v[1], v[2], grid[0], grid[1], grid[2])
	}
	if v[3] >= k.h.warps() {
		return at, p, k.l.errorf("warp %d of a CTA of %d warps", v[3], k.h.warps())
	}
	at = place{cta: uint32((uint64(v[2])*uint64(grid[1])+uint64(v[1]))*uint64(grid[0]) + uint64(v[0])), warp: v[3], sm: -1}
	i := leadCTA
	if lead.cluster {
		cluster{cta: trace.Dim3(v[i+3:])}.reach(shape)
		i += leadCluster
	}
	if lead.core {
		at.sm = int32(v[i])
	}
	return at, p, nil
}

// scatter writes the CTAs of grouped lines.
func (k *kernel) scatter(it *groupIterator) error {
	open := false
	for {
		at, err := it.next()
		if err != nil && err != io.EOF {
			return err
		}
		if open && (err == io.EOF || at.cta != k.cta.ID) {
			if err := k.writeCTA(); err != nil {
				return err
			}
			if err := k.ctx.Err(); err != nil {
				return err
			}
			open = false
		}
		if err == io.EOF {
			return nil
		}
		if !open {
			open = true
			grid := k.h.kernel.Grid
			if err := k.beginCTA(trace.Dim3{at.cta % grid[0], at.cta / grid[0] % grid[1],
				at.cta / grid[0] / grid[1]}); err != nil {
				return err
			}
			k.cta.SM = at.sm
		}
		if err := k.rawWarp(it, at.warp); err != nil {
			return err
		}
	}
}

// rawWarp reads the lines of one warp.
func (k *kernel) rawWarp(it *groupIterator, id uint32) error {
	w, err := k.addWarp(id)
	if err != nil {
		return err
	}
	for {
		number, line, err := it.line()
		if err == io.EOF {
			return k.endWarp()
		}
		if err != nil {
			return err
		}
		k.l.number = number
		if err := k.step(w, line); err != nil {
			return err
		}
	}
}
