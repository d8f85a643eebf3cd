package hostmem

import (
	"reflect"
	"unsafe"
)

// Tables holds the tables of a machine side by side, in huge pages where the host has them.
// The model reads a table at random: in pages of 4 KB the host's processor would have to find
// the page nearly each time. nil: each table lies by itself.
type Tables struct {
	room []byte                // of the last block, that no table has
	size int                   // of that block
	free map[reflect.Type]bool // of pointers, for each type of entries so far
}

// A block is as large as two huge pages at least, so that one lies in it, and twice as large
// as the one before it. The host gives it memory as it is used.
const (
	hugePage   = 2 << 20
	leastBlock = 2 * hugePage
	mostBlock  = 8 * leastBlock
	tableAlign = 64 // a line of the host's caches
)

// NewTable returns a table of n entries, all zero. The garbage collector looks for no
// pointer in a block, and keeps it for as long as a table of it is used.
// Entries with pointers get a table of their own.
func NewTable[T any](t *Tables, n int) []T {
	var e T
	size := (n*int(unsafe.Sizeof(e)) + tableAlign - 1) &^ (tableAlign - 1)
	if t == nil || size == 0 || !t.freeOfPointers(reflect.TypeFor[T]()) {
		return make([]T, n)
	}
	if size > len(t.room) {
		t.grow(size)
	}
	at := unsafe.SliceData(t.room)
	t.room = t.room[size:]
	return unsafe.Slice((*T)(unsafe.Pointer(at)), n)
}

// NewEntry returns a table of one entry.
func NewEntry[T any](t *Tables) *T { return &NewTable[T](t, 1)[0] }

// grow makes a block with room for a table of a size.
func (t *Tables) grow(size int) {
	t.size = max(size, min(max(leastBlock, 2*t.size), mostBlock))
	t.room = make([]byte, t.size)
	from := int(-uintptr(unsafe.Pointer(&t.room[0])) & (hugePage - 1))
	if n := (t.size - from) &^ (hugePage - 1); n > 0 {
		useHugePages(t.room[from : from+n])
	}
}

// freeOfPointers is !hasPointers, which walks a type once.
func (t *Tables) freeOfPointers(x reflect.Type) bool {
	free, ok := t.free[x]
	if !ok {
		if t.free == nil {
			t.free = make(map[reflect.Type]bool)
		}
		free = !hasPointers(x)
		t.free[x] = free
	}
	return free
}

// hasPointers reports whether a value of a type has a pointer.
func hasPointers(x reflect.Type) bool {
	switch x.Kind() {
	case reflect.Struct:
		for i := range x.NumField() {
			if hasPointers(x.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Array:
		return hasPointers(x.Elem())
	}
	return x.Kind() > reflect.Complex128
}

// Places returns pointers to n values that lie side by side: an index of them is cheaper than of the values.
func Places[T any](n int) []*T {
	all, at := make([]T, n), make([]*T, n)
	for i := range all {
		at[i] = &all[i]
	}
	return at
}
