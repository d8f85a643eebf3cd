package tracetest

import (
	"bytes"
	_ "embed"
	"gpureplay/trace/container"
	"gpureplay/trace/text"
	"strings"
	"testing"
)

// Vecadd is a small trace in its text form: c = a + b on two CTAs.
//
//go:embed vecadd.txt
var Vecadd string

// Everything has each kind of record that the text form can write.
//
//go:embed everything.txt
var Everything string

// FromText returns a reader of the trace that text says (docs/text.md has the
// grammar), by way of the binary container in memory.
func FromText(t testing.TB, lines string) *container.Reader {
	t.Helper()
	return Read(t, Encode(t, lines))
}

// Encode returns the container of the trace that text says.
func Encode(t testing.TB, lines string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := container.NewWriter(&out, container.Options{})
	if err == nil {
		err = text.Parse(t.Name(), strings.NewReader(lines), w)
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
func Read(t testing.TB, file []byte) *container.Reader {
	t.Helper()
	r, err := container.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Text returns the text form of a trace.
func Text(t testing.TB, r *container.Reader) string {
	t.Helper()
	var b strings.Builder
	if err := text.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
