package container

import (
	"bytes"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"testing"
)

// Valid traces with some bytes changed, and right checksums over the changed blocks, are refused or read: nothing
// panics. Package internal/hostile replays those that are read.
func TestResealedTraces(t *testing.T) {
	text, err := os.ReadFile("../tracetest/everything.txt")
	if err != nil {
		t.Fatal(err)
	}
	sample, err := os.ReadFile("../../samples/vecadd.trace.zst")
	if err != nil {
		t.Fatal(err)
	}
	files := []*parts{takeApart(t, encodeText(t, string(text))), takeApart(t, sample)}
	sound := 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 46))
		if isSound(t, r, files[r.IntN(len(files))], seed) {
			sound++
		}
	}
	t.Logf("%d of 1000 mutations are sound", sound)
	if sound == 0 {
		t.Error("no mutation leaves a sound trace: the mutations are too large")
	}
}

// isSound changes some bytes of a block and reads the whole trace.
func isSound(t *testing.T, r *rand.Rand, file *parts, seed uint64) bool {
	defer func() {
		if x := recover(); x != nil {
			t.Errorf("seed %d: %v\n%s", seed, x, debug.Stack())
		}
	}()
	p := &parts{raw: slices.Clone(file.raw), rows: file.rows}
	block := r.IntN(len(p.raw))
	raw := slices.Clone(p.raw[block])
	for range 1 + r.IntN(3) {
		raw[r.IntN(len(raw))] ^= 1 << r.IntN(8)
	}
	p.raw[block] = raw
	changed := p.assemble(nil)
	tr, err := NewReader(bytes.NewReader(changed), int64(len(changed)))
	if err != nil {
		return false
	}
	_, _ = tr.PathHashes() // an error, or numbers
	return Verify(t.Context(), tr, func(error) {}) == nil
}
