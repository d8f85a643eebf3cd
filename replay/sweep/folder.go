package sweep

import (
	"fmt"
	"os"
	"path/filepath"

	"gpureplay/internal/durable"
)

// prepare makes the folder of a sweep's tables, and removes the remains of this host's killed processes.
func prepare(dir string) error {
	cells := filepath.Join(dir, "cells")
	if _, err := os.Stat(cells); os.IsNotExist(err) {
		if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
			return fmt.Errorf("sweep: %s has files and is no sweep's folder: choose another with -o", dir)
		}
	}
	if err := os.MkdirAll(cells, 0o777); err != nil {
		return fmt.Errorf("sweep: cannot make the folder: %w", err)
	}
	durable.Clean(dir)
	durable.Clean(cells)
	return nil
}

// scratch makes a folder that is hidden from globs and named after its process.
func scratch(dir, name string) (string, error) {
	temp := filepath.Join(dir, durable.Partial(name))
	if err := os.Mkdir(temp, 0o777); err != nil {
		return "", fmt.Errorf("sweep: cannot make a folder: %w", err)
	}
	return temp, nil
}
