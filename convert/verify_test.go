package convert_test

import (
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
	"gpureplay/trace/container"
	"gpureplay/trace/text"
)

// verified converts the capture into a file, checks every rule of the format on
// it, and returns its text form.
func verified(t *testing.T, path string) string {
	t.Helper()
	in, err := convert.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "trace.zst")
	if err := convert.Run(t.Context(), in, "", target, converttest.AnyDevice); err != nil {
		t.Fatal(err)
	}
	r, err := container.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := container.Verify(t.Context(), r, func(err error) {
		t.Errorf("%s: %v", filepath.Base(path), err)
	}); err != nil {
		t.Errorf("%s: %v", filepath.Base(path), err)
	}
	var b strings.Builder
	if err := text.Write(&b, r); err != nil {
		t.Errorf("%s: text form: %v", filepath.Base(path), err)
	}
	return b.String()
}

// The traces of all captures keep the rules of the format; their whole text
// names no person, machine or path.
func TestVerify(t *testing.T) {
	for _, c := range captures {
		for _, path := range c.paths(t) {
			private(t, filepath.Base(path), verified(t, path))
		}
	}
}
