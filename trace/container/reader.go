package container

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"gpureplay/trace"
	"gpureplay/trace/text"
	"io"
	"os"
	"sort"
	"sync"
	"sync/atomic"
)

// kernelsPerBlock and opsPerBlock are the rows of the blocks of kernels and of
// host operations, but for the last ones.
const (
	kernelsPerBlock = 256
	opsPerBlock     = 4096
)

// Reader opens a trace at any kernel and CTA. Its methods may be called by
// several goroutines at once; each cursor belongs to one.
type Reader struct {
	assumed []trace.HostOp // instead of the trace's; nil: none
	in      io.ReaderAt
	closer  io.Closer
	loc     locator
	index   []blockRow
	prog    trace.Program
	count   [3]uint64 // kernels, host operations and CTAs in the blocks

	ctaBlocks, kernelBlocks, hostBlocks []uint32 // indices into index
	programBlock                        uint32

	unpacked atomic.Uint64

	mu      sync.Mutex
	blocks  blockCache
	ahead   readAhead
	kernels kernelTable

	shortening sync.Once
	short      []string // of the program's functions, once requested
}

// frame is the memory for reading one block.
type frame struct {
	packed, raw []byte
	decoder     ctaDecoder
}

// frames holds the memory of readers, *frame, between blocks.
var frames = sync.Pool{New: func() any { return &frame{} }}

// Open opens a trace: the binary container or the text form, told apart by content. A text is read as a whole and
// kept in memory as a container. It returns an error if the file is no trace, was cut, or has a later version.
func Open(path string) (*Reader, error) {
	st, err := os.Stat(path) // before it is opened: opening a pipe waits for its writer
	switch {
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, fmt.Errorf("%s: is a folder, not a trace; name a file in it, or convert it with \"replay convert\"", path)
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is no regular file; a trace is read at random, so copy it to a file first", path)
	case st.Size() == 0:
		return nil, fmt.Errorf("%s: is empty: %w", path, errNotTrace)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := openFile(f, path)
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

func openFile(f *os.File, path string) (*Reader, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	head := make([]byte, 4096)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if text.Is(head[:n]) {
		return openText(f, path)
	}
	r, err := NewReader(f, st.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.closer = f
	return r, nil
}

// Is reports whether a file that begins so is a trace, sound or not.
func Is(head []byte) bool {
	return len(head) >= 16 && binary.LittleEndian.Uint32(head) == skippable && string(head[8:16]) == headerMagic
}

func openText(f *os.File, path string) (*Reader, error) {
	var out bytes.Buffer
	w, err := NewWriter(&out, Options{})
	if err == nil {
		err = text.Parse(path, f, w)
	}
	if err == nil {
		if err = w.Close(); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	if err != nil {
		return nil, err
	}
	r, err := NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, f.Close()
}

// NewReader opens a binary container of the given size. It returns an error if its header, index or program is
// damaged.
func NewReader(in io.ReaderAt, size int64) (*Reader, error) {
	r := &Reader{in: in}
	r.blocks.unpacked.limit, r.kernels.limit = unpackedBytes, kernelBytes
	head := make([]byte, headerLen)
	if n, err := in.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, err
	} else if err := readHeader(head[:n]); err != nil {
		return nil, err
	}
	if size < headerLen+locatorLen {
		return nil, fmt.Errorf("the trace has %d bytes: it was cut; make it again", size)
	}
	tail := make([]byte, locatorLen)
	if err := readFull(in, tail, size-locatorLen); err != nil {
		return nil, err
	}
	if err := r.loc.read(tail, size); err != nil {
		return nil, err
	}
	if err := r.readIndex(); err != nil {
		return nil, err
	}
	if err := r.readProgram(); err != nil {
		return nil, err
	}
	r.blocks.kept.limit = keptLimit(r.prog.Totals.ChildLaunches)
	return r, nil
}

func readFull(in io.ReaderAt, b []byte, off int64) error {
	n, err := in.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("reading %d bytes at byte %d: %w", len(b), off, err)
}

func (r *Reader) readIndex() error {
	row := blockRow{bytes: r.loc.bytes, raw: r.loc.raw, crc: r.loc.crc, offset: int64(r.loc.offset)}
	raw, err := r.readFrame(&frame{}, &row)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	var s section
	if len(raw) == 0 {
		return fmt.Errorf("index: %w", errBlock)
	}
	if _, err := s.next(raw); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	if s.kind != kindBlock {
		return fmt.Errorf("index: it holds a section %q", s.kind)
	}
	if r.index, err = readTable(&s, blockFields, nil); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	offset := int64(headerLen)
	for i := range r.index {
		b := &r.index[i]
		b.offset = offset
		offset += int64(b.bytes)
		if err := r.placeBlock(uint32(i), b); err != nil {
			return err
		}
	}
	if offset != int64(r.loc.offset) {
		return fmt.Errorf("index: its blocks end at byte %d, not where it begins, at %d", offset, r.loc.offset)
	}
	if len(r.index) == 0 || kind(r.index[len(r.index)-1].kind) != kindStrings {
		return fmt.Errorf("index: the program block is missing")
	}
	r.programBlock = uint32(len(r.index) - 1)
	return nil
}

// placeBlock sorts a block of the index to its kind and checks its place.
func (r *Reader) placeBlock(i uint32, b *blockRow) error {
	bad := fmt.Errorf("index: block %d is out of order", i)
	switch kind(b.kind) {
	case kindKernel:
		if uint64(b.kernel) != r.count[0] || r.count[0]%kernelsPerBlock != 0 || b.rows > kernelsPerBlock || b.rows == 0 {
			return bad
		}
		r.count[0] += uint64(b.rows)
		r.kernelBlocks = append(r.kernelBlocks, i)
	case kindHost:
		if r.count[1]%opsPerBlock != 0 || b.rows > opsPerBlock || b.rows == 0 {
			return bad
		}
		r.count[1] += uint64(b.rows)
		r.hostBlocks = append(r.hostBlocks, i)
	case kindCTA:
		if n := len(r.ctaBlocks); n > 0 {
			if p := &r.index[r.ctaBlocks[n-1]]; b.kernel < p.kernel || b.kernel == p.kernel && b.cta <= p.cta {
				return bad
			}
		}
		r.count[2] += uint64(b.rows)
		r.ctaBlocks = append(r.ctaBlocks, i)
	}
	return nil
}

// readFrame reads a block, checks its bytes and unpacks it.
func (r *Reader) readFrame(f *frame, b *blockRow) ([]byte, error) {
	if uint64(b.bytes) > maxBlockBytes || uint64(b.raw) > maxBlockBytes {
		return nil, fmt.Errorf("its block has %d bytes, %d unpacked, more than %d", b.bytes, b.raw, maxBlockBytes)
	}
	if cap(f.packed) < int(b.bytes) {
		f.packed = make([]byte, b.bytes)
	}
	f.packed = f.packed[:b.bytes]
	if err := readFull(r.in, f.packed, b.offset); err != nil {
		return nil, err
	}
	if sum := checksum(f.packed); sum != b.crc {
		return nil, fmt.Errorf("the block at byte %d is damaged (checksum %08x, not %08x)", b.offset, sum, b.crc)
	}
	raw, err := unpack(f.raw, f.packed, b.raw)
	if err != nil {
		return nil, fmt.Errorf("the block at byte %d: %w", b.offset, err)
	}
	f.raw = raw
	r.unpacked.Add(uint64(len(raw)))
	return raw, nil
}

// Unpacked returns how many bytes of blocks have been read so far, decompressed.
// A block that is read again counts again.
func (r *Reader) Unpacked() uint64 { return r.unpacked.Load() }

// Close closes the file of a Reader from [Open]. Cursors are not to be used after it; values that they have read
// stay valid. It returns the error of closing the file.
func (r *Reader) Close() error {
	r.ahead.Wait()
	r.mu.Lock()
	r.blocks.drop()
	r.mu.Unlock()
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// Program returns the part of the trace that does not grow with the execution. It is shared and read only.
func (r *Reader) Program() *trace.Program { return &r.prog }

// Kernels returns the number of kernels.
func (r *Reader) Kernels() int { return int(r.count[0]) }

// Hash returns 32 hexadecimal digits that depend on the contents of every block,
// but not on the zstd level.
func (r *Reader) Hash() string { return hex.EncodeToString(r.loc.hash[:16]) }

// readRows reads a block that holds one table.
func readRows[T any](r *Reader, block uint32, k kind, fields []field[T]) ([]T, error) {
	f := frames.Get().(*frame)
	defer frames.Put(f)
	b := &r.index[block]
	raw, err := r.readFrame(f, b)
	if err != nil {
		return nil, err
	}
	var s section
	if len(raw) == 0 {
		return nil, errBlock
	}
	if _, err := s.next(raw); err != nil {
		return nil, err
	}
	if s.kind != k || s.rows != uint64(b.rows) {
		return nil, fmt.Errorf("the block at byte %d holds %d rows of %q, not %d of %q", b.offset, s.rows, s.kind, b.rows, k)
	}
	return readTable(&s, fields, nil)
}

// hostCursor reads the host operations in program order.
type hostCursor struct {
	r     *Reader
	block int
	rows  []trace.HostOp
	err   error
}

// HostOps returns a cursor over the host operations.
func (r *Reader) HostOps() trace.Cursor[trace.HostOp] {
	if r.assumed != nil {
		return &hostCursor{rows: r.assumed, err: io.EOF}
	}
	return &hostCursor{r: r}
}

// Assume replaces the trace's host operations by the caller's, before the first read: a capture may leave out some
// of them.
func (r *Reader) Assume(ops []trace.HostOp) { r.assumed = ops }

// Next reads the next operation into op. It returns io.EOF at the end. The values behind op.Recorded and op.Deps
// are shared and read only.
func (c *hostCursor) Next(op *trace.HostOp) error {
	for len(c.rows) == 0 && c.err == nil {
		if c.block == len(c.r.hostBlocks) {
			c.err = io.EOF
			break
		}
		c.rows, c.err = readRows(c.r, c.r.hostBlocks[c.block], kindHost, hostFields)
		if c.err == nil {
			c.err = c.r.checkOps(c.rows)
		}
		if c.err != nil {
			c.rows, c.err = nil, fmt.Errorf("host operations from %d on: %w", c.block*opsPerBlock, c.err)
		}
		c.block++
	}
	if len(c.rows) == 0 {
		return c.err
	}
	*op, c.rows = c.rows[0], c.rows[1:]
	return nil
}

// checkOps checks the numbers of an operation that its users index with.
func (r *Reader) checkOps(ops []trace.HostOp) error {
	for i := range ops {
		op := &ops[i]
		kernels := op.Kind == trace.OpLaunch || op.Kind == trace.OpSpawn || op.Kind == trace.OpWaitTask
		bad := op.Kind >= trace.NumOpKinds || (kernels || op.Kernel != 0) && uint64(op.Kernel) >= r.count[0] ||
			op.Array != trace.NoArray && (!op.Kind.HasArray() || int(op.Array) >= len(r.prog.Arrays))
		for _, d := range op.Deps {
			bad = bad || uint64(d) >= r.count[0]
		}
		if bad {
			return fmt.Errorf("operation %d names what does not exist", i)
		}
	}
	return nil
}

// findBlock returns the number in ctaBlocks of the block that holds the CTA, if
// the trace has it.
func (r *Reader) findBlock(kernel, cta uint32) int {
	return max(0, sort.Search(len(r.ctaBlocks), func(i int) bool {
		b := &r.index[r.ctaBlocks[i]]
		return b.kernel > kernel || b.kernel == kernel && b.cta > cta
	})-1)
}

// ShortName is the short name of a function of the program, as [ShortNames] of all of
// its functions has it.
func (r *Reader) ShortName(function uint32) string {
	r.shortening.Do(func() {
		names := make([]string, len(r.prog.Functions))
		for i := range names {
			names[i] = r.prog.Functions[i].Name
		}
		r.short = trace.ShortNames(names)
	})
	return r.short[function]
}
