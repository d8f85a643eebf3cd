package pagoda

import (
	"fmt"
	"math/bits"
)

// Node names a block of a [Buddy]: 1 is the whole pool, 2n and 2n+1 are the halves of block n. The WarpTable holds
// it as SMindex: unlike an offset, it also tells the block's size.
type Node uint16

// NoNode stands for no block.
const NoNode Node = 0

// maxNodes bounds the tree: the paper's has 128 nodes in shared memory itself.
const maxNodes = 1 << 15

// Buddy is the allocator of an MTB's shared memory (section 5.1): one mark per
// node of a binary tree, kept in an array. A node is marked if its block, a
// block inside it or a block around it is allocated, so a block is free exactly
// if its node is unmarked; a marked node's parent is marked.
//
// Executor warps only put blocks on a list ([Buddy.Mark]); the scheduler warp
// alone changes the tree.
type Buddy struct {
	pool     int
	smallest int
	marks    []bool // by Node; element 0 is unused
	list     []Node // marked for deallocation, oldest first
}

// NewBuddy returns an allocator of pool bytes whose smallest block has smallest
// bytes. Both must be powers of two, pool at least smallest and at most 16384
// times as much.
func NewBuddy(pool, smallest int) (*Buddy, error) {
	for _, n := range []int{pool, smallest} {
		if n < 1 || n&(n-1) != 0 {
			return nil, fmt.Errorf("pagoda: shared memory of %d bytes in blocks of %d: both must be powers of two", pool,
				smallest)
		}
	}
	nodes := 2 * (pool / smallest)
	if nodes < 2 || nodes > maxNodes {
		return nil, fmt.Errorf("pagoda: shared memory of %d bytes in blocks of %d: want 1 to %d blocks", pool, smallest,
			maxNodes/2)
	}
	return &Buddy{pool: pool, smallest: smallest, marks: make([]bool, nodes)}, nil
}

// Fits reports whether an empty pool could hold the request. One that does not
// fit would be tried for ever.
func (b *Buddy) Fits(bytes int) bool { return bytes > 0 && bytes <= b.pool }

// Size returns the bytes of a node's block.
func (b *Buddy) Size(n Node) int { return b.pool >> depth(n) }

// Find returns the lowest free block of the smallest size that holds the
// request, without taking it.
func (b *Buddy) Find(bytes int) (Node, bool) {
	if !b.Fits(bytes) {
		return NoNode, false
	}
	size := max(b.smallest, ceilPow2(bytes))
	first := b.pool / size // nodes of one level: [first, 2·first)
	for n := first; n < 2*first; n++ {
		if !b.marks[n] {
			return Node(n), true
		}
	}
	return NoNode, false
}

// Alloc takes a block for the request: the node, its descendants and its
// ancestors are marked. It reports false if no block is free.
func (b *Buddy) Alloc(bytes int) (Node, bool) {
	n, ok := b.Find(bytes)
	if ok {
		b.take(n)
	}
	return n, ok
}

func (b *Buddy) take(n Node) {
	b.setBelow(n, true)
	for a := n / 2; a > 0; a /= 2 {
		b.marks[a] = true
	}
}

// Mark puts a block on the list of blocks to be freed, as the last warp of a threadblock does.
func (b *Buddy) Mark(n Node) { b.list = append(b.list, n) }

// Pending returns how many blocks wait to be freed.
func (b *Buddy) Pending() int { return len(b.list) }

// FreeOne frees the oldest block of the list and returns how many ancestors it
// looked at. It reports false if the list is empty.
func (b *Buddy) FreeOne() (looked int, ok bool) {
	if len(b.list) == 0 {
		return 0, false
	}
	n := b.list[0]
	b.list = b.list[:copy(b.list, b.list[1:])]
	return b.free(n), true
}

// free unmarks the block and the nodes below it, then its ancestors for as long as the sibling is free too.
func (b *Buddy) free(n Node) (looked int) {
	if !b.marks[n] {
		panic(fmt.Sprintf("pagoda: shared memory block %d is freed twice", n))
	}
	b.setBelow(n, false)
	for ; n > 1; n /= 2 {
		looked++
		if b.marks[n^1] {
			break
		}
		b.marks[n/2] = false
	}
	return looked
}

// setBelow sets the marks of a node and all its descendants.
func (b *Buddy) setBelow(n Node, mark bool) {
	for lo, hi := int(n), int(n)+1; lo < len(b.marks); lo, hi = 2*lo, 2*hi {
		for i := lo; i < hi; i++ {
			b.marks[i] = mark
		}
	}
}

func depth(n Node) int { return bits.Len16(uint16(n)) - 1 }

// ceilPow2 returns the least power of two that is at least n, which is positive.
func ceilPow2(n int) int { return 1 << bits.Len(uint(n-1)) }
