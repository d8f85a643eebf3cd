package table

import (
	"fmt"
	"os"
)

// claim makes a folder and keeps it for one set until it is closed, so that two
// replays of the same run cannot write to one place at once. It is
// nil where there is no folder or none to be locked; creating a file says why.
func claim(dir string) (*os.File, error) {
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
			return nil, fmt.Errorf("tables: another replay is writing %s: wait for its end, or name another folder", dir)
		}
		locked, err := f.Stat()
		if now, err2 := os.Stat(dir); err == nil && err2 == nil && os.SameFile(locked, now) {
			return f, nil
		}
		f.Close()
	}
	return nil, nil
}
