package tasks

import (
	"fmt"
	"math/rand/v2"

	"gpureplay/samples"
	"gpureplay/trace"
)

func init() {
	register("tasks-3des", "triple DES, one network packet per task",
		"Pagoda tables 3 and 4; NIST SP 800-67, NetBench", tripleDESKind)
}

var tripleDESKind = &kind{name: "3des", registers: 26, prepare: prepareTripleDES, sizes: packetSizes,
	params: func() []samples.Param {
		return []samples.Param{
			samples.Int("min-bytes", 2048, 8, 1<<20, "smallest packet"),
			samples.Int("max-bytes", 16384, 8, 1<<20, "largest packet"),
			samples.Choice("packets", "all the largest, or sizes uniform between smallest and largest", "largest", "uniform"),
			samples.Text("pcap", "", "capture file whose packets are encrypted in their order, again from the first "+
				"after the last"),
		}
	}, most: func(p samples.Params) int {
		return units(p.Int("max-bytes")/8) * 3150
	}}

// encrypt is the kernel: a lane encrypts one 8-byte block at a time. The S-boxes with the permutation after them
// are tables in constant memory, and lanes read different entries; the keys are constant operands.
//
//  1. Packets are padded with zeros to whole blocks; blocks are independent (ECB).
//  2. Packets have 16 KB, as in the artifact, or sizes uniform between the smallest and the largest, in whole
//     blocks; the number of threads stays.
//  3. As in the artifact a packet is encrypted twice: in place, and the result into the output.
//  4. A round is counted as one rotation, two instructions for each of the eight tables that join key and half and
//     cut out six bits. It has eight loads, and four exclusive ors of three operands. Rounds are unrolled. Each of
//     the two outer permutations is five exchanges of bits between the halves (shift, exclusive or with mask,
//     exclusive or, shift, exclusive or) and two rotations.
//  5. The artifact's tables are of 64-bit words in device memory. Loads from them are timed as loads from constant
//     memory here, and words as of 32 bits. A trace with the address of each of the 1,536 look-ups of a lane would
//     have megabytes a task.
type encrypt struct {
	cipher  *tripleDES
	packet  buffer
	out     buffer
	entry   entry
	load    []samples.Op // address, then the load
	swap    [2][]samples.Op
	round   []samples.Op // before the look-ups
	tables  [8]samples.Op
	join    []samples.Op // after them
	store   samples.Op
	units   loop
	exit    samples.Op
	address samples.Op
}

func prepareTripleDES(b *bench) maker {
	largest := b.largest / 8
	k := encrypt{}
	keys := rand.New(rand.NewPCG(b.params.Seed(), 3<<32))
	k.cipher = newTripleDES([3]uint64{keys.Uint64(), keys.Uint64(), keys.Uint64()})
	largest = b.length(largest)
	k.packet = b.buffer("packet", largest, 8, trace.ArrayInput)
	k.out = b.buffer("cipher", largest, 8, trace.ArrayOutput)
	c := b.program.Code("triple_des")
	k.entry = newEntry(c)
	at, l, r, t, i := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Regs(8)
	k.address = c.Op("LEA", at, k.entry.thread)
	k.load = []samples.Op{c.Load("LDG.64", 8, l, at)}
	k.swap[0] = append([]samples.Op{c.Op("PRMT", l, l), c.Op("PRMT", r, l)}, exchange(c, l, r, t)...)
	k.round = []samples.Op{c.Op("SHF", t, r)}
	for _, box := range i {
		k.round = append(k.round, c.Op("LOP3", box, t), c.Op("SHF", box, box))
	}
	for x, box := range i {
		k.tables[x] = c.Load("LDC", 4, box, box)
	}
	for x := 0; x < len(i); x += 2 {
		k.join = append(k.join, c.Op("LOP3", l, l, i[x], i[x+1]))
	}
	k.swap[1] = append(exchange(c, l, r, t), c.Op("PRMT", l, l), c.Op("PRMT", r, r))
	k.store = c.Store("STG.64", 8, at, l, r)
	k.units, k.exit = newLoop(c), c.Exit()
	return func(in input) (body, any) {
		p := newPacket(b.params, in)
		bd := b.record(b.blocks, in.threads, 0, c, func(blk *samples.Block) {
			blk.EachWarp(func(w *samples.Warp) { k.warp(blk, w, p) })
		})
		bd.in, bd.out = uint64(len(p.plain)), uint64(len(p.cipher))
		p.key = k.cipher
		return bd, p
	}
}

// exchange is the code of the initial permutation, or of its inverse.
func exchange(c *samples.Code, l, r, t trace.Reg) []samples.Op {
	var ops []samples.Op
	for range 5 {
		ops = append(ops, c.Op("SHF", t, l), c.Op("LOP3", t, t, r), c.Op("LOP3", r, r, t), c.Op("SHF", t, t),
			c.Op("LOP3", l, l, t))
	}
	return append(ops, c.Op("SHF", l, l), c.Op("SHF", r, r))
}

// packet is a padded packet and its cipher text.
type packet struct {
	plain, once, cipher []byte
	key                 *tripleDES
}

func newPacket(p samples.Params, in input) packet {
	payload := in.payload
	if payload == nil {
		n := in.length(p.Int("max-bytes")/8, 1)
		if lo := ceil(p.Int("min-bytes"), 8); p.Text("packets") == "uniform" && !irregular(p) {
			n = lo + in.rng.IntN(n-lo+1)
		}
		payload = make([]byte, 8*n)
		for i := range payload {
			payload[i] = byte(in.rng.Uint32())
		}
	}
	padded := make([]byte, 8*ceil(len(payload), 8))
	copy(padded, payload)
	return packet{plain: padded, once: make([]byte, len(padded)), cipher: make([]byte, len(padded))}
}

// packetSizes checks the limits, and returns the largest packet and the capture file's packets, if there is one.
func packetSizes(p samples.Params) (largest int, payloads [][]byte, err error) {
	lo, hi := ceil(p.Int("min-bytes"), 8)*8, p.Int("max-bytes")/8*8
	if lo > hi {
		return 0, nil, fmt.Errorf("min-bytes=%d: want at most max-bytes=%d, both in whole blocks of 8", p.Int("min-bytes"),
			p.Int("max-bytes"))
	}
	if p.Text("pcap") == "" {
		return hi, nil, nil
	}
	payloads, err = readPackets(p.Text("pcap"))
	for _, b := range payloads {
		largest = max(largest, 8*ceil(len(b), 8))
	}
	return largest, payloads, err
}

func (k *encrypt) warp(blk *samples.Block, w *samples.Warp, p packet) {
	k.entry.do(w)
	n := len(p.plain) / 8
	strided(blk, w, ceil(n, samples.WarpSize), func(unit int) {
		first := unit * samples.WarpSize
		w.Under(w.Where(func(l int) bool { return first+l < n }), func() { k.blocks(w, first, k.packet, p.plain, p.once) })
		k.units.next(w)
	})
	strided(blk, w, ceil(n, samples.WarpSize), func(unit int) {
		first := unit * samples.WarpSize
		w.Under(w.Where(func(l int) bool { return first+l < n }), func() { k.blocks(w, first, k.out, p.once, p.cipher) })
		k.units.next(w)
	})
	w.Exit(k.exit)
}

func (k *encrypt) blocks(w *samples.Warp, first int, to buffer, plain, cipher []byte) {
	w.Do(k.address)
	w.Affine(k.load[0], k.packet.At(first), 8)
	w.Do(k.swap[0]...)
	for range 3 * 16 {
		w.Do(k.round...)
		for _, look := range k.tables {
			w.Same(look, 0) // the recorder drops the address: constant memory
		}
		w.Do(k.join...)
	}
	w.Do(k.swap[1]...)
	w.Affine(k.store, to.At(first), 8)
	w.Lanes(func(l int) { k.cipher.block(cipher[8*(first+l):], plain[8*(first+l):]) })
}
