//go:build linux || darwin

package durable

import "syscall"

// Free returns how many bytes may be written to the file system of dir, and whether that
// is known.
func Free(dir string) (uint64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
