// Package unpack reads gzip, zstd and xz streams, recognised by content.
package unpack

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// maxWindow bounds the memory that a zstd or xz stream may ask for.
const maxWindow = 128 << 20

// Reader returns the unpacked stream, and whether it was packed. Close frees
// the unpacker, not r.
func Reader(r *bufio.Reader) (io.ReadCloser, bool, error) {
	magic, err := r.Peek(6)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	if !Packed(magic) {
		return io.NopCloser(r), false, nil
	}
	switch magic[0] {
	case 0x1f:
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, true, err
		}
		return z, true, nil
	case 0x28:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, true, err
		}
		return z.IOReadCloser(), true, nil
	}
	head, _ := r.Peek(xzHead) // what there is of it
	if n := dictionary(head); n > maxWindow {
		return nil, true, fmt.Errorf("the xz stream asks for a dictionary of %d MiB; pack it anew with one of at most %d", n>>20, maxWindow>>20)
	}
	z, err := xz.NewReader(r)
	if err != nil {
		return nil, true, err
	}
	return io.NopCloser(z), true, nil
}

// xzHead is the size of an xz stream's header and its longest block header.
const xzHead = 12 + 1024

// dictionary returns the size of the dictionary that the first block of an xz
// stream asks for, as its header says; 0 if it is not understood, which the
// reader will tell.
func dictionary(head []byte) int64 {
	if len(head) < 14 || head[12] == 0 {
		return 0
	}
	flags, p := head[13], head[14:]
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

// Packed reports whether a stream that begins so is packed.
func Packed(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) ||
		bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		bytes.HasPrefix(head, []byte{0xfd, '7', 'z', 'X', 'Z', 0})
}
