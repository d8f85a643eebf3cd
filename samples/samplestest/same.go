package samplestest

import (
	"reflect"
	"testing"
)

// Same fails the test unless generating twice gives the same trace.
func Same(t testing.TB, name string, settings ...string) {
	t.Helper()
	if a, b := Generate(t, name, settings...), Generate(t, name, settings...); !reflect.DeepEqual(a, b) {
		t.Fatalf("%s %v: two runs differ", name, settings)
	}
}
