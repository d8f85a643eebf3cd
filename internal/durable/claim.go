package durable

import (
	"fmt"
	"os"
)

// Claim makes a folder and locks it until the returned file is closed, so that two
// processes cannot write one set of files at once. It returns an error where another
// holds the lock. It returns nil where there is no folder, or none that can be locked;
// creating a file in it says why.
func Claim(dir string) (*os.File, error) {
	for range 5 { // another that ends may remove the folder while it is empty
		if os.MkdirAll(dir, 0o777) != nil {
			return nil, nil
		}
		f, err := os.Open(dir)
		if err != nil {
			continue
		}
		if taken(f) {
			f.Close()
			return nil, fmt.Errorf("another replay is writing %s: wait for its end, or name another folder", dir)
		}
		locked, err := f.Stat()
		if now, err2 := os.Stat(dir); err == nil && err2 == nil && os.SameFile(locked, now) {
			return f, nil
		}
		f.Close()
	}
	return nil, nil
}

// Locked reports whether a claimed folder is locked: not every file system can.
func Locked(folder *os.File) bool { return locks(folder) }
