package converttest

import (
	"os"
	"path/filepath"
	"testing"
)

// HandMade writes tables by hand: NAME to the text of NAME.csv.
func HandMade(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// OneKernel is the table of a kernel of two CTAs.
const OneKernel = "name,grid_x,block_x\nk,2,32\n"
