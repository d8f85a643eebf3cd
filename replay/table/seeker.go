package table

import (
	"fmt"
	"io"
)

// seeker tells the position of a stream, which is all the seeking that the
// writer of IPC files does.
type seeker struct {
	w   io.Writer
	pos int64
}

func (s *seeker) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.pos += int64(n)
	return n, err
}

func (s *seeker) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, fmt.Errorf("tables: a stream cannot seek to %d", offset)
	}
	return s.pos, nil
}
