//go:build linux || darwin

package durable

import (
	"errors"
	"os"
	"syscall"
)

// taken locks an open folder until it is closed or the process ends, and reports
// whether another holds the lock. A file system without locks has none.
func taken(folder *os.File) bool {
	return errors.Is(syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// locks reports whether a folder that was not taken is held now: not every file
// system can.
func locks(folder *os.File) bool {
	return syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
