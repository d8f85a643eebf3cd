package spill

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

func collect(t *testing.T, s *Sorter) [][]byte {
	t.Helper()
	it, err := s.Sorted()
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for {
		rec, err := it.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, bytes.Clone(rec))
	}
}

// However little memory it has, the order is that of a sort in memory.
func TestSortsLikeMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 100, 5000} {
		var want [][]byte
		dir := t.TempDir()
		small, large := New(dir, 20, 0), New(dir, 20, 1<<20)
		for i := range n {
			rec := make([]byte, 20)
			binary.BigEndian.PutUint64(rec, rng.Uint64N(50)) // many ties
			binary.BigEndian.PutUint64(rec[8:], rng.Uint64N(4))
			rec[19] = byte(i)
			want = append(want, rec)
			for _, s := range []*Sorter{small, large} {
				if err := s.Add(rec); err != nil {
					t.Fatal(err)
				}
			}
		}
		slices.SortStableFunc(want, bytes.Compare)
		for _, s := range []*Sorter{small, large} {
			for range 2 { // twice over
				if got := collect(t, s); !slices.EqualFunc(got, want, bytes.Equal) {
					t.Errorf("%d records: wrong order", n)
				}
			}
			if s.Len() != uint64(n) {
				t.Errorf("Len %d, want %d", s.Len(), n)
			}
		}
		if n == 5000 && (len(small.runs) == 0 || len(small.runs) > maxRuns || len(large.runs) != 0) {
			t.Errorf("%d and %d runs", len(small.runs), len(large.runs))
		}
		small.Close()
		large.Close()
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%d files left behind", len(left))
		}
	}
}

func TestNoFolder(t *testing.T) {
	s := New("/does/not/exist", 8, 0)
	defer s.Close()
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		err = s.Add(make([]byte, 8))
	}
	if err == nil {
		t.Error("a missing folder was not noticed")
	}
}

func BenchmarkSort(b *testing.B) {
	const n = 200_000
	rng := rand.New(rand.NewPCG(1, 2))
	rec := make([]byte, 128)
	b.SetBytes(n * 128)
	for b.Loop() {
		s := New(b.TempDir(), 128, 4<<20)
		for range n {
			binary.BigEndian.PutUint64(rec, rng.Uint64())
			if err := s.Add(rec); err != nil {
				b.Fatal(err)
			}
		}
		it, err := s.Sorted()
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = it.Next()
		}
		s.Close()
	}
}
