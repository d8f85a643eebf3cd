package unpack

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/ulikunitz/xz"
)

// openXZ reads xz streams and refuses blocks with a dictionary of more than maxWindow bytes. The library has no
// such limit: it allocates the size that a block states, up to 4 GiB.
func openXZ(r *bufio.Reader) (io.Reader, error) {
	g := &gate{r: bufio.NewReaderSize(r, maxHeader), next: (*gate).stream}
	z, err := xz.NewReader(g)
	if g.refused != nil {
		return nil, g.refused
	}
	return z, err
}

// maxHeader is the size of the longest block header.
const maxHeader = 1024

// gate passes xz streams on part by part, and looks at each block's header before it does. It passes on unknown
// data as a whole: the reader behind it reports it. The parts follow the format's specification 1.2.1, sections 2
// to 4, and LZMA2's chunks.
type gate struct {
	r       *bufio.Reader
	left    int64             // bytes of the part that passes now
	next    func(*gate) error // looks at the part behind it
	check   int64             // bytes of a block's check
	packed  int64             // bytes of the block's chunks so far
	index   int64             // bytes of the index so far
	records uint64            // of the index, still to come
	refused error
}

func (g *gate) Read(p []byte) (int, error) {
	for g.left == 0 {
		if err := g.next(g); err != nil {
			return 0, err
		}
	}
	n, err := g.r.Read(p[:min(int64(len(p)), g.left)])
	g.left -= int64(n)
	return n, err
}

// pass lets a part through, and names the function that looks at the next one.
func (g *gate) pass(bytes int64, next func(*gate) error) error {
	g.left, g.next = bytes, next
	return nil
}

func (g *gate) passAll() error { return g.pass(math.MaxInt64, nil) }

// stream looks at a stream's header, or at padding before it.
func (g *gate) stream() error {
	head, err := g.r.Peek(12)
	switch {
	case len(head) == 0:
		return err
	case len(head) >= 4 && binary.LittleEndian.Uint32(head) == 0:
		return g.pass(4, (*gate).stream)
	case len(head) < 12 || !Packed(head):
		return g.passAll()
	}
	g.check = 0
	if id := head[7] & 15; id > 0 {
		g.check = 4 << ((id - 1) / 3)
	}
	return g.pass(12, (*gate).block)
}

// block looks at a block's header, or at the index that stands behind the last.
func (g *gate) block() error {
	head, _ := g.r.Peek(1)
	if len(head) == 0 {
		return g.passAll()
	}
	if head[0] == 0 {
		g.index = 1
		return g.pass(1, (*gate).count)
	}
	size := 4 * (int(head[0]) + 1)
	if head, _ = g.r.Peek(size); len(head) < size {
		return g.passAll()
	}
	if n := dictionary(head); n > maxWindow {
		g.refused = fmt.Errorf("the xz stream needs a dictionary of %d MiB; pack it anew with one of at most %d", n>>20,
			maxWindow>>20)
		return g.refused
	}
	g.packed = 0
	return g.pass(int64(size), (*gate).chunk)
}

// chunk looks at the header of a chunk of LZMA2; the last is a zero, behind which
// stand padding and the check.
func (g *gate) chunk() error {
	head, _ := g.r.Peek(5)
	var bytes int64
	switch {
	case len(head) > 0 && head[0] == 0:
		padding := -(g.packed + 1) & 3
		return g.pass(1+padding+g.check, (*gate).block)
	case len(head) == 5 && head[0] >= 0x80:
		bytes = 5 + int64(binary.BigEndian.Uint16(head[3:])) + 1
		if head[0] >= 0xc0 {
			bytes++ // properties
		}
	case len(head) >= 3 && head[0] <= 2:
		bytes = 3 + int64(binary.BigEndian.Uint16(head[1:])) + 1
	default:
		return g.passAll()
	}
	g.packed += bytes
	return g.pass(bytes, (*gate).chunk)
}

// count looks at the number of records of the index.
func (g *gate) count() error {
	n, bytes := g.number()
	g.records = n
	return g.indexPart(bytes)
}

// number looks at one of the index's numbers; 0 bytes: it is none.
func (g *gate) number() (uint64, int) {
	head, _ := g.r.Peek(9)
	n, bytes := binary.Uvarint(head)
	return n, max(bytes, 0)
}

// indexPart passes a number of the index on, and behind the last one padding, a
// checksum and the stream's footer.
func (g *gate) indexPart(bytes int) error {
	if bytes == 0 {
		return g.passAll()
	}
	g.index += int64(bytes)
	if g.records > 0 {
		return g.pass(int64(bytes), (*gate).unpadded)
	}
	padding := -g.index & 3
	return g.pass(int64(bytes)+padding+4+12, (*gate).stream)
}

// unpadded and unpacked look at a record's two numbers.
func (g *gate) unpadded() error {
	_, bytes := g.number()
	if bytes == 0 {
		return g.passAll()
	}
	g.index += int64(bytes)
	return g.pass(int64(bytes), (*gate).unpacked)
}

func (g *gate) unpacked() error {
	_, bytes := g.number()
	g.records--
	return g.indexPart(bytes)
}

// dictionary returns the size of the dictionary that a block's header requests;
// 0 if it is not understood, which the reader will tell.
func dictionary(header []byte) int64 {
	flags, p := header[1], header[2:]
	for _, present := range []byte{0x40, 0x80} { // packed size, unpacked size
		if flags&present != 0 {
			_, n := binary.Uvarint(p)
			if n <= 0 {
				return 0
			}
			p = p[n:]
		}
	}
	const lzma2 = 0x21
	if flags&3 != 0 || len(p) < 3 || p[0] != lzma2 || p[1] != 1 {
		return 0
	}
	if p[2] >= 40 {
		return 4 << 30
	}
	return int64(2|p[2]&1) << (p[2]/2 + 11)
}
