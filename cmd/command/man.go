package command

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func init() { register((*app).manCommand) }

func (a *app) manCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:     "man -o DIR",
		Short:   "write the manual pages, one for each command",
		Example: "  replay man -o man1 && man -l man1/replay.1",
		Args:    exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return usagef("man: want the folder of the pages: -o DIR")
			}
			if err := os.MkdirAll(out, 0o777); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			date := time.Unix(0, 0).UTC() // pages of a version are the same bytes
			if err := doc.GenManTree(root, &doc.GenManHeader{Title: "REPLAY", Section: "1", Source: "replay " + version(), Manual: "replay", Date: &date}, out); err != nil {
				return err
			}
			pages, err := filepath.Glob(filepath.Join(out, "replay*.1"))
			if err == nil && !a.quiet {
				fmt.Fprintf(a.out, "%d pages in %s\n", len(pages), out)
			}
			return err
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "`DIR` of the pages")
	return c
}
