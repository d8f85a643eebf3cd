// Package warps puts the instructions of a kernel, which tracers write as they
// happened to arrive, into the order of a trace: by CTA, by warp, in the order
// of their execution. Memory is bounded by the largest CTA; what does not fit
// is sorted on disk.
package warps

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"gpureplay/convert/spill"
	"gpureplay/trace"
)

// MaxCTA is the largest number of warp instructions of one CTA.
const MaxCTA = 1 << 25

// MaxAddresses is the largest number of addresses of one instruction.
const MaxAddresses = 1 << 12

// Inst is one execution of an instruction by a warp.
type Inst struct {
	CTA, Warp uint32
	SM        int32  // -1: unknown
	Inst      uint32 // index into the function's instructions
	Mask      uint32
	Memory    bool     // Inst accesses memory
	Addrs     []uint64 // of the active lanes, ascending; nil: not recorded
}

// Grouper gathers the instructions of one kernel.
type Grouper struct {
	dir    string
	sorter *spill.Sorter
	lists  *os.File // addresses that are not base + stride
	listAt int64
	buf    []byte
	out    []byte
	count  uint64
}

// A record is cta 4, warp 4, seq 8, sm 4, inst 4, mask 4, stride 4, count 4,
// flags 4, base or offset in lists 8.
const recordBytes = 48

const (
	flagMemory = 1 << iota
	flagList
)

// New returns an empty grouper that sorts in about memory bytes (0: a default)
// and in files of the folder dir.
func New(dir string, memory int) *Grouper {
	if memory == 0 {
		memory = spill.DefaultMemory
	}
	return &Grouper{dir: dir, sorter: spill.New(dir, recordBytes, memory), buf: make([]byte, recordBytes)}
}

// Close removes the files.
func (g *Grouper) Close() {
	g.sorter.Close()
	if g.lists != nil {
		_ = g.lists.Close()
		_ = os.Remove(g.lists.Name())
	}
}

// Add takes one instruction. Those of a warp come in the order of execution;
// warps and CTAs may be mixed.
func (g *Grouper) Add(in *Inst) error { return g.AddAt(g.count, in) }

// AddAt is Add with the place of the instruction in its warp's order of
// execution, so that instructions may come in any order.
func (g *Grouper) AddAt(place uint64, in *Inst) error {
	if len(in.Addrs) > MaxAddresses {
		return fmt.Errorf("an instruction with more than %d addresses", MaxAddresses)
	}
	var flags uint32
	if in.Memory {
		flags |= flagMemory
	}
	base, stride, regular := affine(in.Addrs)
	if !regular {
		flags |= flagList
		base = uint64(g.listAt)
		if err := g.list(in.Addrs); err != nil {
			return err
		}
	}
	be := binary.BigEndian
	be.PutUint32(g.buf, in.CTA)
	be.PutUint32(g.buf[4:], in.Warp)
	be.PutUint64(g.buf[8:], place)
	be.PutUint32(g.buf[16:], uint32(in.SM))
	be.PutUint32(g.buf[20:], in.Inst)
	be.PutUint32(g.buf[24:], in.Mask)
	be.PutUint32(g.buf[28:], uint32(stride))
	be.PutUint32(g.buf[32:], uint32(len(in.Addrs)))
	be.PutUint32(g.buf[36:], flags)
	be.PutUint64(g.buf[40:], base)
	g.count++
	return g.sorter.Add(g.buf)
}

// affine reports whether the addresses are base + i·stride.
func affine(addrs []uint64) (base uint64, stride int32, ok bool) {
	if len(addrs) == 0 {
		return 0, 0, true
	}
	if len(addrs) == 1 {
		return addrs[0], 0, true
	}
	step := int64(addrs[1] - addrs[0])
	if step != int64(int32(step)) {
		return 0, 0, false
	}
	for i := 2; i < len(addrs); i++ {
		if int64(addrs[i]-addrs[i-1]) != step {
			return 0, 0, false
		}
	}
	return addrs[0], int32(step), true
}

// list appends addresses to the file of lists.
func (g *Grouper) list(addrs []uint64) error {
	if g.lists == nil {
		f, err := os.CreateTemp(g.dir, "replay-lists-*")
		if err != nil {
			return fmt.Errorf("temporary file for addresses (set TMPDIR to a folder with room): %w", err)
		}
		_ = os.Remove(f.Name()) // it goes with the process, however that ends
		g.lists = f
	}
	for _, a := range addrs {
		g.out = binary.BigEndian.AppendUint64(g.out, a)
	}
	g.listAt += int64(len(addrs)) * 8
	if len(g.out) < 256<<10 {
		return nil
	}
	return g.flush()
}

func (g *Grouper) flush() error {
	if len(g.out) == 0 {
		return nil
	}
	_, err := g.lists.Write(g.out)
	g.out = g.out[:0]
	return err
}

// Each hands over the CTAs in ascending order. The CTA is reused.
func (g *Grouper) Each(use func(*trace.CTA) error) error {
	if err := g.flush(); err != nil {
		return err
	}
	it, err := g.sorter.Sorted()
	if err != nil {
		return err
	}
	b := builder{g: g}
	for {
		rec, err := it.Next()
		if err == io.EOF {
			return b.finish(use)
		}
		if err != nil {
			return err
		}
		if err := b.add(rec, use); err != nil {
			return err
		}
	}
}

// builder makes CTAs of sorted records.
type builder struct {
	g     *Grouper
	cta   trace.CTA
	open  bool
	insts int
	raw   []byte
}

func (b *builder) add(rec []byte, use func(*trace.CTA) error) error {
	be := binary.BigEndian
	cta, warp := be.Uint32(rec), be.Uint32(rec[4:])
	if !b.open || cta != b.cta.ID {
		if err := b.finish(use); err != nil {
			return err
		}
		b.cta = trace.CTA{ID: cta, SM: int32(be.Uint32(rec[16:])), Warps: b.cta.Warps[:0]}
		b.open = true
	}
	if n := len(b.cta.Warps); n == 0 || b.cta.Warps[n-1].ID != warp {
		b.cta.AddWarp(warp)
	}
	if b.insts++; b.insts > MaxCTA {
		return fmt.Errorf("CTA %d has more than %d warp instructions", cta, MaxCTA)
	}
	w := &b.cta.Warps[len(b.cta.Warps)-1]
	mask, flags := be.Uint32(rec[24:]), be.Uint32(rec[36:])
	w.Step(be.Uint32(rec[20:]), mask)
	if flags&flagMemory == 0 {
		return nil
	}
	a := trace.Access{Base: be.Uint64(rec[40:]), Stride: int32(be.Uint32(rec[28:])), Count: be.Uint32(rec[32:])}
	if flags&flagList != 0 {
		if err := b.list(w, &a); err != nil {
			return err
		}
	}
	w.Mem = append(w.Mem, a)
	return nil
}

// list reads a list of addresses back.
func (b *builder) list(w *trace.Warp, a *trace.Access) error {
	n := int(a.Count) * 8
	if cap(b.raw) < n {
		b.raw = make([]byte, n)
	}
	if _, err := b.g.lists.ReadAt(b.raw[:n], int64(a.Base)); err != nil {
		return fmt.Errorf("reading back addresses: %w", err)
	}
	a.Base, a.List = 0, uint32(len(w.Lists))+1
	for i := 0; i < n; i += 8 {
		w.Lists = append(w.Lists, binary.BigEndian.Uint64(b.raw[i:]))
	}
	return nil
}

func (b *builder) finish(use func(*trace.CTA) error) error {
	if !b.open {
		return nil
	}
	b.open, b.insts = false, 0
	return use(&b.cta)
}

// Stride returns the stride of addresses that have a constant one.
func Stride(addrs []uint64) (int32, bool) {
	_, stride, ok := affine(addrs)
	return stride, ok
}
