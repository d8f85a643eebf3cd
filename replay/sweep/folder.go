package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
)

// prepare makes the folder of a sweep's tables, and removes what processes of
// this host left behind that ended without a chance to.
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
	for _, at := range []string{dir, cells} {
		entries, err := os.ReadDir(at)
		if err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
		for _, e := range entries {
			if abandoned(e.Name()) {
				os.RemoveAll(filepath.Join(at, e.Name()))
			}
		}
	}
	return nil
}

// made counts the folders that this process has made.
var made atomic.Int64

// scratch makes a folder that is hidden from globs and named after its process.
func scratch(dir, name string) (string, error) {
	temp := filepath.Join(dir, fmt.Sprintf(".%s.%s-%d-%d.partial", name, host(), os.Getpid(), made.Add(1)))
	if err := os.Mkdir(temp, 0o777); err != nil {
		return "", fmt.Errorf("sweep: cannot make a folder: %w", err)
	}
	return temp, nil
}

// partialName is what scratch makes: name, host, process.
var partialName = regexp.MustCompile(`^\.[0-9a-z]+\.([^/]*)-([0-9]+)-[0-9]+\.partial$`)

// abandoned tells the folders of processes of this host that have ended.
func abandoned(name string) bool {
	m := partialName.FindStringSubmatch(name)
	if m == nil || m[1] != host() {
		return false
	}
	pid, err := strconv.Atoi(m[2])
	return err == nil && pid > 0 && !alive(pid)
}

// host is the name of this host.
func host() string {
	name, err := os.Hostname()
	if err != nil {
		return "host"
	}
	return filepath.Base(name)
}
