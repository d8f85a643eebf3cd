package convert_test

import (
	"errors"
	"strings"
	"testing"

	"gpureplay/convert"
)

func TestDetectUnknown(t *testing.T) {
	for _, text := range []string{"", "{}", "[]", "a,b,c\n1,2,3\n", "SQLite format 3\x00 but not really",
		"\x1f\x8b\x08\x00 cut"} {
		in, err := convert.Open("-", strings.NewReader(text))
		if err != nil {
			continue // a damaged packed file is an error of its own
		}
		if f, err := convert.Detect(in); !errors.Is(err, convert.ErrUnknown) {
			t.Errorf("%q: %s, %v", text, f.Name, err)
		}
	}
	if _, err := convert.Lookup("nvproff"); err == nil || !strings.Contains(err.Error(), "nvprof") {
		t.Errorf("the error lists no names: %v", err)
	}
}
