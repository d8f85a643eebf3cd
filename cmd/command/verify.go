package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"gpureplay/trace"
)

func init() { register((*app).verifyCommand) }

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "verify TRACE",
		Short:   "check every checksum and every structural rule of a trace",
		Example: "  replay verify trace.zst",
		Args:    exactly(1, "one trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := trace.Open(args[0])
			if err != nil {
				return err
			}
			defer r.Close()
			n := 0
			err = trace.Verify(cmd.Context(), r, func(e error) {
				if n++; n <= 20 {
					fmt.Fprintf(a.err, "%s: %s\n", args[0], oneLine(e))
				}
			})
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if a.asJSON {
				return a.printJSON([]map[string]any{summary(args[0], r)})
			}
			t := &r.Program().Totals
			fmt.Fprintf(a.out, "%s: sound: %s kernels, %s CTAs, %s warp instructions\n", args[0], commas(t.Kernels), commas(t.CTAs), commas(t.WarpInsts))
			return nil
		},
	}
}
