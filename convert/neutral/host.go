package neutral

import (
	"slices"

	"gpureplay/replay/table"
	tables "gpureplay/replay/table/neutral"
	"gpureplay/trace"
)

// hostTable is a table of host operations with its kinds.
type hostTable struct {
	*cursor[tables.HostRow]
	kinds []trace.OpKind
}

func (c *converter) openHost(s *table.Sheet[tables.HostRow], kinds []trace.OpKind, need ...string) (*hostTable, error) {
	cur, err := open(&c.f, s, need...)
	if err != nil {
		return nil, err
	}
	return &hostTable{cur, kinds}, nil
}

// op returns the operation of the row at which the table stands.
func (c *converter) op(h *hostTable) (*trace.HostOp, error) {
	r := &h.head
	if len(h.kinds) == 1 {
		r.Word = 0
	}
	if int(r.Word) >= len(h.kinds) {
		return nil, h.Errorf("column kind: it is absent")
	}
	op := &r.Op
	op.Kind, op.Recorded = h.kinds[r.Word], r.Times.Recorded()
	var err error
	if op.Scope, err = c.scope(r.Within); err != nil {
		return nil, h.Errorf("%w", err)
	}
	if op.Kind == trace.OpSpawn {
		c.tasks[op.Kernel] = struct{}{}
	}
	if !slices.Contains(tables.CopyKinds, op.Kind) || op.Array == trace.NoArray {
		return op, nil
	}
	if int64(op.Array) >= int64(len(c.arrays)) {
		return nil, h.Errorf("array %d, but the table arrays has %d", op.Array, len(c.arrays))
	}
	a := &c.arrays[op.Array]
	if !h.has("bytes") {
		op.Bytes = a.Bytes
	}
	if !h.has("address") && op.Kind >= trace.OpCopyH2D {
		op.Addr = a.Base
	}
	return op, nil
}

func (c *converter) openCopies() (*hostTable, error) {
	h, err := c.openHost(&tables.Copies, tables.CopyKinds, "kind")
	if err == nil && h.there() && !h.has("array") {
		err = h.Need("bytes")
	}
	return h, err
}

// hostBefore writes the operations of the host: all, if a table of calls gives the places of launches; else the
// operations before the kernels: copies to the device, then tasks.
func (c *converter) hostBefore() error {
	copies, err := c.openCopies()
	if err != nil {
		return err
	}
	tasks, err := c.openHost(&tables.Tasks, tables.TaskKinds, "kernel")
	if err != nil {
		return err
	}
	calls, err := c.openHost(&tables.Calls, tables.CallKinds, "kind")
	if err != nil {
		return err
	}
	if c.calls = calls.there(); c.calls {
		return c.merge(copies, tasks, calls)
	}
	for _, h := range []*hostTable{copies, tasks} {
		if h.has("order") {
			return h.Errorf("the column order needs the table calls, which says where launches stand")
		}
	}
	if err := c.all(copies, func(k trace.OpKind) bool { return !afterwards(k) }); err != nil {
		return err
	}
	return c.all(tasks, func(trace.OpKind) bool { return true })
}

// afterwards reports whether a copy comes after the kernels where no table says
// where it stands.
func afterwards(k trace.OpKind) bool { return k == trace.OpCopyD2H || k == trace.OpFileWrite }

// hostAfter writes the operations after the kernels.
func (c *converter) hostAfter() error {
	if c.calls {
		return nil
	}
	unknown := c.f.unknown
	copies, err := c.openCopies() // a second time
	c.f.unknown = unknown
	if err != nil {
		return err
	}
	return c.all(copies, afterwards)
}

// all writes the operations of a table whose kinds are wanted.
func (c *converter) all(h *hostTable, want func(trace.OpKind) bool) error {
	for {
		if err := h.advance(); err != nil || !h.live {
			return err
		}
		op, err := c.op(h)
		if err != nil {
			return err
		}
		if want(op.Kind) {
			if err := c.w.Host(op); err != nil {
				return h.Errorf("%w", err)
			}
		}
	}
}

// merge writes the operations of all tables by their order.
func (c *converter) merge(hosts ...*hostTable) error {
	var live []*hostTable
	for _, h := range hosts {
		if err := h.advance(); err != nil {
			return err
		}
		if h.live {
			live = append(live, h)
		}
	}
	for _, h := range live {
		if len(live) > 1 {
			if err := h.Need("order"); err != nil {
				return err
			}
		}
	}
	last := int64(-1)
	for len(live) > 0 {
		h := slices.MinFunc(live, func(a, b *hostTable) int { return int(max(min(a.head.Order-b.head.Order, 1), -1)) })
		if order := h.head.Order; h.has("order") {
			if order <= last {
				return h.Errorf("order %d after %d: each operation has a place of its own, and rows are sorted by it", order, last)
			}
			last = order
		}
		op, err := c.op(h)
		if err != nil {
			return err
		}
		if err := c.w.Host(op); err != nil {
			return h.Errorf("%w", err)
		}
		if err := h.advance(); err != nil {
			return err
		}
		live = slices.DeleteFunc(live, func(h *hostTable) bool { return !h.live })
	}
	return nil
}
