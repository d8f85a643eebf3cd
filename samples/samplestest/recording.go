// Package samplestest checks every generator's rules: it records a generated trace in memory and walks over it.
package samplestest

import (
	"testing"

	"gpureplay/samples"
	"gpureplay/trace/tracetest"
)

// Recording is a trace in memory; it is a [samples.Writer].
type Recording struct{ tracetest.Recording }

// Generate records a registered generator's trace under the settings.
func Generate(t testing.TB, name string, settings ...string) *Recording {
	t.Helper()
	return generate(t, &Recording{}, name, settings)
}

// Count is like Generate, with the counts of kernels alone.
func Count(t testing.TB, name string, settings ...string) *Recording {
	t.Helper()
	return generate(t, &Recording{tracetest.Recording{CountOnly: true}}, name, settings)
}

func generate(t testing.TB, r *Recording, name string, settings []string) *Recording {
	t.Helper()
	g, err := samples.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Parse(settings...)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Generate(r, p); err != nil {
		t.Fatal(err)
	}
	if r.Open {
		t.Fatalf("%s: kernel %d was not ended", name, len(r.Kernels)-1)
	}
	return r
}
