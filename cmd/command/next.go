package command

import (
	"os"
	"path/filepath"
)

// noteNext says where the tables are and which command goes on from there: the report, as
// long as the folder has none.
func (a *app) noteNext(f *replayFlags) {
	a.note("tables under %s", f.output)
	if _, err := os.Stat(filepath.Join(f.output, "report.html")); err != nil {
		a.note("next: replay report %s", f.output)
	}
}
