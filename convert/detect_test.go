package convert

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/trace/tracetest"
)

// Every capture is recognised as what it is, and as nothing else.
func TestDetectRealCaptures(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{"kineto-*/*.gz", "kineto"}, {"nsys-*/*.sqlite", "nsys"}, {"nvprof-*/*.csv", "nvprof"},
	} {
		paths, err := filepath.Glob(filepath.Join(tracetest.Data(t), c.pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", c.pattern, len(paths), err)
		}
		for _, path := range paths {
			in, err := Open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			f, err := Detect(in)
			if err != nil || f.Name != c.want {
				t.Errorf("%s: %s, %v; want %s", filepath.Base(path), f.Name, err, c.want)
			}
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
