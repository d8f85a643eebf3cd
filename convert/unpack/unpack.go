// Package unpack reads gzip, zstd and xz streams, recognised by content.
package unpack

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
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
		z, err := openGzip(r)
		if err != nil {
			return nil, true, err
		}
		return cut{z, "gzip"}, true, nil
	case 0x28:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, true, err
		}
		return cut{z.IOReadCloser(), "zstd"}, true, nil
	}
	z, err := openXZ(r)
	if err != nil {
		return nil, true, err
	}
	return cut{io.NopCloser(z), "xz"}, true, nil
}

// cut says of a stream that ends too soon which it is.
type cut struct {
	io.ReadCloser
	kind string
}

func (c cut) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("the %s stream is cut short; copy the file again: %w", c.kind, io.ErrUnexpectedEOF)
	}
	return n, err
}

// Packed reports whether a stream that begins so is packed.
func Packed(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) ||
		bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		bytes.HasPrefix(head, []byte{0xfd, '7', 'z', 'X', 'Z', 0})
}
