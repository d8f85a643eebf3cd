package convert_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
)

// A damaged file is one error, never a panic. (Native fuzzing manages one
// execution every few seconds here: the driver is a whole database in Go, and
// all of it is instrumented.)
func TestDamagedSQLite(t *testing.T) {
	for _, c := range []struct {
		from       string
		statements []string
	}{{"nsys", converttest.NsysStory}, {"nvprof", converttest.NvprofFamily()}, {"rocprof", converttest.RocpdStory}} {
		whole, err := os.ReadFile(converttest.Database(t, c.statements...))
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		path := filepath.Join(t.TempDir(), "damaged.sqlite")
		failed := 0
		for range 150 {
			content := bytes.Clone(whole)
			for range 1 + rng.IntN(20) {
				content[rng.IntN(len(content))] = byte(rng.Uint32())
			}
			if rng.IntN(4) == 0 {
				content = content[:rng.IntN(len(content))]
			}
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := converttest.Try(t, path, c.from, converttest.AnyDevice)
			if err != nil {
				if failed++; strings.Contains(err.Error(), "runtime error") {
					t.Errorf("%s: Go's own text: %v", c.from, err)
				}
				continue
			}
			r.Check(t)
		}
		if failed == 0 || failed == 150 {
			t.Errorf("%s: %d of 150 damaged files are errors", c.from, failed)
		}
	}
}
