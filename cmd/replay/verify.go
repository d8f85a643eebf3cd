package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gpureplay/trace"
)

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "verify TRACE",
		Short:   "check every checksum and every structural rule of a trace",
		Example: "  replay verify trace.zst",
		Args:    exactly(1, "one trace"),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := trace.Open(args[0])
			if err != nil {
				return err
			}
			defer r.Close()
			n := 0
			err = trace.Verify(r, func(e error) {
				if n++; n <= 20 {
					fmt.Fprintf(a.err, "%s: %s\n", args[0], oneLine(e))
				}
			})
			if err != nil {
				return err
			}
			if n > 0 {
				return fmt.Errorf("%s: %d faults", args[0], n)
			}
			t := &r.Program().Totals
			fmt.Fprintf(a.out, "%s: sound: %s kernels, %s CTAs, %s warp instructions\n", args[0], commas(t.Kernels), commas(t.CTAs), commas(t.WarpInsts))
			return nil
		},
	}
}
