package reference

import (
	"slices"

	"gpureplay/trace"
)

// nHostThread is a thread of the host: the operations that it issues, by their places in the
// program.
type nHostThread struct {
	mine  []int
	next  int
	wait  func() bool
	graph *nGraph
}

// split gives each thread its operations; under a policy of one stream one thread has all.
func (h *nHost) split() {
	for i, op := range h.ops {
		number := int(op.Thread)
		if h.serial {
			number = 0
		}
		for len(h.threads) <= number {
			h.threads = append(h.threads, &nHostThread{graph: &nGraph{h: h}})
		}
		h.threads[number].mine = append(h.threads[number].mine, i)
	}
	if len(h.threads) == 0 {
		h.threads = []*nHostThread{{graph: &nGraph{h: h}}}
	}
	h.gone = make([]bool, len(h.ops))
	if len(h.threads) < 2 {
		return
	}
	for _, op := range h.ops { // streams are numbered in the program's order
		switch op.Kind {
		case trace.OpHostWork, trace.OpSyncDevice, trace.OpSyncEvent, trace.OpFileRead, trace.OpFileWrite:
		default:
			h.stream(op.Stream)
		}
	}
}

// choose makes the thread current whose operation comes first of those that can go on.
func (h *nHost) choose() bool {
	h.nHostThread = nil
	for _, th := range h.threads {
		if th.wait != nil && !th.wait() {
			continue
		}
		th.wait = nil
		if th.next == len(th.mine) || !h.mayGo(th.mine[th.next]) {
			continue
		}
		if h.nHostThread == nil || th.mine[th.next] < h.mine[h.next] {
			h.nHostThread = th
		}
	}
	return h.nHostThread != nil
}

// mayGo reports whether all that stands before an operation and has to do with it has been
// issued.
func (h *nHost) mayGo(i int) bool {
	if len(h.threads) < 2 {
		return true
	}
	stream := func(op *trace.HostOp) bool {
		return op.Kind >= trace.OpCopyH2D && op.Kind <= trace.OpStreamWait
	}
	event := func(op *trace.HostOp) bool {
		return op.Kind == trace.OpEventRecord || op.Kind == trace.OpStreamWait || op.Kind == trace.OpSyncEvent
	}
	op := &h.ops[i]
	for j := range i {
		before := &h.ops[j]
		switch {
		case h.gone[j]:
		case (stream(op) || op.Kind == trace.OpSyncStream) && stream(before) && op.Stream == before.Stream:
			return false
		case event(op) && event(before) && op.Event == before.Event:
			return false
		case op.Kind == trace.OpSyncDevice && op.Process == before.Process && op.Thread != before.Thread:
			return false
		}
	}
	return true
}

// past returns whether a process's work so far has completed.
func (h *nHost) past(process uint32) func() bool {
	var open []*nOp
	for _, st := range h.streams {
		for _, o := range st.queue {
			if len(h.threads) < 2 || o.op.Process == process {
				open = append(open, o)
			}
		}
	}
	return func() bool {
		return !slices.ContainsFunc(open, func(o *nOp) bool { return !o.popped }) && len(h.n.tasks.live) == 0 &&
			(len(h.threads) > 1 || h.open == 0)
	}
}
