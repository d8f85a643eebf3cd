package table

import (
	"os"
	"testing"
)

// Thousands of small commits are made here; one test alone has them durable.
func TestMain(m *testing.M) {
	durable = false
	os.Exit(m.Run())
}
