package convert

import (
	"strings"
	"testing"
)

// An archive takes at most nine tenths of the free disk, and says which bound it met.
func TestArchivesFitTheDisk(t *testing.T) {
	for _, c := range []struct {
		free uint64
		left int64
		disk bool
	}{{1000, 900, true}, {10 << 20, 9437184, true}, {1 << 40, anyArchiveBytes, false}, {0, 0, true}} {
		u := &unpacker{dir: "x/y", left: anyArchiveBytes}
		u.within(c.free)
		if u.left != c.left || strings.Contains(u.why, "free disk at x") != c.disk {
			t.Errorf("%d bytes are free: %d, %q", c.free, u.left, u.why)
		}
	}
}
