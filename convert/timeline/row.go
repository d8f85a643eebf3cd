package timeline

import (
	"encoding/binary"

	"gpureplay/trace"
)

// row is anything that is sorted: a call, a sync, an activity, or an activity
// joined with its call. Rows travel through files as fixed-width records with
// their sort key in front.
type row struct {
	process, correlation uint64
	side                 side
	kind                 uint8 // ActivityKind or CallKind
	copy                 trace.OpKind
	flags                flags
	start, duration      int64 // on the host; of an activity that is not joined: on the device
	seq                  uint64
	host, thread         uint64
	device, name         uint32
	stream, event        uint64
	grid, block, cluster trace.Dim3
	registers, shared    uint32
	local                uint32
	bytes, addr          uint64
	began, ran           int64 // on the device
	gridID               uint64
}

// side orders the rows of one correlation id.
type side uint8

const (
	sideCall side = iota
	sideSync
	sideRecord // says which event and stream a recording call was about
	sideActivity
	sideRange // among the rows in host order only
)

type flags uint16

const (
	flagSized flags = 1 << iota
	flagAsync
	flagPageable
	flagBlocking
	flagGraph
	flagStream   // stream is known
	flagEvent    // event is known
	flagDevice   // device is known
	flagHostTime // start and duration are of a call
	flagUsed     // an activity or a sync belongs to the call
	flagThreads  // the grid is in threads
	flagAnyThread
	flagZero    // its time is 0
	flagUntimed // its start is unknown
	flagEndless // its duration is unknown
	flagWhole   // a whole graph launch
)

const (
	keyWords = 5
	rowWords = keyWords + 22
	rowBytes = rowWords * 8
	signBit  = 1 << 63
)

// ordered maps an int64 to a uint64 of the same order.
func ordered(v int64) uint64 { return uint64(v) ^ signBit }

// joinKey puts related records side by side.
func (r *row) joinKey() [keyWords]uint64 {
	return [keyWords]uint64{r.process, r.correlation, uint64(r.side), ordered(r.start), r.seq}
}

// hostKey is the order of operations that the host issued at the given time.
func (r *row) hostKey(issue int64) [keyWords]uint64 {
	return [keyWords]uint64{ordered(issue), ordered(r.began), ordered(r.start), r.stream, r.seq}
}

func pair(a, b uint32) uint64 { return uint64(a)<<32 | uint64(b) }

func (r *row) encode(buf []byte, key [keyWords]uint64) {
	words := [rowWords - keyWords]uint64{
		r.process, r.correlation,
		uint64(r.side)<<48 | uint64(r.kind)<<32 | uint64(r.copy)<<16 | uint64(r.flags),
		uint64(r.start), uint64(r.duration),
		r.host, r.thread, pair(r.device, r.name), r.stream, r.event,
		pair(r.grid[0], r.grid[1]), pair(r.grid[2], r.block[0]), pair(r.block[1], r.block[2]),
		pair(r.cluster[0], r.cluster[1]), pair(r.cluster[2], r.registers), pair(r.shared, r.local),
		r.bytes, r.addr, uint64(r.began), uint64(r.ran), r.gridID,
		r.seq,
	}
	for i, w := range key {
		binary.BigEndian.PutUint64(buf[i*8:], w)
	}
	for i, w := range words {
		binary.BigEndian.PutUint64(buf[(keyWords+i)*8:], w)
	}
}

func (r *row) decode(buf []byte) {
	next := keyWords * 8
	word := func() uint64 {
		w := binary.BigEndian.Uint64(buf[next:])
		next += 8
		return w
	}
	split := func() (uint32, uint32) {
		w := word()
		return uint32(w >> 32), uint32(w)
	}
	r.process, r.correlation = word(), word()
	w := word()
	r.side, r.kind, r.copy, r.flags = side(w>>48), uint8(w>>32), trace.OpKind(w>>16), flags(w)
	r.start, r.duration = int64(word()), int64(word())
	r.host, r.thread = word(), word()
	r.device, r.name = split()
	r.stream, r.event = word(), word()
	r.grid[0], r.grid[1] = split()
	r.grid[2], r.block[0] = split()
	r.block[1], r.block[2] = split()
	r.cluster[0], r.cluster[1] = split()
	r.cluster[2], r.registers = split()
	r.shared, r.local = split()
	r.bytes, r.addr = word(), word()
	r.began, r.ran = int64(word()), int64(word())
	r.gridID, r.seq = word(), word()
}
