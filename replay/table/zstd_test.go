package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/compress"
)

// contents are pages of very different kinds, some longer than a block of zstd.
func contents() [][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var all [][]byte
	for _, n := range []int{0, 1, 8, 100, 5_000, 200_000, 1 << 20} {
		noise, counts, words := make([]byte, n), make([]byte, 0, n+8), []byte{}
		for i := range noise {
			noise[i] = byte(rng.Uint32())
		}
		for i := 0; len(counts) < n; i++ {
			counts = binary.LittleEndian.AppendUint64(counts, uint64(i*i/7))
		}
		for len(words) < n {
			words = fmt.Appendf(words, "kernel_%d", rng.IntN(40))
		}
		all = append(all, noise, counts, words, make([]byte, n))
	}
	return all
}

// Reused encoders write the same bytes as the library's codec with one for each page, whatever they wrote before
// and however many write at once.
func TestPagesAsTheLibraryPacksThem(t *testing.T) {
	ours, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		t.Fatal(err)
	}
	p, ok := ours.(pooled)
	if !ok {
		t.Fatalf("the library packs pages by %T", ours)
	}
	all := contents()
	want := make([][]byte, len(all))
	for i, page := range all {
		level := compress.DefaultCompressionLevel
		if len(page) <= smallPage {
			level = 1
		}
		want[i] = p.Codec.EncodeLevel(nil, page, level)
		if back := p.Decode(nil, want[i]); !bytes.Equal(back, page) {
			t.Fatalf("page %d: other bytes come back", i)
		}
	}
	var wait sync.WaitGroup
	for first := range 4 {
		wait.Go(func() {
			for n := range 3 * len(all) {
				i := (n*(2*first+1) + first) % len(all)
				buf := make([]byte, 0, 16)
				if got := ours.EncodeLevel(buf, all[i], compress.DefaultCompressionLevel); !bytes.Equal(got, want[i]) {
					t.Errorf("page %d: %d bytes, the library's has %d or others", i, len(got), len(want[i]))
				}
			}
		})
	}
	wait.Wait()
}

// Files of one row cost no encoders of their own: the library's would take some
// two megabytes a column.
func TestSmallFilesAreCheap(t *testing.T) {
	write := func() {
		s, err := Open(Options{Dir: t.TempDir(), Trace: "t", Policy: "p", GPU: "k20c", Tables: []string{"runs"},
			ClockMHz: 1000})
		if err != nil {
			t.Fatal(err)
		}
		s.Run(&Run{})
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	write() // the first makes the encoder
	const files = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range files {
		write()
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / files; n > 8<<20 {
		t.Errorf("%d bytes are allocated for one row of the table runs", n)
	}
}
