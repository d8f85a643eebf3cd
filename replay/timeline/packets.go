package timeline

import (
	"bufio"
	"io"
	"math"
)

// Numbers of fields and values, from Perfetto's definitions.
const (
	tracePacket = 1 // Trace.packet

	packetTimestamp  = 8
	packetSequence   = 10
	packetEvent      = 11
	packetInterned   = 12
	packetFlags      = 13
	packetDescriptor = 60

	flagCleared = 1 // the sequence starts with no interned names
	flagNeeds   = 2 // the packet refers to interned names

	trackUUID     = 1
	trackName     = 2
	trackProcess  = 3
	trackParent   = 5
	trackCounter  = 8
	trackOrdering = 11
	trackRank     = 12
	orderExplicit = 3

	processPID  = 1
	processName = 6

	counterUnit     = 3
	counterUnitName = 6
	unitCount       = 2

	eventNotes   = 4
	eventType    = 9
	eventNameIID = 10
	eventTrack   = 11
	eventValue   = 30
	eventLevel   = 44
	eventFlows   = 47

	typeBegin   = 1
	typeEnd     = 2
	typeInstant = 3
	typeCounter = 4

	noteNameIID = 1
	noteInt     = 4
	noteText    = 6

	internedEvents = 2
	internedNotes  = 3
	internedIID    = 1
	internedName   = 2
)

// maxNames bounds the names that are interned; beyond it they start anew.
const maxNames = 1 << 14

// note is one fact shown beside a slice. Text is shown if it is not "". One without a name is an arrow: slices with
// the same number follow it in time.
type note struct {
	name string
	n    int64
	text string
}

// arrow leads from a slice with a number to the next one with it.
func arrow(number int64) note { return note{n: number} }

// packets writes a Perfetto trace packet by packet, on one sequence. The first
// error stays.
type packets struct {
	w          *bufio.Writer
	err        error
	uuids      uint64
	names      [2]map[string]uint64 // of events and of notes
	fresh      message              // interned names that the next packet introduces
	cleared    bool                 // the sequence has begun
	packet     message
	event      message
	scratch    message
	descriptor message
}

func newPackets(w io.Writer) *packets {
	return &packets{w: bufio.NewWriterSize(w, 1<<18), names: [2]map[string]uint64{{}, {}}}
}

// track describes a new track and returns its id. A rank of 0 or more orders it among its parent's tracks.
func (p *packets) track(parent uint64, name string, rank int, more func(*message)) uint64 {
	p.uuids++
	d := p.descriptor[:0]
	d.uint(trackUUID, p.uuids)
	if parent != 0 {
		d.uint(trackParent, parent)
	}
	if name != "" {
		d.text(trackName, name)
	}
	if rank >= 0 {
		d.int(trackRank, int64(rank))
	}
	if more != nil {
		more(&d)
	}
	d.uint(trackOrdering, orderExplicit)
	p.descriptor = d
	p.begin(0)
	p.packet.message(packetDescriptor, d)
	p.end()
	return p.uuids
}

// process describes the process of a replay.
func (p *packets) process(pid int, name string) uint64 {
	return p.track(0, "", -1, func(d *message) {
		var process message
		process.int(processPID, int64(pid))
		process.text(processName, name)
		d.message(trackProcess, process)
	})
}

// counter describes a counter.
func (p *packets) counter(parent uint64, name, unit string, rank int) uint64 {
	return p.track(parent, name, rank, func(d *message) {
		var counter message
		if unit == "" {
			counter.uint(counterUnit, unitCount)
		} else {
			counter.text(counterUnitName, unit)
		}
		d.message(trackCounter, counter)
	})
}

// slice writes a slice of a track, from and to in ns.
func (p *packets) slice(track uint64, from, to int64, name string, notes ...note) {
	p.mark(typeBegin, track, from, name, notes)
	p.mark(typeEnd, track, to, "", nil)
}

// instant writes a point in time.
func (p *packets) instant(track uint64, at int64, name string, notes ...note) {
	p.mark(typeInstant, track, at, name, notes)
}

func (p *packets) mark(kind uint64, track uint64, at int64, name string, notes []note) {
	e := p.event[:0]
	e.uint(eventType, kind)
	e.uint(eventTrack, track)
	if name != "" {
		e.uint(eventNameIID, p.intern(0, name))
	}
	for _, n := range notes {
		if n.name == "" {
			e.fixed(eventFlows, uint64(n.n))
			continue
		}
		s := p.scratch[:0]
		s.uint(noteNameIID, p.intern(1, n.name))
		if n.text != "" {
			s.text(noteText, n.text)
		} else {
			s.int(noteInt, n.n)
		}
		e.message(eventNotes, s)
		p.scratch = s
	}
	p.event = e
	p.begin(at)
	p.packet.message(packetEvent, e)
	p.end()
}

// count writes the value of a counter from a time on, level one that is no whole
// number.
func (p *packets) count(track uint64, at, value int64) {
	p.counted(track, at, func(e *message) { e.int(eventValue, value) })
}

func (p *packets) level(track uint64, at int64, value float64) {
	p.counted(track, at, func(e *message) { e.fixed(eventLevel, math.Float64bits(value)) })
}

func (p *packets) counted(track uint64, at int64, value func(*message)) {
	e := p.event[:0]
	e.uint(eventType, typeCounter)
	e.uint(eventTrack, track)
	value(&e)
	p.event = e
	p.begin(at)
	p.packet.message(packetEvent, e)
	p.end()
}

// intern returns the number of a name of an event (0) or a note (1). A name
// that is new is introduced by the packet that is written next.
func (p *packets) intern(kind int, name string) uint64 {
	if iid, ok := p.names[kind][name]; ok {
		return iid
	}
	iid := uint64(len(p.names[kind]) + 1)
	p.names[kind][name] = iid
	var entry message
	entry.uint(internedIID, iid)
	entry.text(internedName, name)
	p.fresh.message(internedEvents+kind*(internedNotes-internedEvents), entry)
	return iid
}

func (p *packets) begin(at int64) {
	p.packet = p.packet[:0]
	p.packet.uint(packetTimestamp, uint64(at))
	p.packet.uint(packetSequence, 1)
	flags := uint64(flagNeeds)
	if !p.cleared {
		flags |= flagCleared
		p.cleared = true
	}
	p.packet.uint(packetFlags, flags)
	if len(p.fresh) > 0 {
		p.packet.message(packetInterned, p.fresh)
		p.fresh = p.fresh[:0]
	}
}

func (p *packets) end() {
	head := p.scratch[:0]
	head.header(tracePacket, len(p.packet))
	p.scratch = head
	p.write(head)
	p.write(p.packet)
	if len(p.names[0]) >= maxNames || len(p.names[1]) >= maxNames {
		clear(p.names[0])
		clear(p.names[1])
		p.cleared = false
	}
}

func (p *packets) write(b []byte) {
	if p.err == nil {
		_, p.err = p.w.Write(b)
	}
}

func (p *packets) close() error {
	if p.err == nil {
		p.err = p.w.Flush()
	}
	return p.err
}
