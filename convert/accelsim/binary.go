package accelsim

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"gpureplay/trace"
)

// Binary kernels (.tracez), little endian: the header's text, a NUL, the size of
// a dictionary and the instructions of a full sub-chunk (32 bits each), the
// dictionary, the warps, an index of CTAs and warps, and its offset (64 bits).
// A warp is its number of instructions and of sub-chunks, and for each of these
// its size and a zstd frame of lines. The warps of a CTA in the index are its
// warps 0, 1, 2 and so on.
const (
	maxDictionary = 64 << 10
	maxHeader     = 64 << 10
	maxFrame      = 256 << 20 // bytes of a sub-chunk, packed or not
)

// binaryHeader returns the length of the header of a binary kernel that begins
// so, with its closing NUL; 0 if it is text.
func binaryHeader(head []byte) int {
	n := bytes.IndexByte(head, 0) + 1
	if n > 0 && bytes.Contains(head[:n], []byte("#BEGIN_TB")) {
		return 0
	}
	return n
}

// sized is a file that can be read at any offset.
type sized interface {
	io.ReaderAt
	Size() (int64, error)
}

// binary converts a binary kernel with a header of n bytes, whose first bytes the reader has already taken from r.
func (c *converter) binary(r io.Reader, n int) error {
	file, size, err := c.seekable(r)
	if err != nil {
		return err
	}
	if f, ok := file.(*tempReader); ok {
		defer discard(f.File)
	}
	name := c.reader.file
	head := make([]byte, n-1)
	if _, err := file.ReadAt(head, 0); err != nil {
		return err
	}
	c.reader.reset(bytes.NewReader(head), name)
	h, err := parseHeader(&c.reader)
	if err != nil {
		return err
	}
	k := c.newKernel(h)
	b := &binaryReader{kernel: k, file: file, size: size, name: name}
	defer b.close()
	if err := b.read(int64(n)); err != nil {
		return err
	}
	return c.launch(k)
}

// seekable returns the file that r reads, copied if need be.
func (c *converter) seekable(r io.Reader) (io.ReaderAt, int64, error) {
	if f, ok := r.(sized); ok {
		size, err := f.Size()
		return f, size, err
	}
	f, err := tempFile(c.opt.TempDir)
	if err != nil {
		return nil, 0, err
	}
	read := c.reader.buf[c.reader.pos:c.reader.end]
	n, err := io.Copy(f, io.MultiReader(bytes.NewReader(read), r))
	if err != nil {
		discard(f)
		return nil, 0, err
	}
	return &tempReader{f}, n, nil
}

// binaryReader reads the body of a binary kernel.
type binaryReader struct {
	*kernel
	file  io.ReaderAt
	size  int64
	name  string
	zstd  *zstd.Decoder
	chunk uint32 // most instructions of a sub-chunk
	frame []byte
	text  []byte
}

func (b *binaryReader) close() {
	if b.zstd != nil {
		b.zstd.Close()
	}
}

// damaged is an error of the file as a whole.
func (b *binaryReader) damaged(format string, args ...any) error {
	return &Error{File: b.name, What: fmt.Sprintf(format, args...) +
		": it was cut or damaged; copy or capture it again", Err: io.ErrUnexpectedEOF}
}

// read converts the rest behind the header, which ends at offset at.
func (b *binaryReader) read(at int64) error {
	var head [8]byte
	if _, err := b.file.ReadAt(head[:], at); err != nil {
		return b.failed("the file ends behind its header", err)
	}
	dictionary := binary.LittleEndian.Uint32(head[:])
	b.chunk = binary.LittleEndian.Uint32(head[4:])
	if dictionary > maxDictionary || b.chunk == 0 {
		return b.damaged("a dictionary of %d bytes, sub-chunks of %d instructions", dictionary, b.chunk)
	}
	raw := make([]byte, dictionary)
	if _, err := b.file.ReadAt(raw, at+8); err != nil && dictionary > 0 {
		return b.failed("the file ends in its dictionary", err)
	}
	if err := b.open(raw); err != nil {
		return err
	}
	if _, err := b.file.ReadAt(head[:], b.size-8); err != nil || b.size < at+16 {
		return b.failed("the file has no index", err)
	}
	index := binary.LittleEndian.Uint64(head[:])
	if index < uint64(at)+8 || index > uint64(b.size-12) {
		return b.damaged("the index is said to be at byte %d of %d", index, b.size)
	}
	part := io.NewSectionReader(b.file, int64(index), b.size-8-int64(index))
	if err := b.shape(bufio.NewReaderSize(part, 64<<10)); err != nil {
		return err
	}
	_, _ = part.Seek(0, io.SeekStart) // to a place within
	return b.index(bufio.NewReaderSize(part, 64<<10))
}

// failed is the error of a read; most are of a cut file.
func (b *binaryReader) failed(what string, err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return b.damaged("%s", what)
	}
	return err
}

// dictionaryMagic begins a trained dictionary; others are plain content.
var dictionaryMagic = []byte{0x37, 0xa4, 0x30, 0xec}

// open makes the decoder.
func (b *binaryReader) open(dictionary []byte) (err error) {
	options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxFrame)}
	switch {
	case len(dictionary) == 0:
	case bytes.HasPrefix(dictionary, dictionaryMagic):
		options = append(options, zstd.WithDecoderDicts(dictionary))
	default:
		options = append(options, zstd.WithDecoderDictRaw(0, dictionary))
	}
	if b.zstd, err = zstd.NewReader(nil, options...); err != nil {
		return b.damaged("its dictionary: %v", err)
	}
	return nil
}

// words reads little-endian 32-bit numbers of the index.
func (b *binaryReader) words(r io.Reader, to ...*uint32) error {
	for _, v := range to {
		var buf [4]byte
		if _, err := io.ReadFull(r, buf[:]); err != nil {
			return b.failed("the index ends early", err)
		}
		*v = binary.LittleEndian.Uint32(buf[:])
	}
	return nil
}

// entry reads a CTA of the index, up to its warps.
func (b *binaryReader) entry(r io.Reader) (at trace.Dim3, c cluster, warps uint32, err error) {
	err = b.words(r, &at[0], &at[1], &at[2], &c.id[0], &c.id[1], &c.id[2], &c.cta[0], &c.cta[1], &c.cta[2], &c.rank,
		&warps)
	if err == nil && warps > b.h.warps() {
		err = b.damaged("an index of %d warps for CTAs of %d", warps, b.h.warps())
	}
	return at, c, warps, err
}

// shape goes through the index to find the shape of the clusters.
func (b *binaryReader) shape(r *bufio.Reader) error {
	var n uint32
	if err := b.words(r, &n); err != nil {
		return err
	}
	var shape trace.Dim3
	for range n {
		_, c, warps, err := b.entry(r)
		if err != nil {
			return err
		}
		c.reach(&shape)
		for range warps {
			var insts, chunks, low, high uint32
			if err := b.words(r, &insts, &chunks, &low, &high); err != nil {
				return err
			}
			if _, err := io.CopyN(io.Discard, r, 4*int64(chunks)); err != nil {
				return b.failed("the index ends early", err)
			}
		}
	}
	b.setCluster(shape)
	return nil
}

// index goes through the index and converts CTA by CTA.
func (b *binaryReader) index(r io.Reader) error {
	var n uint32
	if err := b.words(r, &n); err != nil {
		return err
	}
	if uint64(n) > b.h.kernel.Grid.Count() {
		return b.damaged("an index of %d CTAs for a grid of %d", n, b.h.kernel.Grid.Count())
	}
	for range n {
		at, c, warps, err := b.entry(r)
		if err != nil {
			return err
		}
		if err := b.ctx.Err(); err != nil {
			return err
		}
		b.l.file, b.l.number = b.name, 0
		if err := b.beginCTA(at); err != nil {
			return err
		}
		b.checkCluster(c)
		for id := range warps {
			if err := b.warp(r, at, id); err != nil {
				return err
			}
		}
		if err := b.writeCTA(); err != nil {
			return err
		}
	}
	return nil
}

// warp converts the warp that is next in the index.
func (b *binaryReader) warp(r io.Reader, at trace.Dim3, id uint32) error {
	var insts, chunks, low, high uint32
	if err := b.words(r, &insts, &chunks, &low, &high); err != nil {
		return err
	}
	if insts > 0 && chunks == 0 || chunks > insts {
		return b.damaged("a warp of %d instructions in %d sub-chunks", insts, chunks)
	}
	off := uint64(high)<<32 | uint64(low)
	if off > uint64(b.size) {
		return b.damaged("a warp is said to be at byte %d of %d", off, b.size)
	}
	w, err := b.addWarp(id)
	if err != nil {
		return err
	}
	b.l.file = fmt.Sprintf("%s CTA (%d,%d,%d) warp %d", b.name, at[0], at[1], at[2], id)
	b.l.number = 0
	in := bufio.NewReaderSize(io.NewSectionReader(b.file, int64(off), b.size-int64(off)), 32<<10)
	var sameInsts, sameChunks uint32
	if chunks > 0 || insts > 0 {
		if err := b.words(in, &sameInsts, &sameChunks); err != nil {
			return err
		}
		if sameInsts != insts || sameChunks != chunks {
			return b.damaged("%d instructions in %d sub-chunks where its index says %d in %d", sameInsts, sameChunks, insts,
				chunks)
		}
	}
	var sum uint64
	for range chunks {
		var n uint32
		if err := b.words(r, &n); err != nil {
			return err
		}
		sum += uint64(n)
		if n > b.chunk || sum > uint64(insts) {
			return b.damaged("a sub-chunk of %d instructions", n)
		}
		if err := b.subChunk(in, w, n); err != nil {
			return err
		}
	}
	if sum != uint64(insts) {
		return b.damaged("sub-chunks of %d instructions in a warp of %d", sum, insts)
	}
	return b.endWarp()
}

// subChunk converts one frame of lines.
func (b *binaryReader) subChunk(r io.Reader, w *trace.Warp, n uint32) error {
	var size uint32
	if err := b.words(r, &size); err != nil {
		return err
	}
	if uint64(size) > min(uint64(b.size), maxFrame) {
		return b.damaged("a frame of %d bytes", size)
	}
	if cap(b.frame) < int(size) {
		b.frame = make([]byte, size)
	}
	b.frame = b.frame[:size]
	if _, err := io.ReadFull(r, b.frame); err != nil {
		return b.failed("the file ends within a frame", err)
	}
	var err error
	if b.text, err = b.zstd.DecodeAll(b.frame, b.text[:0]); err != nil {
		return b.damaged("%s: a frame: %v", b.l.file, err)
	}
	text := b.text
	for range n {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		b.l.number++
		if len(line) == 0 {
			return b.l.errorf("a frame of fewer lines than its index says")
		}
		if err := b.step(w, line); err != nil {
			return err
		}
	}
	if len(text) > 0 {
		return b.l.errorf("a frame of more lines than its index says")
	}
	return nil
}
