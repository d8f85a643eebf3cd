//go:build unix

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// interrupt is Ctrl-C.
func interrupt() { syscall.Kill(os.Getpid(), syscall.SIGINT) }

// A terminal that goes away ends a command as Ctrl-C does, but not under nohup.
func TestHangup(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("these tests run with hangups ignored")
	}
	if !slices.Contains(endings(), os.Signal(syscall.SIGHUP)) {
		t.Error("a hangup does not end a command in order")
	}
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	if slices.Contains(endings(), os.Signal(syscall.SIGHUP)) {
		t.Error("a hangup ends what was started to outlive it")
	}
}

// trip interrupts the command at its first read or write.
type trip struct {
	bytes.Buffer
	done bool
}

func (w *trip) Write(p []byte) (int, error) {
	w.pull()
	return w.Buffer.Write(p)
}

// Read gives the text of a trace that has no end.
func (w *trip) Read(p []byte) (int, error) {
	const line = "# and so on\n"
	if !w.done {
		return copy(p, "replay-trace 1\n"), w.pull()
	}
	return copy(p, strings.Repeat(line, max(1, len(p)/len(line)))), nil
}

func (w *trip) pull() error {
	if !w.done {
		w.done = true
		interrupt()
		time.Sleep(50 * time.Millisecond) // until the signal is there
	}
	return nil
}

// A command that a signal ends says so in one line, says where it was, leaves
// nothing behind and has failed.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "long.trace.zst")
	must(t, "sample", "vecadd", "--param=n=1048576", "-o", path)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--policy=serial,hyperq", "-o", filepath.Join(dir, "out"), path},
			"replay: interrupted: after 0 of 2 runs\n"},
		{[]string{"explain", path}, "replay: interrupted: after 0 of "},
		{[]string{"convert", "-", "-o", filepath.Join(dir, "x.trace.zst")}, "replay: interrupted: "},
	} {
		var in, errs trip
		in.done = c.args[0] != "convert"
		errs.done = !in.done
		began := time.Now()
		status := Run(c.args, &in, &bytes.Buffer{}, &errs)
		text := errs.String()
		line := text[strings.Index(text, "replay: "):]
		if status != statusFailed || !strings.HasPrefix(line, c.want) || strings.Count(line, "\n") != 1 ||
			strings.Contains(text, "context") {
			t.Errorf("replay %s: status %d, %q, want %q", strings.Join(c.args, " "), status, text, c.want)
		}
		if took := time.Since(began); took > 10*time.Second { // a second, but for busy machines
			t.Errorf("replay %s: it took %v to stop", strings.Join(c.args, " "), took)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 2 {
			t.Errorf("replay %s left %v", strings.Join(c.args, " "), left)
		}
		noPartials(t, dir)
	}
}

// A context's own words for its end are left out, wherever they stand.
func TestInterruptedWords(t *testing.T) {
	ctx, end := context.WithCancelCause(t.Context())
	end(errors.New("interrupt signal received"))
	for _, c := range []struct{ err, want string }{
		{"context canceled", "interrupted"},
		{"policy ppcs: context canceled (finished before: serial)", "interrupted: policy ppcs (finished before: serial)"},
		{"context canceled: 3 of 5 cells are finished", "interrupted: 3 of 5 cells are finished"},
		{"sample bfs: interrupt signal received", "interrupted: sample bfs"},
		{"a.db: interrupted (9)", "interrupted: a.db: interrupted (9)"},
	} {
		if got := interrupted(ctx, errors.New(c.err)).Error(); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.err, got, c.want)
		}
	}
}

// Ctrl-C ends a sweep soon; finished cells are kept.
func TestSweepInterrupted(t *testing.T) {
	dir := t.TempDir()
	must(t, "sample", "vecadd", "--param=n=1048576", "-o", filepath.Join(dir, "v.trace.zst"))
	file := writeSweep(t, dir, "traces = 'v.trace.zst'\ngpus = 'gk110-ppcs'\npolicies = 'serial'\n[set]\nkmu.hwqs = "+
		"{ from = 1, to = 200, step = 1 }\n")
	out := filepath.Join(dir, "out")
	finished := func() []string {
		cells, _ := filepath.Glob(filepath.Join(out, "cells", "[0-9a-f]*"))
		return cells
	}
	began := time.Now()
	var sent time.Time
	var before int
	ended, seen := make(chan bool), make(chan bool)
	go func() {
		defer close(seen)
		for before == 0 {
			select {
			case <-ended: // without a cell there is nothing to interrupt
				sent = time.Now()
				return
			case <-time.After(10 * time.Millisecond):
				before = len(finished())
			}
		}
		sent = time.Now()
		interrupt()
	}()
	status, _, errs := command(t, "sweep", "--jobs=2", "-o", out, file)
	close(ended)
	<-seen
	took, first := time.Since(sent), sent.Sub(began)
	cells := finished()
	if status != 1 || !strings.Contains(errs, fmt.Sprintf("replay: interrupted: %d of 200 cells are finished",
		len(cells))) || len(cells) == 0 {
		t.Errorf("status %d with %d cells: %s", status, len(cells), errs)
	}
	// By progress and not by the clock: the two cells that run are cut, but for one that ends just then, and no
	// other begins. A tenth of a second is usual; a busy machine and the race detector slow the first cells as well.
	if len(cells) > before+2 || took > 2*first+time.Second {
		t.Errorf("%d cells after %v, and %d after %v more", before, first, len(cells), took)
	}
	noPartials(t, out)
	for _, c := range cells {
		if runs, _ := filepath.Glob(filepath.Join(c, "runs", "*", "*", "*", "*", "part-0.parquet")); len(runs) != 1 {
			t.Errorf("%s is not whole", c)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(out, "*.parquet")); len(files) > 0 {
		t.Errorf("%v were merged", files)
	}
}

// A grid that will take long is announced before it runs, with the flag that shortens it.
func TestLongRunIsAnnounced(t *testing.T) {
	var errs trip // it interrupts at the first line
	path := textTrace(t, "launch f grid=2147483648 block=32\n")
	status := Run([]string{"--policy=serial", "--gpu=k20c", "-o", t.TempDir(), path}, strings.NewReader(""),
		&bytes.Buffer{}, &errs)
	if text := errs.String(); status != statusFailed || !strings.HasPrefix(text, "about 36 minutes") ||
		!strings.Contains(text, "2,147,483,648 CTAs") || !strings.Contains(text, "--max-cycles=N") {
		t.Errorf("status %d, %q", status, text)
	}
	if out := must(t, "--policy=serial", "--gpu=k20c", "--max-cycles=1000", "-o", t.TempDir(),
		path); !strings.Contains(out, "cut off at 1,000") {
		t.Errorf("not cut off: %s", out)
	}
}
