package convert

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// detectFiles is how many files the detection of a format opens at once, at most.
const detectFiles = 8

// isOutOfFiles reports whether an error says that this process, or the machine, has too many open files.
func isOutOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// outOfFiles returns an error if this process cannot open the files that a detection needs: a format that could not
// look does not recognise its own.
func outOfFiles() error {
	for range detectFiles {
		f, err := os.Open(os.DevNull)
		if isOutOfFiles(err) {
			return fmt.Errorf("too many open files; raise the limit (ulimit -n): %w", err)
		}
		if err == nil {
			defer f.Close()
		}
	}
	return nil
}
