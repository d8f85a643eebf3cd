package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// verdict is the state of knowledge about a fault.
type verdict struct {
	Fault   int    `json:"fault"`
	Killed  string `json:"killed"`  // by the test of that name; "": by none
	How     string `json:"how"`     // it failed, or its time was up
	Ran     int    `json:"ran"`     // tests that were asked
	Reached int    `json:"reached"` // tests that reach it
	Auditor string `json:"auditor"` // the rule of the auditor that names it; "": none
	Moved   bool   `json:"moved"`   // a figure of the audited traces is another
}

// steps are how many milliseconds of tests run at once, each step up to the first
// that finds the fault.
var steps = []int64{300, 2000, 6000, 1 << 40}

// judgeAll judges the faults that have no verdict yet.
func (b *bench) judgeAll(ctx context.Context) error {
	if b.machine {
		if err := b.audited(ctx); err != nil {
			return err
		}
	}
	known, err := b.verdicts()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(b.at("verdicts.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	free := make(chan int, max(1, b.jobs)) // the numbers of those who judge
	for i := range cap(free) {
		free <- i
	}
	var (
		all   sync.WaitGroup
		wrong = make(chan error, cap(free))
	)
	// in random order: when stopped, the verdicts are a sample of all
	for _, n := range rand.New(rand.NewPCG(b.seed, 1)).Perm(len(b.faults)) {
		f := b.faults[n]
		if _, ok := known[f.Number]; ok {
			continue
		}
		i := <-free
		if len(wrong) > 0 {
			break
		}
		all.Go(func() {
			defer func() { free <- i }()
			if err := b.judgeOne(ctx, f, i, log); err != nil {
				wrong <- err
			}
		})
	}
	all.Wait()
	close(wrong)
	return <-wrong
}

// judgeOne judges a fault and writes it down.
func (b *bench) judgeOne(ctx context.Context, f fault, place int, log io.Writer) error {
	v, err := b.judge(ctx, f.Number, place)
	if err != nil {
		return err
	}
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d of %d: %s: %s\n", f.Number+1, len(b.faults), f, cmp.Or(v.Killed, "survives"))
	_, err = log.Write(append(line, '\n'))
	return err
}

func (b *bench) judge(ctx context.Context, number, place int) (*verdict, error) {
	left, budget := b.testsOf(number), int64(b.seconds)*1e6
	v := &verdict{Fault: number, Reached: len(left)}
	on := []string{"MUTANT=" + strconv.Itoa(number)}
	if b.ofMachine(&b.faults[number]) {
		if err := b.audit(ctx, on, v, place); err != nil {
			return nil, err
		}
	}
	for _, step := range steps {
		var now []int
		now, left = upTo(b.tests, left, min(step*1000, budget))
		for _, folder := range b.folders {
			var names []string
			cost := int64(0)
			for _, i := range now {
				if t := b.tests[i]; t.folder == folder {
					names, cost = append(names, t.name), cost+t.micros
				}
			}
			if len(names) == 0 {
				continue
			}
			budget -= cost
			v.Ran += len(names)
			// twice the time without the fault, and two seconds: an endless run ends there
			out, late, err := b.start(ctx, folder, 2+2*cost/1e6, on, "-test.failfast", "-test.run=^("+
				strings.Join(names, "|")+")$")
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				v.Killed, v.How = folder+" "+cmp.Or(first(failed(out)), first(running(out)), "?"), "fails"
				if late {
					v.How = "does not end"
				}
				return v, nil
			}
		}
	}
	return v, nil
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// upTo splits a list of tests behind those that cost that much together.
func upTo(all []test, list []int, micros int64) (now, later []int) {
	for i, x := range list {
		if micros -= all[x].micros; micros < 0 {
			return list[:i], list[i:]
		}
	}
	return list, nil
}

// start runs the tests of a folder for at most so many seconds of a processor, ten times as many by the clock and a
// minute, and in a bounded memory. late: they used more.
func (b *bench) start(ctx context.Context, folder string, seconds int64, env []string, args ...string) (out []byte,
	late bool, err error) {
	path, err := filepath.Abs(b.at(binary(folder)))
	if err != nil {
		return nil, false, err
	}
	return limited(ctx, seconds, filepath.Join(b.root, folder), env, path,
		append([]string{"-test.v", fmt.Sprintf("-test.short=%t", b.short), fmt.Sprintf("-test.timeout=%ds", 60+10*seconds)},
			args...)...)
}

// limited runs a program under limits of the shell.
func limited(ctx context.Context, seconds int64, dir string, env []string, name string, args ...string) (out []byte,
	late bool, err error) {
	script := fmt.Sprintf("ulimit -v 8000000; ulimit -t %d; exec \"$0\" \"$@\"", seconds)
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", script, name}, args...)...)
	c.Dir, c.Env = dir, append(append(os.Environ(), "GOMAXPROCS=2"), env...)
	out, err = c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return out, false, err
	}
	return out, exit != nil && !exit.Exited() && !bytes.Contains(out, []byte("panic:")), err
}

var (
	fails = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^--- FAIL: (\S+)`) })
	runs  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^=== RUN   ([^\s/]+)$`) })
)

// failed returns the tests that an output says have failed.
func failed(out []byte) (names []string) {
	for _, m := range fails().FindAllSubmatch(out, -1) {
		names = append(names, string(m[1]))
	}
	return names
}

// running returns the test that ran last.
func running(out []byte) []string {
	all := runs().FindAllSubmatch(out, -1)
	if len(all) == 0 {
		return nil
	}
	return []string{string(all[len(all)-1][1])}
}

// verdicts reads the verdicts so far.
func (b *bench) verdicts() (map[int]verdict, error) {
	known := map[int]verdict{}
	text, err := os.ReadFile(b.at("verdicts.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var v verdict
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return known, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", b.at("verdicts.jsonl"), err)
		}
		known[v.Fault] = v
	}
}

// table prints and counts the verdicts.
func (b *bench) table(w io.Writer) error {
	known, err := b.verdicts()
	if err != nil {
		return err
	}
	killed, audited, moved, unreached := 0, 0, 0, 0
	fmt.Fprintln(w, "| fault | kind | right | wrong | killed by | auditor | moves a figure |\n| --- | --- | --- | "+
		"--- | --- | --- | --- |")
	for _, f := range b.faults {
		v, ok := known[f.Number]
		if !ok {
			continue
		}
		by := v.Killed
		if by != "" {
			killed++
		} else if v.Reached == 0 {
			unreached++
			by = "**no test reaches it**"
		} else {
			by = fmt.Sprintf("**survives** %d of %d tests", v.Ran, v.Reached)
		}
		if v.How == "does not end" {
			by += " (does not end)"
		}
		if v.Auditor != "" {
			audited++
		}
		if v.Moved {
			moved++
		}
		fmt.Fprintf(w, "| %s:%d | %s | %s | %s | %s | %s | %s |\n", short(b.root, f.File), f.Line, f.Kind, cell(f.Right),
			cell(f.Wrong), by,
			v.Auditor, map[bool]string{true: "yes", false: "no"}[v.Moved])
	}
	fmt.Fprintf(w, "\nSeed %d, %d of %d faults: tests kill %d, %d survive (%d of them reached by no test).\n", b.seed,
		len(known), len(b.faults), killed, len(known)-killed, unreached)
	if b.machine {
		fmt.Fprintf(w, "Four audited traces: the auditor names %d, %d move a figure.\n", audited, moved)
	}
	return nil
}

func short(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// cell is source as it stands in a table.
func cell(text string) string {
	words := strings.Fields(text)
	text = strings.Join(words, " ")
	if r := []rune(text); len(r) > 60 {
		text = string(r[:57]) + "..."
	}
	if text == "" {
		return "(nothing)"
	}
	return "`" + strings.NewReplacer("|", "\\|", "`", "'").Replace(text) + "`"
}
