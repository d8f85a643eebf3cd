package tracetest

import (
	"bytes"
	"strings"
	"testing"

	"gpureplay/trace"
)

// FromText returns a reader of the trace that a text says (docs/format.md has the
// grammar), by way of the binary container in memory.
func FromText(t testing.TB, text string) *trace.Reader {
	t.Helper()
	return Read(t, Encode(t, text))
}

// Encode returns the container of the trace that a text says.
func Encode(t testing.TB, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, trace.Options{})
	if err == nil {
		err = trace.ParseText(t.Name(), strings.NewReader(text), w)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Read returns a reader of a container in memory.
func Read(t testing.TB, container []byte) *trace.Reader {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(container), int64(len(container)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
