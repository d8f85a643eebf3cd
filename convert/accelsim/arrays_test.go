package accelsim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gpureplay/trace"
)

// Against a byte map: every touched byte is in exactly one array, no array begins or ends with bytes that were not
// touched, arrays are apart, and flags agree with their bytes.
func TestArraysAgainstBytes(t *testing.T) {
	const size = 1 << 18
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 200 {
		var list []command
		for range rng.IntN(4) {
			list = append(list, command{addr: rng.Uint64N(size), bytes: rng.Uint64N(9000)})
		}
		a := newArrays(list)
		touched := make([]trace.Mode, size+20000)
		for range rng.IntN(60) {
			lo := rng.Uint64N(size)
			hi := lo + 1 + rng.Uint64N(600)
			mode := trace.Mode(1 + rng.IntN(3))
			a.touch(lo, hi, mode)
			for i := lo; i < hi; i++ {
				touched[i] |= mode
			}
		}
		checkArrays(t, round, a, touched)
	}
}

func checkArrays(t *testing.T, round int, a *arrays, touched []trace.Mode) {
	t.Helper()
	owner := make([]int, len(touched))
	for i, r := range a.list() {
		var mode trace.Mode
		for b := r.Base; b < r.Base+r.Bytes; b++ {
			if owner[b] != 0 {
				t.Fatalf("round %d: byte %d is in two arrays", round, b)
			}
			owner[b] = i + 1
			mode |= touched[b]
		}
		if (r.Flags&trace.ArrayOutput != 0) != (mode&trace.Write != 0) {
			t.Fatalf("round %d: array %+v is written %v", round, r, mode)
		}
		if i >= len(a.copied) && (touched[r.Base] == 0 || touched[r.Base+r.Bytes-1] == 0) {
			t.Fatalf("round %d: array %+v has untouched ends", round, r)
		}
		if i >= len(a.copied) && mode == trace.Read && r.Flags&trace.ArrayInput == 0 {
			t.Fatalf("round %d: array %+v is only read, but no input", round, r)
		}
	}
	gap := 0
	for b := range touched {
		switch {
		case touched[b] != 0 && owner[b] == 0:
			t.Fatalf("round %d: byte %d is in no array", round, b)
		case touched[b] != 0:
			gap = 0
		default:
			gap++
		}
		if gap > leastGap && owner[b] > len(a.copied) {
			t.Fatalf("round %d: array %d goes over a gap of %d bytes", round, owner[b], gap)
		}
	}
}

func TestArraysReadBeforeWritten(t *testing.T) {
	a := newArrays([]command{{addr: 0, bytes: 16}, {addr: 8, bytes: 16}})
	a.touch(1<<20, 1<<20+64, trace.Write)
	a.touch(1<<20, 1<<20+64, trace.Read)
	a.touch(2<<20, 2<<20+64, trace.ReadWrite)
	a.touch(4, 12, trace.Write)
	list := a.list()
	want := []trace.Array{{Name: "copied0", Base: 0, Bytes: 24, Flags: trace.ArrayInput | trace.ArrayOutput},
		{Name: "touched0", Base: 1 << 20, Bytes: 64, Flags: trace.ArrayOutput},
		{Name: "touched1", Base: 2 << 20, Bytes: 64, Flags: trace.ArrayInput | trace.ArrayOutput}}
	for i := range want {
		if i >= len(list) || list[i] != want[i] {
			t.Fatalf("%+v, want %+v", list, want)
		}
	}
}

// However scattered the accesses, the number of arrays is bounded.
func TestArraysBounded(t *testing.T) {
	a := newArrays(nil)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100000 {
		at := rng.Uint64() >> 16
		a.touch(at, at+4, trace.Read)
		if len(a.touched) > maxRegions {
			t.Fatalf("%d regions", len(a.touched))
		}
	}
	if a.coarser == 0 {
		t.Error("the gap was not widened")
	}
	a.touch(^uint64(0)-1, 3, trace.Read) // an access that wraps around is none
}

// Bytes that join two regions make one array. It is an input if either region was read first.
func TestJoinedArraysKeepTheirInput(t *testing.T) {
	for _, x := range []struct {
		low, high trace.Mode
		want      trace.ArrayFlags
	}{
		{trace.Read, trace.Write, trace.ArrayInput | trace.ArrayOutput},
		{trace.Write, trace.Read, trace.ArrayInput | trace.ArrayOutput},
		{trace.Write, trace.Write, trace.ArrayOutput},
	} {
		a := newArrays(nil)
		a.touch(0, 64, x.low)
		a.touch(8000, 8064, x.high) // 3,936 bytes from the next touch, which is under the least gap
		a.touch(4000, 4064, trace.Write)
		want := []trace.Array{{Name: "touched0", Bytes: 8064, Flags: x.want}}
		if list := a.list(); !slices.Equal(list, want) {
			t.Errorf("%d below %d: %+v, want %+v", x.low, x.high, list, want)
		}
	}
}
