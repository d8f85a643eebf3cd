package container

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"gpureplay/trace"
	"gpureplay/trace/internal/words"
	"hash"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// Options of a [Writer]. Zero values are the defaults.
type Options struct {
	// BlockBytes is the size at which a block of CTAs is closed, unpacked and in
	// bytes: 256 KiB. Larger blocks pack a little better and cost each cursor
	// more memory. A block also ends where its Go values would take 16 times as
	// much, and has at least one CTA.
	BlockBytes int
	// Level is the zstd level, as the zstd command numbers them: 3.
	Level int
}

// Writer writes the binary container to a stream. It holds the program, one
// block of CTAs, one of kernels and one of host operations, and a few bytes per
// block and per kernel.
type Writer struct {
	out     io.Writer
	packer  *zstd.Encoder
	opt     Options
	offset  uint64
	index   []blockRow
	hash    hash.Hash
	prog    trace.Program
	rules   *rules
	open    *trace.Kernel
	ctas    ctaEncoder
	kernels []trace.Kernel
	ops     []trace.HostOp
	facts   [][]instFacts // of the instructions that paths have used
	raw     []byte
	packed  []byte
	err     error
	closed  bool
	least   trace.Fidelity // of the kernels so far
}

// instFacts are the facts of an instruction that the stored form of a path depends on.
type instFacts struct {
	width uint32
	bulk  bool
	used  bool
}

// NewWriter begins a container. Nothing is to be written to w by others until Close. It returns an error if an
// option is out of its range.
func NewWriter(w io.Writer, opt Options) (*Writer, error) {
	if opt.BlockBytes == 0 {
		opt.BlockBytes = 256 << 10
	}
	if opt.Level == 0 {
		opt.Level = 3
	}
	if opt.BlockBytes < 1<<10 || opt.BlockBytes > 64<<20 || opt.Level < 1 || opt.Level > 22 {
		return nil, fmt.Errorf("trace: options: blocks of %d bytes (1 KiB to 64 MiB), level %d (1 to 22)", opt.BlockBytes,
			opt.Level)
	}
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(opt.Level)))
	if err != nil {
		return nil, err
	}
	t := &Writer{out: w, packer: packer, opt: opt, hash: sha256.New(), rules: newRules()}
	t.write(appendHeader(nil))
	return t, t.err
}

// SetMeta sets where the trace comes from, any time before Close. A fidelity of FidelityNone becomes the least
// detailed kernel's.
func (w *Writer) SetMeta(m trace.Meta) { w.prog.Meta = m }

// AddArray adds an array, any time before Close, and returns its index.
func (w *Writer) AddArray(a trace.Array) uint32 {
	w.prog.Arrays = append(w.prog.Arrays, a)
	return uint32(len(w.prog.Arrays) - 1)
}

// AddFunction adds a function without instructions and returns its index.
func (w *Writer) AddFunction(name string) uint32 {
	w.prog.Functions = append(w.prog.Functions, trace.Function{Name: name})
	w.facts = append(w.facts, nil)
	return uint32(len(w.prog.Functions) - 1)
}

// AddScope adds a scope, whose surrounding one has been added before. It returns the number by which kernels and
// operations name it: its index + 1.
func (w *Writer) AddScope(s trace.Scope) uint32 {
	w.prog.Scopes = append(w.prog.Scopes, s)
	return uint32(len(w.prog.Scopes))
}

// AddInst appends an instruction to a function, also while one of its kernels is
// open, and returns its index in paths.
func (w *Writer) AddInst(fn uint32, in trace.Inst) uint32 {
	f := &w.prog.Functions[fn]
	f.Insts = append(f.Insts, in)
	return uint32(len(f.Insts) - 1)
}

// Inst returns an instruction to read, or to change until a path has used it.
// The pointer is valid until the next AddInst to the function.
func (w *Writer) Inst(fn, i uint32) *trace.Inst { return &w.prog.Functions[fn].Insts[i] }

// Diagnose adds a diagnostic. The counts of one name add up.
func (w *Writer) Diagnose(d trace.Diagnostic) {
	for i := range w.prog.Diagnostics {
		if p := &w.prog.Diagnostics[i]; p.Name == d.Name {
			p.Count += d.Count
			return
		}
	}
	w.prog.Diagnostics = append(w.prog.Diagnostics, d)
}

// Host appends an operation of the host. It may name kernels and arrays that come later. It returns an error if the
// operation breaks a rule of traces, or if w failed.
func (w *Writer) Host(op *trace.HostOp) error {
	if err := w.usable(); err != nil {
		return err
	}
	if err := w.rules.op(op); err != nil {
		return w.fail(err)
	}
	w.ops = append(w.ops, canonicalOp(op))
	w.prog.Totals.Add(op)
	if len(w.ops) == opsPerBlock {
		w.flushOps()
	}
	return w.err
}

// NextKernel returns the id that the next BeginKernel will assign.
func (w *Writer) NextKernel() uint32 { return uint32(w.prog.Totals.Kernels) }

// BeginKernel opens a kernel for its CTAs and returns its id. The fields of k that the Writer keeps are ignored. It
// returns an error if a kernel is open, or if k breaks a rule of traces.
func (w *Writer) BeginKernel(k *trace.Kernel) (uint32, error) {
	if err := w.usable(); err != nil {
		return 0, err
	}
	if w.open != nil {
		return 0, w.fail(fmt.Errorf("kernel %d is still open; end it before the next begins", w.open.ID))
	}
	if w.prog.Totals.Kernels == math.MaxUint32 {
		return 0, w.fail(errors.New("a trace holds fewer than 2³² - 1 kernels; split it"))
	}
	c := *k
	c.ID = w.NextKernel()
	c.Recorded = canonicalRecorded(k.Recorded)
	c.CTAs, c.Warps, c.WarpInsts, c.ThreadInsts, c.MemInsts = 0, 0, 0, 0, 0
	if err := w.rules.begin(&c, len(w.prog.Functions)); err != nil {
		return 0, w.fail(err)
	}
	w.prog.Totals.Kernels++
	w.open = &c
	return c.ID, nil
}

// WriteCTA appends a CTA to the open kernel; ids ascend. The Writer keeps nothing of c. A warp without masks has
// full ones. It returns an error if no kernel is open, if c breaks a rule of traces, or if w failed.
func (w *Writer) WriteCTA(c *trace.CTA) error {
	if err := w.usable(); err != nil {
		return err
	}
	if w.open == nil {
		return w.fail(fmt.Errorf("CTA %d belongs to no kernel; begin one first", c.ID))
	}
	insts := w.prog.Functions[w.open.Function].Insts
	if err := w.rules.cta(insts, c, w.open); err != nil {
		return w.fail(err)
	}
	w.note(insts, c)
	if err := w.ctas.add(w.open, insts, c); err != nil {
		return w.fail(err)
	}
	if n := w.ctas.bytes(); n > maxDecodedBytes {
		return w.fail(fmt.Errorf("kernel %d, CTA %d: it takes %d bytes, more than %d; record less of it", w.open.ID, c.ID,
			n, maxDecodedBytes))
	}
	for i := range c.Warps {
		w.prog.Totals.ChildLaunches += uint64(len(c.Warps[i].Launches))
	}
	if w.ctas.raw() >= w.opt.BlockBytes || w.ctas.bytes() >= 16*uint64(w.opt.BlockBytes) {
		w.flushCTAs()
	}
	return w.err
}

// note remembers the facts that the stored form of the paths depends on.
func (w *Writer) note(insts []trace.Inst, c *trace.CTA) {
	facts := w.facts[w.open.Function]
	for len(facts) < len(insts) {
		facts = append(facts, instFacts{})
	}
	w.facts[w.open.Function] = facts
	use := func(p uint32) {
		if f := &facts[p]; !f.used {
			*f = instFacts{insts[p].Width, insts[p].Flags&trace.InstBulk != 0, true}
		}
	}
	for i := range c.Warps {
		for _, p := range c.Warps[i].Path {
			use(p)
		}
	}
	for _, n := range c.Counts {
		use(n.Inst)
	}
}

// EndKernel closes the open kernel and adds flags to its own. It fails if no kernel is open, or if its CTAs break a
// rule.
func (w *Writer) EndKernel(flags trace.KernelFlags) error {
	if err := w.usable(); err != nil {
		return err
	}
	k := w.open
	if k == nil {
		return w.fail(errors.New("no kernel is open to be ended"))
	}
	w.open = nil
	k.Flags |= flags
	if k.Flags >= 1<<len(words.KernelFlag) {
		return w.fail(fmt.Errorf("kernel %d: there is no flag %#x", k.ID, uint8(k.Flags)))
	}
	w.rules.flags(k.ID, k.Flags)
	t := &w.prog.Totals
	t.CTAs += uint64(k.CTAs)
	t.Warps += k.Warps
	t.WarpInsts += k.WarpInsts
	t.ThreadInsts += k.ThreadInsts
	t.MemInsts += k.MemInsts
	if t.Kernels == 1 {
		w.least = k.Fidelity
	}
	w.least = min(w.least, k.Fidelity)
	w.kernels = append(w.kernels, *k)
	if len(w.kernels) == kernelsPerBlock {
		w.flushKernels()
	}
	return w.err
}

// Close writes the last blocks, the program and the index, and checks the rules that need the whole trace. It does
// not close the stream. It returns the first error of the Writer.
func (w *Writer) Close() error {
	if err := w.usable(); err != nil {
		return err
	}
	if w.open != nil {
		return w.fail(fmt.Errorf("kernel %d is still open; end it before closing the trace", w.open.ID))
	}
	if w.prog.Meta.Fidelity == trace.FidelityNone {
		w.prog.Meta.Fidelity = w.least
	}
	if n := soundNames(&w.prog); n > 0 {
		w.Diagnose(trace.Diagnostic{Name: "names_changed", Severity: trace.Info, Count: n,
			Help: "names that are not UTF-8, or hold a zero byte: U+FFFD stands " +
				"for what cannot be shown"})
	}
	err := w.rules.finish(&w.prog)
	if err == nil {
		err = checkProgram(&w.prog)
	}
	if err == nil {
		err = w.checkFacts()
	}
	if err != nil {
		return w.fail(err)
	}
	w.flushCTAs()
	w.flushKernels()
	w.flushOps()
	w.block(appendProgram(&w.prog, w.raw[:0]), blockRow{kind: uint8(kindStrings)})
	w.finish()
	w.packer.Close()
	w.closed = true
	return w.err
}

func (w *Writer) checkFacts() error {
	for fn, facts := range w.facts {
		for i, f := range facts {
			in := &w.prog.Functions[fn].Insts[i]
			if f.used && (f.width != in.Width || f.bulk != (in.Flags&trace.InstBulk != 0)) {
				return fmt.Errorf("function %s, instruction %d: its width was changed after a path had used it",
					w.prog.Functions[fn].Name, i)
			}
		}
	}
	return nil
}

// finish writes index and locator.
func (w *Writer) finish() {
	rows := w.index
	raw := appendTable(nil, kindBlock, blockFields, rows, nil)
	w.packed = w.packer.EncodeAll(raw, w.packed[:0])
	l := locator{offset: w.offset, bytes: uint32(len(w.packed)), raw: uint32(len(raw)), crc: checksum(w.packed)}
	w.hash.Sum(l.hash[:0])
	w.write(w.packed)
	w.write(l.append(nil))
}

func (w *Writer) flushCTAs() {
	if w.ctas.rows > 0 {
		raw, row := w.ctas.finish(w.raw[:0])
		w.block(raw, row)
	}
}

func (w *Writer) flushKernels() {
	if len(w.kernels) > 0 {
		raw := appendTable(w.raw[:0], kindKernel, kernelFields, w.kernels, nil)
		w.block(raw, blockRow{kind: uint8(kindKernel), rows: uint32(len(w.kernels)), kernel: w.kernels[0].ID})
		w.kernels = w.kernels[:0]
	}
}

func (w *Writer) flushOps() {
	if len(w.ops) > 0 {
		raw := appendTable(w.raw[:0], kindHost, hostFields, w.ops, nil)
		w.block(raw, blockRow{kind: uint8(kindHost), rows: uint32(len(w.ops))})
		w.ops = w.ops[:0]
	}
}

// block packs a block, writes it and enters it in the index.
func (w *Writer) block(raw []byte, row blockRow) {
	w.raw = raw
	if w.err == nil && uint64(len(raw)) > maxBlockBytes {
		w.err = fmt.Errorf("a block has %d bytes, more than %d; split the CTA or the program", len(raw), maxBlockBytes)
	}
	w.hash.Write(raw)
	w.packed = w.packer.EncodeAll(raw, w.packed[:0])
	row.bytes, row.raw, row.crc = uint32(len(w.packed)), uint32(len(raw)), checksum(w.packed)
	w.index = append(w.index, row)
	w.write(w.packed)
}

func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.out.Write(b)
	w.offset += uint64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		w.err = fmt.Errorf("writing the trace at byte %d: %w", w.offset, err)
	}
}

func (w *Writer) usable() error {
	if w.closed && w.err == nil {
		return errClosed
	}
	return w.err
}

// fail makes err the outcome of this and every later call: the file is of no
// use.
func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = err
	}
	return w.err
}
