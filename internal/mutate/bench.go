package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// bench builds the tests with every fault in them, and runs them.
type bench struct {
	*options
	root   string
	faults []fault
	owner
	folders []string          // whose tests run
	machine bool              // the auditor may name some fault
	tests   []test            // from the cheapest on
	reach   map[int][]int     // of a fault: the tests that reach it, as places in tests
	sound   map[string]digest // outcome of an audited trace without a fault, by its name
}

// test is a test as its first run found it.
type test struct {
	folder, name string
	micros       int64
}

func (b *bench) at(words ...string) string {
	return filepath.Join(append([]string{b.dir}, words...)...)
}

// binary is the name of the program that has the tests of a folder.
func binary(folder string) string { return strings.ReplaceAll(folder, "/", "-") + ".test" }

// build makes the programs, unless they are there for the same faults.
func (b *bench) build(ctx context.Context, h *house) error {
	plan, err := json.MarshalIndent(b.faults, "", " ")
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(b.at("faults.json")); err == nil {
		if !bytes.Equal(old, plan) {
			return fmt.Errorf("%s is of other faults: give another folder, or the seed and the source that it is of", b.dir)
		}
		return nil
	}
	if err := os.MkdirAll(b.at("source"), 0o755); err != nil {
		return err
	}
	overlay, err := b.plant(h)
	if err != nil {
		return err
	}
	bin, err := filepath.Abs(b.dir)
	if err != nil {
		return err
	}
	for _, folder := range b.folders {
		err := b.tool(ctx, "test", "-c", "-vet=off", "-overlay="+overlay, "-o", filepath.Join(bin, binary(folder)),
			"./"+folder)
		if err != nil {
			return err
		}
	}
	if b.machine {
		err := b.tool(ctx, "build", "-overlay="+overlay, "-o", filepath.Join(bin, "replay"), "./cmd/replay")
		if err != nil {
			return err
		}
	}
	return os.WriteFile(b.at("faults.json"), plan, 0o644)
}

func (b *bench) tool(ctx context.Context, args ...string) error {
	fmt.Fprintln(os.Stderr, "go", strings.Join(args, " "))
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = b.root
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%.4000s", args[0], err, out)
	}
	return nil
}

// plant writes the source with its faults, and the tests with calls that tell their names. It returns the overlay
// that has them in place of the files.
func (b *bench) plant(h *house) (string, error) {
	replace := map[string]string{}
	put := func(name string, src []byte) error {
		to := b.at("source", strconv.Itoa(len(replace))+"-"+filepath.Base(name))
		replace[name] = to
		return os.WriteFile(to, src, 0o644)
	}
	for _, c := range h.packages {
		for _, f := range c.files {
			name := c.paths[f]
			if src, ok := planted(c.src[f], name, b.faults); ok {
				if err := put(name, withImport(src, h.set.Position(f.Name.End()).Offset)); err != nil {
					return "", err
				}
			}
		}
	}
	for _, folder := range b.folders {
		paths, err := filepath.Glob(filepath.Join(b.root, folder, "*_test.go"))
		if err != nil {
			return "", err
		}
		for _, name := range paths {
			src, err := told(name)
			if err == nil {
				err = put(name, src)
			}
			if err != nil {
				return "", err
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(b.at("overlay.json"))
	if err != nil {
		return "", err
	}
	return abs, os.WriteFile(abs, text, 0o644)
}

// The name is one that no source uses for something else.
const importSwitched = "; import plantedFaults \"gpureplay/internal/mutate/switched\""

func withImport(src []byte, at int) []byte {
	return slices.Concat(src[:at], []byte(importSwitched), src[at:])
}

// planted returns a file with its faults.
func planted(src []byte, name string, faults []fault) ([]byte, bool) {
	var out []byte
	last := 0
	for _, f := range faults {
		if f.File == name {
			out = append(append(out, src[last:f.from]...), strings.ReplaceAll(f.with, "§", strconv.Itoa(f.Number))...)
			last = f.to
		}
	}
	return append(out, src[last:]...), last > 0
}

// learn runs all tests once and notes which reach which fault, and the cost of each. A test that fails without a
// fault finds none.
func (b *bench) learn(ctx context.Context) error {
	b.reach = map[int][]int{}
	for _, folder := range b.folders {
		notes := b.at(binary(folder) + ".reached")
		if _, err := os.Stat(notes); err != nil {
			fmt.Fprintln(os.Stderr, "which tests of", folder, "reach what")
			partial, err := filepath.Abs(notes + ".part")
			if err != nil {
				return err
			}
			os.Remove(partial)
			out, _, err := b.start(ctx, folder, 3600, []string{"MUTANT_REACHED=" + partial}, "-test.run=.",
				"-test.skip="+b.skip)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				fmt.Fprintf(os.Stderr, "tests of %s fail without a fault, and are left out:\n%s\n", folder, failed(out))
				if err := drop(partial, failed(out)); err != nil {
					return err
				}
			}
			if err := os.Rename(partial, notes); err != nil {
				return err
			}
		}
		if err := b.readNotes(folder, notes); err != nil {
			return err
		}
	}
	order := make([]int, len(b.tests)) // the place of each, from the cheapest on
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return int(b.tests[x].micros - b.tests[y].micros) })
	for _, list := range b.reach {
		slices.SortFunc(list, func(x, y int) int { return slices.Index(order, x) - slices.Index(order, y) })
	}
	return nil
}

func (b *bench) readNotes(folder, notes string) error {
	text, err := os.ReadFile(notes)
	if err != nil {
		return err
	}
	micros, reach := map[string]int64{}, map[string][]int{}
	var names []string
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		w := strings.Fields(s.Text())
		if len(w) != 3 {
			continue
		}
		n, err := strconv.ParseInt(w[2], 10, 64)
		if err != nil {
			return fmt.Errorf("%s: %w", notes, err)
		}
		if w[0] == "test" {
			names, micros[w[1]] = append(names, w[1]), n
		} else {
			reach[w[1]] = append(reach[w[1]], int(n))
		}
	}
	for _, name := range names {
		for _, f := range reach[name] {
			b.reach[f] = append(b.reach[f], len(b.tests))
		}
		b.tests = append(b.tests, test{folder, name, micros[name]})
	}
	return nil
}

// drop leaves tests out of the notes.
func drop(notes string, names []string) error {
	text, err := os.ReadFile(notes)
	if err != nil {
		return err
	}
	var kept []string
	for line := range strings.Lines(string(text)) {
		if w := strings.Fields(line); len(w) > 1 && !slices.Contains(names, w[1]) {
			kept = append(kept, line)
		}
	}
	return os.WriteFile(notes, []byte(strings.Join(kept, "")), 0o644)
}
