package command

import (
	"io"

	"github.com/spf13/cobra"

	"gpureplay/internal/durable"
	"gpureplay/model/hardware/gpgpusim"
)

// importCommand is `replay presets import`.
func (a *app) importCommand() *cobra.Command {
	out := ""
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "write the machine of a gpgpusim.config as TOML, with the source of each number",
		Long: "import reads a configuration of GPGPU-Sim or Accel-Sim, with the trace.config beside it, and writes the\n" +
			"machine as TOML with the source of each number. --gpu takes the gpgpusim.config itself too. An option that\n" +
			"the cycle-level engine does not model is an error. docs/accelsim-configs.md lists all options.",
		Example: "  replay presets import gpgpusim.config -o mine.toml\n  replay --gpu=mine.toml trace.zst\n" +
			"  replay --gpu=gpgpusim.config trace.zst",
		Args: exactly(1, "one configuration file"),
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := machineNamed(args[0]); err != nil {
				return err
			}
			text, err := gpgpusim.TOML(args[0])
			if err != nil {
				return err
			}
			write := func(w io.Writer) error {
				_, err := w.Write(text)
				return err
			}
			if out == "" {
				return write(a.out)
			}
			if err := durable.Write(out, write); err != nil {
				return err
			}
			a.done("%s: replay --gpu=%s TRACE", out, out)
			return nil
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "`FILE` to write (default: standard output)")
	return c
}
