package accelsim

import (
	"bytes"
	"errors"
	"io"
)

// binaryHeader returns the length of the header of a binary kernel that begins
// so, with its closing NUL; 0 if it is text.
func binaryHeader(head []byte) int { return bytes.IndexByte(head, 0) + 1 }

func (c *converter) binary(r io.Reader, n int) error {
	return errors.New("a binary capture (.tracez): convert the .traceg that it was made of")
}
