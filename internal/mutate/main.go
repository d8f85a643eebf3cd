// Command mutate plants faults in the machine and its policies, one at a time. It says which test or which rule of
// the auditor finds each. A fault that none finds is a hole in the net.
//
// All faults are in one build, each behind a switch, which an overlay gives to the compiler: no file of the source
// is touched, and a fault costs the tests that reach it and no compiler. A first run of the tests tells which of
// them reach which fault, and the cost of each. For a fault they run from the cheapest on, up to the first that
// fails.
//
//	go run ./internal/mutate -dir=DIR -n=200 -seed=1
//	go run ./internal/mutate -dir=DIR -n=200 -in=trace/...,convert/...,replay/... -tests=own
//
// The second lets each fault be found by the tests of its own folder and below it, or of the nearest above with some.
//
// The verdicts stay in DIR and are printed, also when the command is stopped. Run again, it goes on from there. A
// changed source needs another DIR.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
)

func main() {
	var o options
	var within, tests string
	flag.StringVar(&o.dir, "dir", "", "`FOLDER` of builds and results (must be given)")
	flag.IntVar(&o.count, "n", 200, "faults")
	flag.Uint64Var(&o.seed, "seed", 0, "which ones; 0: drawn, and printed")
	flag.StringVar(&within, "in", "model/...,policies/...", "folders that faults are planted in")
	flag.StringVar(&tests, "tests", "model/...,policies/...,replay/audit,replay",
		"folders whose tests are to find them, in that order where they cost the same; own: the fault's folder")
	flag.BoolVar(&o.short, "short", true, "leave out the tests that -short leaves out")
	flag.IntVar(&o.seconds, "seconds", 20, "of a processor for the tests of a fault")
	flag.StringVar(&o.only, "only", "", "faults alone whose line of -list this regular expression matches")
	flag.StringVar(&o.skip, "skip", "^$", "tests to leave out, as a regular expression")
	flag.IntVar(&o.jobs, "jobs", 1, "faults judged at once")
	flag.BoolVar(&o.list, "list", false, "list the faults to plant, and stop")
	flag.Parse()
	if o.seed == 0 {
		o.seed = uint64(rand.Uint32())
	}
	fmt.Fprintf(os.Stderr, "-seed=%d\n", o.seed)
	o.in, o.tests = strings.Split(within, ","), strings.Split(tests, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, &o); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// options are the values of the flags.
type options struct {
	dir, skip, only string
	count, seconds  int
	jobs            int
	seed            uint64
	in, tests       []string
	list, short     bool
}

func run(ctx context.Context, o *options) error {
	if o.dir == "" && !o.list {
		return fmt.Errorf("-dir=FOLDER names the folder of builds")
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	own := owner{patterns: o.in}
	var folders []string
	if folders, own.tested, err = foldersOf(root, o.in); err != nil {
		return err
	}
	if !slices.Equal(o.tests, []string{"own"}) {
		if _, own.fixed, err = foldersOf(root, o.tests); err != nil {
			return err
		}
	}
	house, _, err := loadHouse(root, folders)
	if err != nil {
		return err
	}
	var only *regexp.Regexp
	if o.only != "" {
		if only, err = regexp.Compile(o.only); err != nil {
			return fmt.Errorf("-only: %w", err)
		}
	}
	faults := house.sample(o.count, o.seed, only)
	if o.list {
		for _, f := range faults {
			fmt.Println(f)
		}
		return nil
	}
	b := &bench{options: o, root: root, faults: faults, owner: own}
	b.choose()
	if err := b.build(ctx, house); err != nil {
		return err
	}
	if err := b.learn(ctx); err != nil {
		return err
	}
	// stopped or not, the verdicts are printed
	return errors.Join(b.judgeAll(ctx), b.table(os.Stdout))
}
