package memory

import "unsafe"

// tables holds the tables of a machine side by side, in huge pages where the host has them.
// The model reads a table at random: in pages of 4 KB the host's processor would have to find
// the page nearly each time. nil: each table lies by itself.
type tables struct {
	room []byte // of the last block, that no table has
	size int    // of that block
}

// A block is as large as two huge pages at least, so that one lies in it, and twice as large
// as the one before it. The host gives it memory as it is used.
const (
	hugePage   = 2 << 20
	leastBlock = 2 * hugePage
	mostBlock  = 8 * leastBlock
	tableAlign = 64 // a line of the host's caches
)

// entry is the type of a table's entries, which has no pointer: the garbage collector looks
// for none in a block. It keeps a block for as long as a table of it is used.
type entry interface {
	line | link | room | chained | narrowSet | otherWords | coverWord | bank | Time |
		int32 | uint64 | [flightWindow]uint8 | [flightWindow / 64]uint64
}

// newTable returns a table of n entries, all zero.
func newTable[T entry](t *tables, n int) []T {
	var e T
	size := (n*int(unsafe.Sizeof(e)) + tableAlign - 1) &^ (tableAlign - 1)
	if t == nil || size == 0 {
		return make([]T, n)
	}
	if size > len(t.room) {
		t.grow(size)
	}
	at := unsafe.SliceData(t.room)
	t.room = t.room[size:]
	return unsafe.Slice((*T)(unsafe.Pointer(at)), n)
}

// newEntry returns a table of one entry.
func newEntry[T entry](t *tables) *T { return &newTable[T](t, 1)[0] }

// grow makes a block with room for a table of a size.
func (t *tables) grow(size int) {
	t.size = max(size, min(max(leastBlock, 2*t.size), mostBlock))
	t.room = make([]byte, t.size)
	from := int(-uintptr(unsafe.Pointer(&t.room[0])) & (hugePage - 1))
	if n := (t.size - from) &^ (hugePage - 1); n > 0 {
		useHugePages(t.room[from : from+n])
	}
}
