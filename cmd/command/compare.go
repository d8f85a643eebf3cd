package command

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gpureplay/replay/analyse"
)

func init() { register((*app).compareCommand) }

func (a *app) compareCommand() *cobra.Command {
	var most int
	var verbose bool
	limit := math.Inf(1)
	part := chooser{}
	c := &cobra.Command{
		Use:   "compare A B | OUT POLICY POLICY",
		Short: "the change from one set of runs, or one capture, to another",
		Long: "compare takes two folders of tables, two policies of one folder, or two captures. Runs are matched " +
			"by trace,\n" +
			"machine, settings and policy; if that fails, by trace and policy, then by trace. It prints the time of each\n" +
			"pair, the settings and kernels that differ over all pairs, and the geometric mean with its 95 % interval.\n" +
			"A difference of one cycle is a real one.\n\n" +
			"Captures are compared by their recorded times: in all, a step of PyTorch's profiler, kernels, copies and\n" +
			"ranges by name. Steps count as one range.",
		Example: "  replay compare before after\n  replay compare replay-out serial ppcs\n  replay compare " +
			"--max-slowdown=1 main branch    # exit status 1 where B is more than 1 % slower\n  replay compare --steps=3-5 " +
			"before.json.gz after.json.gz",
		Args: between(2, 3, "two folders, a folder and two policies, or two captures"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if math.IsNaN(limit) || most < 0 {
				return usagef("compare: --max-slowdown=%v -n %d: want per cent, and how many kernels", limit, most)
			}
			if len(args) == 2 && isCapture(cmd.Context(), args[0]) && isCapture(cmd.Context(), args[1]) {
				return a.compareCaptures(cmd.Context(), &part, args, most, limit)
			}
			if part != (chooser{}) {
				return usagef("compare: work is chosen of two captures or traces; %s are none", strings.Join(args, ", "))
			}
			var all *analyse.RunComparison
			var err error
			if len(args) == 3 {
				all, err = analyse.ComparePolicies(args[0], args[1], args[2])
			} else if err = folders(args[:2]); err == nil {
				all, err = analyse.CompareFolders(args[0], args[1])
			}
			if err != nil {
				return err
			}
			if err := a.showComparison(all, most, verbose); err != nil {
				return err
			}
			if len(args) == 3 {
				a.note("why: replay explain --policy=%s --against=%s TRACE", args[2], args[1])
			}
			return slower(all, limit)
		},
	}
	c.Flags().IntVarP(&most, "number", "n", 8, "`N` kernels to show")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false,
		"kernels and settings of each pair, also settings that only one side has")
	part.register(c.Flags())
	c.Flags().Float64Var(&limit, "max-slowdown", limit,
		"exit status 1 if a run of B, or B as recorded, takes more than `PERCENT` longer than A's")
	return c
}

func folders(paths []string) error {
	const takes = "compare takes two folders of tables, one and two policies, or two captures"
	file := ""
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return fmt.Errorf("%w (%s)", err, takes)
		}
		if !info.IsDir() {
			file = p
		}
	}
	if file != "" {
		return fmt.Errorf("%s is no folder: %s", file, takes)
	}
	return nil
}

// slower is an error if a run of B is slower than is allowed.
func slower(c *analyse.RunComparison, limit float64) error {
	worst, n := 0.0, 0
	for i := range c.Pairs {
		if x := c.Pairs[i].Change(); x > limit {
			worst = max(worst, x)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d runs are more than %g %% slower, the worst by %.2f %%", n, len(c.Pairs), limit, worst)
}
