package timeline

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// fields splits a protobuf message; a value is a uint64 or a []byte.
func fields(t *testing.T, m []byte) map[int][]any {
	t.Helper()
	all := map[int][]any{}
	for len(m) > 0 {
		key, n := binary.Uvarint(m)
		if n <= 0 {
			t.Fatalf("bad key at %x", m)
		}
		if key&7 == 1 {
			all[int(key>>3)] = append(all[int(key>>3)], binary.LittleEndian.Uint64(m[n:]))
			m = m[n+8:]
			continue
		}
		v, size := binary.Uvarint(m[n:])
		if size <= 0 {
			t.Fatalf("bad value at %x", m)
		}
		m = m[n+size:]
		switch key & 7 {
		case 0:
			all[int(key>>3)] = append(all[int(key>>3)], v)
		case 2:
			if uint64(len(m)) < v {
				t.Fatalf("field %d of %d bytes, %d left", key>>3, v, len(m))
			}
			all[int(key>>3)] = append(all[int(key>>3)], m[:v])
			m = m[v:]
		default:
			t.Fatalf("wire type %d", key&7)
		}
	}
	return all
}

type parsedTrack struct {
	name    string
	counter bool
	open    []string // slices that have begun
}

// parsed is a trace as a viewer would understand it.
type parsed struct {
	t      *testing.T
	tracks map[uint64]*parsedTrack
	names  [2]map[uint64]string
	lines  []string
}

// parse reads a trace and returns its slices, instants and counts as lines "process/group/track from-to name
// note=value ...", sorted by time. It fails on anything that a viewer would not understand: a track, name or order
// unknown to it.
func parse(t *testing.T, data []byte) []string {
	t.Helper()
	p := &parsed{t: t, tracks: map[uint64]*parsedTrack{}}
	type packet struct {
		at    uint64
		event []byte
		names [2]map[uint64]string
	}
	var events []packet
	for _, raw := range fields(t, data)[1] {
		f := fields(t, raw.([]byte))
		if f[packetSequence][0].(uint64) != 1 {
			t.Error("a packet of no sequence")
		}
		if f[packetFlags][0].(uint64)&flagCleared != 0 {
			p.names = [2]map[uint64]string{{}, {}}
		}
		for _, in := range f[packetInterned] {
			p.learn(in.([]byte))
		}
		if d := f[packetDescriptor]; d != nil {
			p.describe(d[0].([]byte))
		}
		if e := f[packetEvent]; e != nil {
			events = append(events, packet{f[packetTimestamp][0].(uint64), e[0].([]byte), p.names})
		}
	}
	slices.SortStableFunc(events, func(a, b packet) int { return int(a.at) - int(b.at) })
	for _, e := range events {
		p.names = e.names
		p.event(e.at, e.event)
	}
	for _, track := range p.tracks {
		if len(track.open) > 0 {
			t.Errorf("slices without end on %s: %v", track.name, track.open)
		}
	}
	return p.lines
}

func (p *parsed) learn(in []byte) {
	for field, entries := range fields(p.t, in) {
		for _, entry := range entries {
			f := fields(p.t, entry.([]byte))
			p.names[field-internedEvents][f[internedIID][0].(uint64)] = string(f[internedName][0].([]byte))
		}
	}
}

func (p *parsed) describe(d []byte) {
	f := fields(p.t, d)
	track := &parsedTrack{counter: f[trackCounter] != nil}
	switch {
	case f[trackProcess] != nil:
		track.name = string(fields(p.t, f[trackProcess][0].([]byte))[processName][0].([]byte))
	default:
		parent := p.tracks[f[trackParent][0].(uint64)]
		if parent == nil {
			p.t.Fatalf("a track before its parent")
		}
		track.name = parent.name + "/" + string(f[trackName][0].([]byte))
	}
	id := f[trackUUID][0].(uint64)
	if p.tracks[id] != nil {
		p.t.Errorf("track %d is described twice", id)
	}
	p.tracks[id] = track
}

func (p *parsed) event(at uint64, e []byte) {
	f := fields(p.t, e)
	track := p.tracks[f[eventTrack][0].(uint64)]
	if track == nil {
		p.t.Fatal("an event of no track")
	}
	text := p.text(f)
	switch kind := f[eventType][0].(uint64); kind {
	case typeBegin:
		if len(track.open) > 0 {
			p.t.Errorf("%s: a slice begins at %d within another", track.name, at)
		}
		track.open = append(track.open, fmt.Sprintf("%d%s", at, text))
	case typeEnd:
		if len(track.open) == 0 {
			p.t.Fatalf("%s: a slice ends at %d that did not begin", track.name, at)
		}
		from, rest, _ := strings.Cut(track.open[0], " ")
		track.open = nil
		p.lines = append(p.lines, fmt.Sprintf("%s %s-%d %s", track.name, from, at, rest))
	case typeInstant:
		p.lines = append(p.lines, fmt.Sprintf("%s %d%s", track.name, at, text))
	case typeCounter:
		if !track.counter {
			p.t.Errorf("%s: a count on a track that is no counter", track.name)
		}
		value := any(nil)
		if v := f[eventLevel]; v != nil {
			value = math.Float64frombits(v[0].(uint64))
		} else {
			value = int64(f[eventValue][0].(uint64))
		}
		p.lines = append(p.lines, fmt.Sprintf("%s %d = %v", track.name, at, value))
	default:
		p.t.Fatalf("event of type %d", kind)
	}
}

func (p *parsed) text(f map[int][]any) string {
	var b strings.Builder
	if iid := f[eventNameIID]; iid != nil {
		b.WriteString(" " + p.name(0, iid[0].(uint64)))
	}
	for _, flow := range f[eventFlows] {
		fmt.Fprintf(&b, " flow=%d/%d", flow.(uint64)>>32, flow.(uint64)&math.MaxUint32)
	}
	for _, raw := range f[eventNotes] {
		n := fields(p.t, raw.([]byte))
		fmt.Fprintf(&b, " %s=", p.name(1, n[noteNameIID][0].(uint64)))
		if n[noteText] != nil {
			b.Write(n[noteText][0].([]byte))
		} else {
			fmt.Fprint(&b, int64(n[noteInt][0].(uint64)))
		}
	}
	return b.String()
}

func (p *parsed) name(kind int, iid uint64) string {
	name, ok := p.names[kind][iid]
	if !ok {
		p.t.Fatalf("name %d of kind %d is not known", iid, kind)
	}
	return name
}
