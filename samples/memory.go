package samples

import (
	"fmt"

	"gpureplay/trace"
)

// Page is the page size of the CRCS paper, to which the pipelines align their
// arrays, since CRCS owns memory by the page.
const Page = 4096

// memoryBase is where the first array lies: high in a 47-bit address space, as
// CUDA's allocations do.
const memoryBase = 0x7f00_0000_0000

// Array is an allocation in device memory, of elements of one size.
type Array struct {
	Index uint32 // in the trace's arrays
	Base  uint64
	Elem  uint64 // bytes of one element
	Len   int    // elements
}

// Bytes returns the size of the array.
func (a Array) Bytes() uint64 { return a.Elem * uint64(a.Len) }

// At returns the address of element i, and panics outside the array: a generator
// that computes it has gone wrong.
func (a Array) At(i int) uint64 {
	if uint(i) >= uint(a.Len) {
		panic(fmt.Sprintf("samples: element %d of array %d with %d", i, a.Index, a.Len))
	}
	return a.Base + uint64(i)*a.Elem
}

// Memory gives out device addresses in ascending order.
type Memory struct {
	Align uint64 // of each array: 256 as CUDA's smallest, or Page; a power of two

	w    Writer
	next uint64
}

// NewMemory returns an empty device memory with arrays aligned to 256 bytes.
func NewMemory(w Writer) *Memory {
	return &Memory{Align: 256, w: w, next: memoryBase}
}

// Array allocates n elements of elem bytes and names them in the trace.
func (m *Memory) Array(name string, n int, elem uint64, flags trace.ArrayFlags) Array {
	m.next = (m.next + m.Align - 1) &^ (m.Align - 1)
	a := Array{Base: m.next, Elem: elem, Len: n}
	m.next += a.Bytes()
	a.Index = m.w.AddArray(trace.Array{Name: name, Base: a.Base, Bytes: a.Bytes(), Flags: flags})
	return a
}
