package container

import (
	"slices"
	"testing"
)

// Blocks returns the unpacked blocks of a file.
func Blocks(t testing.TB, file []byte) [][]byte { return takeApart(t, file).raw }

// Resealed returns a file with another block and right checksums.
func Resealed(t testing.TB, file []byte, block int, raw []byte) []byte {
	p := takeApart(t, file)
	p.raw = slices.Clone(p.raw)
	p.raw[block] = raw
	return p.assemble(nil)
}
