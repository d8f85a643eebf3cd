package convert

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// Every generated capture is recognised as what it is, and as nothing else; the
// real ones are in TestCaptures.
func TestDetect(t *testing.T) {
	gpucachesim := t.TempDir()
	put(t, gpucachesim, "commands.json", gpucachesimList)
	for path, want := range map[string]string{
		database(t, rocpdStory...): "rocprof", database(t, nsysStory...): "nsys", database(t, nvprofFamily()...): "nvprof",
		put(t, t.TempDir(), "a", rocprofJSON): "rocprof", rocprofTablesIn(t): "rocprof", put(t, t.TempDir(), "b", nvprofSample): "nvprof",
		put(t, t.TempDir(), "c", kinetoSample): "kineto", put(t, t.TempDir(), "d", chakraText()): "chakra", put(t, t.TempDir(), "e", chakraProto()): "chakra",
		gpucachesim: "gpucachesim", filepath.Join(gpucachesim, "commands.json"): "gpucachesim",
		macsimFolder(t): "macsim", filepath.Join(macsimFolder(t), "Kernel0", "trace.txt"): "macsim", hyfissFolder(t): "hyfiss",
	} {
		in, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Detect(in)
		if err != nil || f.Name != want {
			t.Errorf("%s: %s, %v; want %s", filepath.Base(path), f.Name, err, want)
		}
	}
}

func TestDetectUnknown(t *testing.T) {
	for _, text := range []string{"", "{}", "[]", "a,b,c\n1,2,3\n", "SQLite format 3\x00 but not really", "\x1f\x8b\x08\x00 cut"} {
		in, err := Open("-", strings.NewReader(text))
		if err != nil {
			continue // a damaged packed file is an error of its own
		}
		if f, err := Detect(in); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %s, %v", text, f.Name, err)
		}
	}
	if _, err := Lookup("nvproff"); err == nil || !strings.Contains(err.Error(), "nvprof") {
		t.Errorf("the error lists no names: %v", err)
	}
}
