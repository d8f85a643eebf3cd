package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"gpureplay/model/hardware"
)

func init() { register((*app).schemaCommand) }

// schemas are the documents of the command schema.
var schemas = []struct {
	name string
	make func() ([]byte, error)
}{{"machine", hardware.Schema}, {"rows", schemaOfRows}}

func (a *app) schemaCommand() *cobra.Command {
	names := func() (all []string) {
		for _, s := range schemas {
			all = append(all, s.name)
		}
		return all
	}
	return &cobra.Command{
		Use:   "schema machine|rows",
		Short: "print the JSON Schema of a machine's file, or of the rows that --json prints",
		Long: "schema machine is for editors that check TOML files: put\n" +
			"\"#:schema machine.schema.json\" on the first line.\n" +
			"schema rows describes the output of every command with --json: an array of rows, each with its table's name.",
		Example:           "  replay schema machine > machine.schema.json\n  replay schema rows > rows.schema.json",
		Args:              exactly(1, "machine or rows"),
		ValidArgsFunction: firstOnly(listed(names, false)),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, s := range schemas {
				if s.name == args[0] {
					text, err := s.make()
					if err == nil {
						_, err = fmt.Fprintf(a.out, "%s\n", text)
					}
					return err
				}
			}
			return usagef("schema: want machine or rows, got %q", args[0])
		},
	}
}
