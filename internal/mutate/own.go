package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// all ends a pattern that names a folder and all below it, as for the go command.
const all = "/..."

// helpers are folders that only tests use.
func helper(folder string) bool {
	return strings.HasSuffix(folder, "test") || path.Base(folder) == "reference"
}

// foldersOf returns the folders that patterns name, and the ones with tests.
func foldersOf(root string, patterns []string) (folders, tested []string, err error) {
	args := []string{"list", "-f", "{{.Dir}}\t{{len .TestGoFiles}}{{len .XTestGoFiles}}"}
	for _, p := range patterns {
		args = append(args, "./"+p)
	}
	c := exec.Command("go", args...)
	c.Dir = root
	out, err := c.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w", said(err))
	}
	for line := range strings.Lines(string(bytes.TrimSpace(out))) {
		dir, tests, _ := strings.Cut(strings.TrimSpace(line), "\t")
		folder := short(root, dir)
		if helper(folder) {
			continue
		}
		if folders = append(folders, folder); tests != "00" {
			tested = append(tested, folder)
		}
	}
	return folders, tested, nil
}

// owner chooses the tests that are to find a fault.
type owner struct {
	patterns []string // of folders that faults are planted in
	tested   []string // those that have tests
	fixed    []string // the tests of these instead, for all faults; nil: a fault's own
}

// of returns the folders whose tests are a folder's own: itself and those below, or the nearest above with tests, or
// all of its pattern.
func (o *owner) of(folder string) []string {
	if o.fixed != nil {
		return o.fixed
	}
	i := slices.IndexFunc(o.patterns, func(p string) bool { return matches(p, folder) })
	if i < 0 {
		return nil
	}
	if own := o.under(folder); len(own) > 0 {
		return own
	}
	top := strings.TrimSuffix(o.patterns[i], all)
	for f := path.Dir(folder); len(f) >= len(top); f = path.Dir(f) {
		if slices.Contains(o.tested, f) {
			return []string{f}
		}
	}
	return o.under(top)
}

// matches reports whether a pattern names a folder.
func matches(pattern, folder string) bool {
	top, below := strings.CutSuffix(pattern, all)
	return folder == top || below && strings.HasPrefix(folder, top+"/")
}

// under returns a folder and those below, if they have tests.
func (o *owner) under(folder string) (list []string) {
	for _, f := range o.tested {
		if matches(folder+all, f) {
			list = append(list, f)
		}
	}
	return list
}

// folder is where a fault lies.
func (b *bench) folder(f *fault) string { return short(b.root, filepath.Dir(f.File)) }

// ofMachine reports whether the auditor is to name a fault, which audits the machine and its policies: if its own tests
// are among those that are to find faults.
func (b *bench) ofMachine(f *fault) bool {
	top, _, _ := strings.Cut(b.folder(f), "/")
	return slices.Contains(b.fixed, "replay/audit") && (top == "model" || top == "policies")
}

// choose finds the folders whose tests run: those that some fault needs.
func (b *bench) choose() {
	for i := range b.faults {
		for _, folder := range b.owner.of(b.folder(&b.faults[i])) {
			if !slices.Contains(b.folders, folder) {
				b.folders = append(b.folders, folder)
			}
		}
		b.machine = b.machine || b.ofMachine(&b.faults[i])
	}
}

// testsOf returns the tests that reach a fault and are to find it, as places in tests.
func (b *bench) testsOf(number int) []int {
	own := b.owner.of(b.folder(&b.faults[number]))
	return slices.DeleteFunc(slices.Clone(b.reach[number]), func(i int) bool {
		return !slices.Contains(own, b.tests[i].folder)
	})
}
