package durable

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Files of this host's ended processes are abandoned, and no others.
func TestAbandoned(t *testing.T) {
	for name, want := range map[string]bool{
		Partial("ab12"):                                 false,
		".ab12." + host() + "-4194999-1.partial":        true, // above the largest id of a process
		".t.trace.zst." + host() + "-4194999-7.partial": true,
		".ab12.other-host-4194999-1.partial":            false,
		"ab12." + host() + "-4194999-1.partial":         false,
		".ab12." + host() + "-4194999-1.partial.gz":     false,
		"275fe7401a78a1d71daa105fd113f9f7":              false,
	} {
		if got := Abandoned(name); got != want {
			t.Errorf("Abandoned(%q) = %v", name, got)
		}
	}
}

// A file is whole under its name or it is not there, and the next one to write removes a killed process's files.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, left := filepath.Join(dir, "a.zst"), filepath.Join(dir, ".b.zst."+host()+"-4194999-1.partial")
	if err := os.WriteFile(left, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	fill := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error { fmt.Fprint(w, text); return err }
	}
	if err := Write(path, fill("first", nil)); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := Write(path, fill("second", broken)); err != broken {
		t.Errorf("error %v, want that of fill as it is", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "first" {
		t.Errorf("%q, %v: a write that failed changed the file", got, err)
	}
	if err := Write(filepath.Join(dir, "none", "c"), fill("", nil)); err == nil {
		t.Error("no error for a folder that there is not")
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 {
		t.Errorf("the folder holds %v, want a.zst alone", entries)
	}
}

// A temporary folder goes with its command, and a killed command's folder with the next.
func TestTempDir(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, ".unpacked."+host()+"-4194999-1.partial")
	if err := os.MkdirAll(filepath.Join(left, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	path, done, err := TempDir(dir, "unpacked")
	if err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 || filepath.Join(dir, entries[0].Name()) != path {
		t.Errorf("the folder has %v", entries)
	}
	done()
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left: %v", entries)
	}
	if free, ok := Free(dir); ok && free == 0 {
		t.Error("no byte is free, and a folder was made")
	}
}
