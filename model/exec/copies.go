package exec

import "gpureplay/model/program"

// copies are the asynchronous copies of a warp, in groups (GPGPU-Sim's m_ldgdepbar_buf).
type copies struct {
	groups []copyGroup
	first  int32 // number of the first of groups: those before it are done
	closed int32 // groups that are closed; the copies that are issued now are of the next
	upTo   int32 // the warp waits for groups below this number
}

type copyGroup struct {
	open int32 // copies with an unknown completion time
	last Time  // the others are done
}

// start issues a copy, whose completion time is not known yet, and returns its group.
func (c *copies) start() (group int32) {
	for int(c.closed-c.first) >= len(c.groups) {
		c.groups = append(c.groups, copyGroup{})
	}
	c.groups[c.closed-c.first].open++
	return c.closed
}

// close closes the group that copies are issued into in cycle t, and forgets the first groups if they are done.
func (c *copies) close(t Time) {
	c.closed++
	done := 0
	for done < len(c.groups) && c.groups[done].open == 0 && c.groups[done].last <= t {
		done++
	}
	if c.first += int32(done); done == len(c.groups) {
		c.first = c.closed
	}
	c.groups = c.groups[:copy(c.groups, c.groups[done:])]
}

// done notes that a copy of a group is done at a time.
func (c *copies) done(group int32, at Time) {
	g := &c.groups[group-c.first]
	g.open, g.last = g.open-1, max(g.last, at)
}

// awaited returns the copies of the groups below upTo with an unknown completion time, and when the others are done.
func (c *copies) awaited() (open int32, last Time) {
	for _, g := range c.groups[:max(0, min(len(c.groups), int(c.upTo-c.first)))] {
		open, last = open+g.open, max(last, g.last)
	}
	return open, last
}

// copied returns the copies of w.
func (w *Warp) copied() *copies {
	if w.copies == nil {
		w.copies = new(copies)
	}
	return w.copies
}

// fence has w wait behind a fence: for all its accesses, or for groups of asynchronous copies.
func (w *Warp) fence(o *program.Op) (open int32, last Time) {
	w.fenced = true
	if w.awaits = o.Copy == program.CopiesAwaited; w.awaits {
		c := w.copied()
		c.upTo = c.closed - o.Groups
	}
	return w.behindFence()
}

// behindFence returns the accesses with an unknown completion time that w waits for, and when the others are done.
func (w *Warp) behindFence() (open int32, last Time) {
	if w.awaits {
		return w.copies.awaited()
	}
	return w.open, max(w.last, w.posted)
}
