// Command floors runs the tests of packages and fails where they cover less of a package's statements than its floor,
// a line of .ci/floors. A floor only rises:
//
//	go run ./internal/floors [-raise] [PACKAGES]
//
// With -raise, floors follow tests that cover more, and a new package gets one. A floor lies one to two points below
// its measurement, since some tests depend on time and on chance.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// file holds the floors: a package and whole points, a line each.
const file = ".ci/floors"

func main() {
	raise := flag.Bool("raise", false, "let the floors follow")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	if err := run(packages, *raise); err != nil {
		fmt.Fprintln(os.Stderr, "floors:", err)
		os.Exit(1)
	}
}

// run tests the packages and compares their coverage with the floors.
func run(packages []string, raise bool) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	floors, err := parse(text)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	// make test has vetted the packages with more checks than go test has.
	c := exec.Command("go", append([]string{"test", "-cover", "-vet=off", "-timeout=30m"}, packages...)...)
	c.Stdout, c.Stderr = io.MultiWriter(os.Stdout, &out), os.Stderr
	counters, err := countersFolder()
	if err != nil {
		return err
	}
	c.Env = append(os.Environ(), "GOCOVERDIR="+counters)
	err = c.Run()
	if s := c.ProcessState; s != nil {
		fmt.Println("floors: the tests took", (s.UserTime() + s.SystemTime()).Round(time.Second), "of a processor")
	}
	if err != nil {
		return fmt.Errorf("go test: %w", err)
	}
	now := measured(out.Bytes())
	if raise {
		return os.WriteFile(file, format(raised(floors, now)), 0o644)
	}
	if names := without(floors, now); len(names) > 0 {
		fmt.Printf("floors: %d packages have no floor yet: go run ./internal/floors -raise %s\n", len(names),
			strings.Join(names, " "))
	}
	faults := below(floors, now)
	if packages[0] == "./..." {
		faults = append(faults, gone(floors, now)...)
	}
	for _, rev := range []string{"HEAD", "HEAD^"} {
		former, err := exec.Command("git", "show", rev+":"+file).Output()
		if err != nil {
			continue // no repository, no such commit, or no floors in it
		}
		then, err := parse(former)
		if err != nil {
			return err
		}
		faults = append(faults, fallen(then, floors)...)
	}
	for _, f := range faults {
		fmt.Println("floors:", f)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%d packages", len(faults))
	}
	return nil
}

// countersFolder makes a folder, the same each time, for the counters of tests that start themselves as the command.
// Without one these would write a warning into the command's output.
func countersFolder() (string, error) {
	dir, err := filepath.Abs("bin/counters")
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o755)
}
