package container

import (
	"bytes"
	"gpureplay/trace/text"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tester has the methods that the helpers need of *testing.T and *rapid.T.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func openBytes(t tester, b []byte) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func textOf(t tester, r *Reader) string {
	t.Helper()
	var b strings.Builder
	if err := text.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func encodeText(t tester, lines string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, Options{})
	if err == nil {
		err = text.Parse("text", strings.NewReader(lines), w)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, lines)
	}
	return out.Bytes()
}

// A random trace comes back from the container as it was, but for the one form
// of masks and accesses, and with the Writer's counts.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := randomTrace(t)
		file := h.write(t, 1<<10)
		r := openBytes(t, file)
		got, want := holdAll(t, r), h.canonical()
		want.Program.Totals = got.Program.Totals // checked by Verify
		for i := range want.Kernels {
			g, w := &got.Kernels[i], &want.Kernels[i]
			w.CTAs, w.Warps, w.WarpInsts, w.ThreadInsts, w.MemInsts = g.CTAs, g.Warps, g.WarpInsts, g.ThreadInsts, g.MemInsts
			w.Recorded = canonicalRecorded(w.Recorded)
		}
		if d := diff(want, got); d != "" {
			t.Fatalf("the trace changed (-want +got):\n%s", d)
		}
		if err := Verify(t.Context(), r, func(err error) { t.Error(err) }); err != nil {
			t.Fatal(err)
		}
	})
}

// The text of a random trace gives the same trace, and the same text.
func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := openBytes(t, randomTrace(t).write(t, 1<<10))
		text := textOf(t, r)
		again := openBytes(t, encodeText(t, text))
		if d := diff(holdAll(t, r), holdAll(t, again)); d != "" {
			t.Fatalf("the trace changed (-want +got):\n%s\n%s", d, text)
		}
		if got := textOf(t, again); got != text {
			t.Fatalf("the text changed:\n%s\n%s", text, got)
		}
	})
}
