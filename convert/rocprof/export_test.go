package rocprof

import "testing"

// Hold bounds the entries of a table for the rest of a test.
func Hold(t *testing.T, entries int) {
	t.Helper()
	before := maxSymbols
	maxSymbols = entries
	t.Cleanup(func() { maxSymbols = before })
}
