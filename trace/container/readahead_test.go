package container

import (
	"bytes"
	"runtime"
	"testing"
)

// Where blocks are read one after another the next is there before it is requested,
// and none is unpacked twice; after a block in another place none is.
func TestReadAhead(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const n = 50_000
	var out bytes.Buffer
	manyKernels(t, &out, n)
	r := openBytes(t, out.Bytes())
	if len(r.ctaBlocks) < 5 {
		t.Fatalf("%d blocks", len(r.ctaBlocks))
	}
	there := func(block uint32) bool {
		r.ahead.Wait()
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.blocks.entries[block] != nil
	}
	read := func(block uint32) {
		e, err := r.acquire(block, -1)
		if err != nil {
			t.Fatal(err)
		}
		r.release(e, -1)
	}
	read(0)
	if there(1) {
		t.Error("block 1 is there though nothing tells in which order blocks are read")
	}
	read(1)
	if !there(2) || there(3) {
		t.Error("after blocks 0 and 1 comes not block 2 alone")
	}
	before := r.Unpacked()
	read(2)
	if there(3); r.Unpacked()-before != uint64(r.index[r.ctaBlocks[3]].raw) {
		t.Errorf("%d bytes were unpacked while block 2 was read, want those of block 3", r.Unpacked()-before)
	}
	read(1)
	read(2)
	read(0)
	if there(4) {
		t.Error("block 4 is there though block 3 was not read")
	}
}
