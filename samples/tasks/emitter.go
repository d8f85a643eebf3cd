package tasks

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

// buffer is an array with a slot of equal size for each task in flight.
type buffer struct {
	samples.Array
	perSlot int // elements
}

func (b buffer) slotBytes() uint64 { return uint64(b.perSlot) * b.Elem }

// emitter writes bodies as tasks.
type emitter struct {
	w     samples.Writer
	cta   trace.CTA
	mem   [][]trace.Access
	lists [][]uint64
}

// spawn writes a body as a kernel, the accesses to buffer i moved by shift[i] bytes, and its OpSpawn. op gives
// arrival, bytes and dependences.
func (e *emitter) spawn(b *body, shift []uint64, op trace.HostOp) (uint32, error) {
	k := b.kernel
	k.Flags |= trace.KernelTask
	k.Stream = op.Stream
	id, err := e.w.BeginKernel(&k)
	if err != nil {
		return 0, err
	}
	for c := range b.ctas {
		if err := e.w.WriteCTA(e.moved(b, c, shift)); err != nil {
			return 0, err
		}
	}
	if err := e.w.EndKernel(k.Flags); err != nil {
		return 0, err
	}
	op.Kind, op.Kernel, op.Array = trace.OpSpawn, id, trace.NoArray
	op.InBytes, op.InCopies, op.OutBytes, op.Sync = b.in, b.copies, b.out, b.sync
	return id, e.w.Host(&op)
}

// moved returns CTA c of the body, its addresses moved. It holds until the next
// call.
func (e *emitter) moved(b *body, c int, shift []uint64) *trace.CTA {
	from := &b.ctas[c]
	e.cta = trace.CTA{ID: from.ID, SM: -1, Warps: append(e.cta.Warps[:0], from.Warps...)}
	for len(e.mem) < len(from.Warps) {
		e.mem, e.lists = append(e.mem, nil), append(e.lists, nil)
	}
	for i := range e.cta.Warps {
		w := &e.cta.Warps[i]
		w.Mem = append(e.mem[i][:0], w.Mem...)
		w.Lists = append(e.lists[i][:0], w.Lists...)
		e.mem[i], e.lists[i] = w.Mem, w.Lists
		for m, tag := range b.tags[c][i] {
			if tag == 0 {
				continue
			}
			a, by := &w.Mem[m], shift[tag-1]
			if a.List == 0 {
				a.Base += by
				continue
			}
			for l := range w.Lists[a.List-1:][:a.Count] {
				w.Lists[int(a.List)-1+l] += by
			}
		}
	}
	return &e.cta
}
