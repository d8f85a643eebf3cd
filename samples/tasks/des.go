package tasks

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// The tables of FIPS 46-3, bits numbered from 1 at the most significant end.
var (
	initial = [64]uint8{
		58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4,
		62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,
		57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3,
		61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7,
	}
	permute = [32]uint8{
		16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10,
		2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
	}
	choice1 = [56]uint8{
		57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
		63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
	}
	choice2 = [48]uint8{
		14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
		41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
	}
	shifts = [16]int{1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1}
	sboxes = [8][64]uint8{
		{14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7, 0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8,
			4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0, 15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13},
		{15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10, 3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5,
			0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15, 13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9},
		{10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8, 13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1,
			13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7, 1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12},
		{7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15, 13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9,
			10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4, 3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14},
		{2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9, 14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6,
			4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14, 11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3},
		{12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11, 10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8,
			9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6, 4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13},
		{4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1, 13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6,
			1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2, 6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12},
		{13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7, 1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2,
			7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8, 2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11},
	}
)

// pick gathers the numbered bits of an n-bit value, the first one on top.
func pick(v uint64, n int, table []uint8) uint64 {
	var out uint64
	for _, b := range table {
		out = out<<1 | v>>(n-int(b))&1
	}
	return out
}

// unpick is the inverse of pick for a table that is a permutation.
func unpick(v uint64, n int, table []uint8) uint64 {
	var out uint64
	for i, b := range table {
		out |= v >> (n - 1 - i) & 1 << (n - int(b))
	}
	return out
}

// lookup holds each S-box with the permutation that follows it, as the kernel's
// tables in constant memory do.
var lookup = sync.OnceValue(func() *[8][64]uint32 {
	t := &[8][64]uint32{}
	for box := range t {
		for in := range t[box] {
			row, column := in>>5<<1|in&1, in>>1&15
			s := uint64(sboxes[box][16*row+column]) << (28 - 4*box)
			t[box][in] = uint32(pick(s, 32, permute[:]))
		}
	}
	return t
})

// schedule is the sixteen 48-bit keys of one DES.
type schedule [16]uint64

func newSchedule(key uint64) (s schedule) {
	cd := pick(key, 64, choice1[:])
	c, d := uint32(cd>>28), uint32(cd&(1<<28-1))
	for i, n := range shifts {
		c, d = (c<<n|c>>(28-n))&(1<<28-1), (d<<n|d>>(28-n))&(1<<28-1)
		s[i] = pick(uint64(c)<<28|uint64(d), 56, choice2[:])
	}
	return s
}

// reversed is the schedule that decrypts.
func (s schedule) reversed() (r schedule) {
	for i := range s {
		r[i] = s[len(s)-1-i]
	}
	return r
}

// rounds runs the sixteen rounds between the two permutations.
func (s *schedule) rounds(v uint64) uint64 {
	lookup, l, r := lookup(), uint32(v>>32), uint32(v)
	for _, key := range s {
		wide, f := bits.RotateLeft32(r, -1), uint32(0)
		for box := range 8 {
			six := bits.RotateLeft32(wide, 4*box)>>26 ^ uint32(key>>(42-6*box)&63)
			f ^= lookup[box][six]
		}
		l, r = r, l^f
	}
	return uint64(r)<<32 | uint64(l)
}

// tripleDES is encryption, decryption and encryption with three keys, one block at a time (ECB: so blocks go in
// parallel).
type tripleDES [3]schedule

func newTripleDES(keys [3]uint64) *tripleDES {
	return &tripleDES{newSchedule(keys[0]), newSchedule(keys[1]).reversed(), newSchedule(keys[2])}
}

// block encrypts eight bytes. The permutations between the three cancel.
func (t *tripleDES) block(dst, src []byte) {
	v := pick(binary.BigEndian.Uint64(src), 64, initial[:])
	for i := range t {
		v = t[i].rounds(v)
	}
	binary.BigEndian.PutUint64(dst, unpick(v, 64, initial[:]))
}
