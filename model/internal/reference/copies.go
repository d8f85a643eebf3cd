package reference

import (
	"strings"

	"gpureplay/model"
	"gpureplay/trace"
)

// nCopy is an asynchronous copy of a warp.
type nCopy struct {
	known bool
	done  model.Time
}

func (c *nCopy) finish(done model.Time) {
	if c != nil {
		c.known, c.done = true, done
	}
}

// nCopies are those of a warp, in the groups that it has closed and one that is open.
type nCopies struct {
	groups  [][]*nCopy
	closed  int
	copying *nCopy   // the instruction that issues; nil: it is none
	awaits  []*nCopy // that the warp waits for, if its fence is a DEPBAR
	depbar  bool
}

// issued notes an instruction.
func (c *nCopies) issued(in *trace.Inst) {
	c.copying = nil
	switch name, _, _ := strings.Cut(in.Opcode, "."); {
	case name == "LDGSTS" && in.Width > 0:
		for len(c.groups) <= c.closed {
			c.groups = append(c.groups, nil)
		}
		c.copying = &nCopy{}
		c.groups[c.closed] = append(c.groups[c.closed], c.copying)
	case name == "LDGDEPBAR":
		c.closed++
	}
}

// fence has the warp wait for all groups but the newest of those that are closed, if it is a DEPBAR.
func (c *nCopies) fence(in *trace.Inst) {
	c.awaits, c.depbar = nil, strings.HasPrefix(in.Opcode, "DEPBAR")
	for i, group := range c.groups {
		if c.depbar && int64(i) < int64(c.closed)-int64(min(in.Imm, 1<<20)) {
			c.awaits = append(c.awaits, group...)
		}
	}
}

// until is when all that w waits for behind its fence is done; open: some of that is not known.
func (w *nWarp) until() (at model.Time, open bool) {
	if !w.copies.depbar {
		return max(w.last, w.posted), w.cta.open[w.id] > 0
	}
	for _, c := range w.copies.awaits {
		at, open = max(at, c.done), open || !c.known
	}
	return at, open
}

// fencedOff reports whether w waits for something that is not known.
func (w *nWarp) fencedOff() bool {
	if !w.fenced {
		return false
	}
	_, open := w.until()
	return open
}

// pastFence puts w off behind its fence.
func (w *nWarp) pastFence() {
	if w.fenced {
		at, _ := w.until()
		w.from = max(w.from, at)
	}
}
