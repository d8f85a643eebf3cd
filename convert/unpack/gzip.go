package unpack

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"
)

// members reads gzip members one after another. Zeros behind the last one are padding of a
// disk or a tape, which gzip -d passes over too.
type members struct {
	*gzip.Reader
	in *bufio.Reader
}

func openGzip(r *bufio.Reader) (io.ReadCloser, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return members{z, r}, nil
}

func (m members) Read(p []byte) (int, error) {
	for {
		n, err := m.Reader.Read(p)
		if err == io.EOF && n > 0 {
			return n, nil
		}
		if err != io.EOF {
			return n, err
		}
		if err := skipZeros(m.in); err != nil {
			return 0, err
		}
		if err := m.Reset(m.in); err != nil {
			return 0, err
		}
		m.Multistream(false)
	}
}

// skipZeros passes over zeros, and returns io.EOF at the end of the input.
func skipZeros(r *bufio.Reader) error {
	for {
		switch c, err := r.ReadByte(); {
		case err != nil:
			return err
		case c != 0:
			return r.UnreadByte()
		}
	}
}
