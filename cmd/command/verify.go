package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpureplay/replay/table"
	"gpureplay/trace/container"
)

func init() { register((*app).verifyCommand) }

var verifiedFolders = rowsOf("verified_folders", "a folder of tables whose files are sound", `
folder string: the folder
files integer: files that were checked`)

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "verify TRACE|OUT",
		Short:   "check every checksum and every structural rule of a trace, or every file of a folder of tables",
		Example: "  replay verify trace.zst\n  replay verify replay-out",
		Args:    exactly(1, "one trace or folder of tables"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
				return a.verifyTables(args[0])
			}
			r, err := container.Open(args[0])
			if err != nil {
				return err
			}
			defer r.Close()
			n := 0
			err = container.Verify(cmd.Context(), r, func(e error) {
				if n++; n <= 20 {
					fmt.Fprintf(a.err, "%s: %s\n", args[0], oneLine(e))
				}
			})
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if a.asJSON {
				return a.printRows(traceRows, []map[string]any{summary(args[0], r)})
			}
			t := &r.Program().Totals
			if t.CTAs > 0 {
				fmt.Fprintf(a.out, "%s: sound: %s kernels, %s CTAs, %s warp instructions\n", args[0], commas(t.Kernels),
					commas(t.CTAs), commas(t.WarpInsts))
				return nil
			}
			shape, err := shapeOf(r)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s: sound: %s kernels%s\n", args[0], commas(t.Kernels), shape)
			return nil
		},
	}
}

// verifyTables checks the outputs of the runs of a folder against their manifests, and
// of a sweep the merged tables and every cell.
func (a *app) verifyTables(dir string) error {
	files, wrong, err := table.Verify(dir)
	cells, _ := os.ReadDir(filepath.Join(dir, "cells"))
	for _, c := range cells {
		if err != nil || strings.HasPrefix(c.Name(), ".") { // one that is being written
			continue
		}
		at := filepath.Join("cells", c.Name())
		n, more, cellErr := table.Verify(filepath.Join(dir, at))
		files, err = files+n, cellErr
		for _, w := range more {
			wrong = append(wrong, filepath.Join(at, w))
		}
	}
	switch {
	case err != nil:
		return err
	case files == 0:
		return fmt.Errorf("%s has no run with a manifest: a folder that replay wrote has them under .runs", dir)
	}
	for i, w := range wrong {
		if i < 20 {
			fmt.Fprintf(a.err, "%s: %s\n", dir, w)
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%s: %d of %d files are not as they were written: replay or sweep again", dir, len(wrong), files)
	}
	if a.asJSON {
		return a.printRows(verifiedFolders, []map[string]any{{"folder": dir, "files": files}})
	}
	fmt.Fprintf(a.out, "%s: sound: %s files\n", dir, commas(int64(files)))
	return nil
}
