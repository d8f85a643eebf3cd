package tracetest

import (
	"bytes"
	"strings"
	"testing"

	"gpureplay/trace"
)

// FromText returns a reader of the trace that a text says.
func FromText(t testing.TB, text string) *trace.Reader {
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
	return w.Memory()
}
