package container

import (
	"fmt"
	"gpureplay/trace"
	"gpureplay/trace/internal/words"
)

// kernelBytes is how much memory a Reader keeps of blocks of kernels: those of a
// million children, say.
const kernelBytes = 16 << 20

// kernelTable keeps the blocks of kernels that were read last.
type kernelTable struct {
	recency
	blocks map[uint32]*kernelBlock
	row    trace.Kernel // the one read last
}

// kernelBlock is a block of kernels: the first, and columns of the values in which others differ. A child takes
// about ten bytes.
type kernelBlock struct {
	cached
	first    trace.Kernel
	differ   []narrow
	recorded []*trace.Recorded // nil: no kernel has times
}

// narrow is a column of whole numbers, of as many bytes each as the largest needs
// above the least.
type narrow struct {
	at    func(*trace.Kernel) any
	least uint64
	width int
	data  []byte
}

// Kernel reads the record of a kernel into k. The value behind k.Recorded is shared and read only. Kernel returns
// an error if there is no such kernel, its block is damaged, or its grid, block or cluster is none.
func (r *Reader) Kernel(id uint32, k *trace.Kernel) error {
	if uint64(id) >= r.count[0] {
		return fmt.Errorf("there is no kernel %d: the trace has %d", id, r.count[0])
	}
	n, t := id/kernelsPerBlock, &r.kernels
	r.mu.Lock()
	defer r.mu.Unlock()
	b := t.blocks[n]
	if b == nil {
		r.mu.Unlock()
		rows, err := r.kernelRows(n)
		r.mu.Lock()
		if err != nil {
			return err
		}
		b = t.enter(n, rows)
	}
	t.use(&b.cached)
	b.read(id%kernelsPerBlock, &t.row)
	*k = t.row
	return checkShape(k)
}

func (r *Reader) kernelRows(n uint32) ([]trace.Kernel, error) {
	rows, err := readRows(r, r.kernelBlocks[n], kindKernel, kernelFields)
	if err != nil {
		return nil, fmt.Errorf("kernels from %d on: %w", n*kernelsPerBlock, err)
	}
	for i := range rows {
		k := &rows[i]
		if k.ID != n*kernelsPerBlock+uint32(i) || int(k.Function) >= len(r.prog.Functions) ||
			int(k.Fidelity) >= len(words.Fidelity) {
			return nil, fmt.Errorf("kernel %d: its record is inconsistent", n*kernelsPerBlock+uint32(i))
		}
	}
	return rows, nil
}

// enter keeps a block, unless another goroutine has done so.
func (t *kernelTable) enter(n uint32, rows []trace.Kernel) *kernelBlock {
	if b := t.blocks[n]; b != nil {
		return b
	}
	if t.blocks == nil {
		t.blocks = map[uint32]*kernelBlock{}
	}
	b := newKernelBlock(n, rows)
	t.blocks[n] = b
	t.add(&b.cached)
	for x := t.over(); x != nil; x = t.over() {
		t.remove(x)
		delete(t.blocks, x.number)
	}
	return b
}

func newKernelBlock(n uint32, rows []trace.Kernel) *kernelBlock {
	b := &kernelBlock{cached: cached{number: n, bytes: 256}, first: rows[0]}
	for i := range rows {
		if rows[i].Recorded != nil && b.recorded == nil {
			b.recorded = make([]*trace.Recorded, len(rows))
			b.bytes += uint64(len(rows)) * 32
		}
		if b.recorded != nil {
			b.recorded[i] = rows[i].Recorded
		}
	}
	for i := range kernelFields {
		at := kernelFields[i].at
		if _, time := at(&rows[0]).(recordedTime); time {
			continue
		}
		if c := newNarrow(rows, at); c.width > 0 {
			b.differ = append(b.differ, c)
			b.bytes += uint64(len(c.data)) + 64
		}
	}
	return b
}

// newNarrow makes the column of a field; its width is 0 if all rows have the same.
func newNarrow(rows []trace.Kernel, at func(*trace.Kernel) any) narrow {
	least, most := ^uint64(0), uint64(0)
	for i := range rows {
		v := loadField(at(&rows[i]))
		least, most = min(least, v), max(most, v)
	}
	c := narrow{at: at, least: least}
	for (most-least)>>(8*c.width) > 0 {
		c.width++
	}
	c.data = make([]byte, 0, c.width*len(rows))
	for i := range rows {
		v := loadField(at(&rows[i])) - least
		for range c.width {
			c.data = append(c.data, byte(v))
			v >>= 8
		}
	}
	return c
}

// read makes row i.
func (b *kernelBlock) read(i uint32, k *trace.Kernel) {
	*k = b.first
	for j := range b.differ {
		c := &b.differ[j]
		v := uint64(0)
		for n, x := range c.data[int(i)*c.width:][:c.width] {
			v |= uint64(x) << (8 * n)
		}
		storeField(c.at(k), c.least+v)
	}
	if b.recorded != nil {
		k.Recorded = b.recorded[i]
	}
}
