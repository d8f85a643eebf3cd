package timing

import "math/bits"

// Turn returns the one whose turn it is of those that ask; there is one.
func Turn(asking []uint64, turn int32) int {
	w := int(turn >> 6)
	if w < len(asking) {
		if x := asking[w] >> (turn & 63); x != 0 {
			return int(turn) + bits.TrailingZeros64(x)
		}
		w++
	}
	for n := len(asking); ; w++ {
		if w >= n {
			w = 0
		}
		if asking[w] != 0 {
			return w<<6 + bits.TrailingZeros64(asking[w])
		}
	}
}
