package container

import (
	"bytes"
	"errors"
	"gpureplay/trace"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the limits of the cache, in whatever order and how often the CTAs of
// kernels are read, they are those of the trace.
func TestCacheLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := randomTrace(t)
		r := openBytes(t, want.write(t, 1<<10))
		all := holdAll(t, r)
		r.ahead.Wait()
		r.blocks.drop()
		limits := rapid.SampledFrom([][2]uint64{{0, 0}, {0, 1 << 20}, {1, 1}, {1, 1 << 10}, {4 << 10, 1 << 20}}).Draw(t,
			"limits")
		r.blocks.unpacked.limit, r.blocks.kept.limit = limits[0], limits[1]
		readInTurn(t, r, all, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1)))
	})
}

// readInTurn reads every kernel twice, by cursors that take turns.
func readInTurn(t tester, r *Reader, all *held, order *rand.Rand) {
	t.Helper()
	type reading struct {
		cursor trace.Cursor[trace.CTA]
		kernel int
		next   int
	}
	var open []*reading
	for i := range 2 * len(all.CTAs) {
		c, err := r.CTAs(uint32(i/2), 0)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, &reading{c, i / 2, 0})
	}
	var dst trace.CTA // is used again for all
	for len(open) > 0 {
		i := order.IntN(len(open))
		x := open[i]
		ctas := all.CTAs[x.kernel]
		err := x.cursor.Next(&dst)
		if x.next == len(ctas) {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			open = append(open[:i], open[i+1:]...)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if d := diff(&held{CTAs: [][]trace.CTA{{ctas[x.next]}}}, &held{CTAs: [][]trace.CTA{{dst}}}); d != "" {
			t.Fatalf("kernel %d, CTA %d: %s", x.kernel, x.next, d)
		}
		x.next++
	}
}

// Children that are read in another order than the trace has them are unpacked once, as long as the unread ones
// have room packed. Open cursors hold no block.
func TestScatteredReads(t *testing.T) {
	const n = 50_000
	var out bytes.Buffer
	manyKernels(t, &out, n)
	r := openBytes(t, out.Bytes())
	r.blocks.unpacked.limit, r.blocks.kept.limit = 1<<20, 8<<20
	blocks := uint64(0)
	for _, b := range r.ctaBlocks {
		blocks += uint64(r.index[b].raw)
	}
	var c trace.CTA
	var open []trace.Cursor[trace.CTA]
	unpacked := uint64(0)
	for i := range n {
		id := uint32(1 + i*7919%n)
		cursor, err := r.CTAs(id, 0)
		if err != nil {
			t.Fatal(err)
		}
		before := r.Unpacked() // without the cost of the kernels
		if err := cursor.Next(&c); err != nil || c.Warps[0].Mem[0].Base != uint64(int(id)*int(id)%1000003)*4 {
			t.Fatal(id, c, err)
		}
		unpacked += r.Unpacked() - before
		open = append(open, cursor)
	}
	t.Logf("%d blocks of %d bytes, %d bytes unpacked", len(r.ctaBlocks), blocks, unpacked)
	if len(r.ctaBlocks) < 4 || unpacked > blocks {
		t.Errorf("%d bytes of %d blocks were unpacked, which have %d", unpacked, len(r.ctaBlocks), blocks)
	}
	r.ahead.Wait()
	if left := r.blocks.kept.order.Len(); left > 1 {
		t.Errorf("%d blocks are kept though their CTAs have been read", left)
	}
	if live, most := liveBytes(open), uint64(8<<20); live > most {
		t.Errorf("%d cursors hold %d bytes", len(open), live)
	}
	runtime.KeepAlive(r)
}

// liveBytes is how much memory goes with x.
func liveBytes[T any](x []T) uint64 {
	var with, without runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&with)
	clear(x)
	runtime.GC()
	runtime.ReadMemStats(&without)
	return with.HeapAlloc - min(with.HeapAlloc, without.HeapAlloc)
}

// The limit of kept CTAs grows with the children that may be pending, between two bounds.
func TestKeptLimit(t *testing.T) {
	for children, want := range map[uint64]uint64{0: 64 << 20, 1 << 20: 64 << 20, 10 << 20: 640 << 20,
		16 << 20: 1 << 30, 1 << 40: 1 << 30,
		^uint64(0): 1 << 30} {
		if got := keptLimit(children); got != want {
			t.Errorf("of a trace with %d children %d bytes are kept, want %d", children, got, want)
		}
	}
}

// A block whose memory is used again belongs to its former holder no more.
func TestRecycledBlockIsGivenUp(t *testing.T) {
	for _, x := range []struct {
		gone  bool
		users int
		kept  bool
	}{{true, 0, false}, {true, 1, true}, {false, 0, true}} {
		e := cachedBlock{gone: x.gone, block: &ctaBlock{}}
		e.users += x.users
		if e.recycle(); (e.block != nil) != x.kept {
			t.Errorf("gone %v, %d users: the block is kept: %v", x.gone, x.users, e.block != nil)
		}
	}
}
