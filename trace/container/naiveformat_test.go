package container

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"os"
	"regexp"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A reader of containers written from docs/format.md alone: it shares no code with the other one, takes names, tags
// and codes of fields from the document's tables, and panics at anything else.

// naiveStream is the bytes of a column.
type naiveStream struct {
	b       []byte
	missing bool
}

func (s *naiveStream) plain() uint64 {
	if s.missing {
		return 0
	}
	v, n := binary.Uvarint(s.b)
	if n <= 0 {
		panic("a stream ends too early")
	}
	s.b = s.b[n:]
	return v
}

func (s *naiveStream) delta() int64 {
	v := s.plain()
	if v%2 == 1 {
		return -int64(v/2) - 1
	}
	return int64(v / 2)
}

func (s *naiveStream) octet() byte {
	if s.missing {
		return 0
	}
	v := s.b[0]
	s.b = s.b[1:]
	return v
}

// naiveSection is a section with its columns by tag.
type naiveSection struct {
	kind    byte
	rows    uint64
	columns map[uint64]*naiveStream
}

func (s *naiveSection) column(tag uint64) *naiveStream {
	if c := s.columns[tag]; c != nil {
		return c
	}
	return &naiveStream{missing: true}
}

func naiveSections(block []byte) (list []*naiveSection) {
	for len(block) > 0 {
		s := &naiveSection{kind: block[0], columns: map[uint64]*naiveStream{}}
		in := naiveStream{b: block[1:]}
		size := in.plain()
		body := naiveStream{b: in.b[:size]}
		block = in.b[size:]
		s.rows = body.plain()
		for len(body.b) > 0 {
			tag, n := body.plain(), body.plain()
			s.columns[tag], body.b = &naiveStream{b: body.b[:n]}, body.b[n:]
		}
		list = append(list, s)
	}
	return list
}

// naiveField is a row of a table of docs/format.md.
type naiveField struct {
	tag        uint64
	name, code string
}

// naiveSchema reads the tables of docs/format.md, by kind.
func naiveSchema() map[byte][]naiveField {
	doc, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		panic(err)
	}
	schema := map[byte][]naiveField{}
	kind := byte(0)
	title, row := regexp.MustCompile("\\(kind `(.)`\\)$"),
		regexp.MustCompile("^\\| ([0-9]+) \\| `([a-z_]+)` \\| ([a-z]+) \\|")
	for line := range strings.Lines(string(doc)) {
		line = strings.TrimSpace(line)
		if m := title.FindStringSubmatch(line); m != nil {
			kind = m[1][0]
		}
		if m := row.FindStringSubmatch(line); m != nil && kind != 'C' {
			schema[kind] = append(schema[kind], naiveField{uint64(len(schema[kind]) + 1), m[2], m[3]})
		}
	}
	return schema
}

// naiveRow is a record: numbers as stored (differences resolved), strings, lists.
type naiveRow map[string]any

func naiveTable(s *naiveSection, fields []naiveField, strings []string) []naiveRow {
	rows := make([]naiveRow, s.rows)
	for i := range rows {
		rows[i] = naiveRow{}
	}
	for _, f := range fields {
		c, last := s.column(f.tag), uint64(0)
		for _, r := range rows {
			switch f.code {
			case "plain":
				r[f.name] = c.plain()
			case "delta":
				last += uint64(c.delta())
				r[f.name] = last
			case "text":
				r[f.name] = strings[c.plain()]
			case "list":
				list := make([]uint64, c.plain())
				for i := range list {
					list[i] = c.plain()
				}
				r[f.name] = list
			default:
				panic("a field of code " + f.code)
			}
		}
	}
	return rows
}

// naiveTrace is a container as the naive reader has it.
type naiveTrace struct {
	tables map[byte][]naiveRow
	ctas   map[uint64][]naiveCTA // by kernel
}

func readNaive(file []byte) *naiveTrace {
	le := binary.LittleEndian
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	if string(file[8:16]) != "RPLTRACE" || le.Uint32(file[20:]) != crc32.Checksum(file[:20], castagnoli) {
		panic("the header")
	}
	loc := file[len(file)-72:]
	if string(loc[64:]) != "RPLTRACE" || le.Uint32(loc[60:]) != crc32.Checksum(file[len(file)-80:][:68], castagnoli) {
		panic("the locator")
	}
	z, err := zstd.NewReader(nil)
	if err != nil {
		panic(err)
	}
	defer z.Close()
	unpack := func(frame []byte) []byte {
		raw, err := z.DecodeAll(frame, nil)
		if err != nil {
			panic(err)
		}
		return raw
	}
	schema := naiveSchema()
	index := unpack(file[le.Uint64(loc):][:le.Uint32(loc[8:])])
	t := &naiveTrace{tables: map[byte][]naiveRow{}, ctas: map[uint64][]naiveCTA{}}
	t.tables['B'] = naiveTable(naiveSections(index)[0], schema['B'], nil)
	at := uint64(24)
	var later [][]byte
	for _, b := range t.tables['B'] {
		frame := file[at:][:b["bytes"].(uint64)]
		at += uint64(len(frame))
		if uint64(crc32.Checksum(frame, castagnoli)) != b["crc"].(uint64) {
			panic("a block")
		}
		if raw := unpack(frame); raw[0] == 'C' {
			later = append(later, raw) // the program is needed first, and stands last
		} else {
			t.read(raw, schema)
		}
	}
	for _, raw := range later {
		t.readCTAs(naiveSections(raw)[0])
	}
	return t
}

func (t *naiveTrace) read(raw []byte, schema map[byte][]naiveField) {
	var strings []string
	for _, s := range naiveSections(raw) {
		if s.kind == 'S' {
			text := s.column(2).b
			for range s.rows {
				n := s.column(1).plain()
				strings, text = append(strings, string(text[:n])), text[n:]
			}
			continue
		}
		t.tables[s.kind] = append(t.tables[s.kind], naiveTable(s, schema[s.kind], strings)...)
	}
}

// instructions returns the static instructions of a function.
func (t *naiveTrace) instructions(function uint64) []naiveRow {
	list := t.tables['N']
	for _, f := range t.tables['F'][:function] {
		list = list[f["insts"].(uint64):]
	}
	return list[:t.tables['F'][function]["insts"].(uint64)]
}

// naiveAccess is an access with all its addresses.
type naiveAccess struct{ addresses []uint64 }

type naiveWarp struct {
	id       uint64
	path     []uint64
	masks    [][2]uint64 // step and mask
	launches [][5]uint64 // step, lane code, child, work, params
	accesses []naiveAccess
}

type naiveCTA struct {
	id             uint64
	sm             int64
	stated         bool // ranges are
	ranges, touchs [][4]uint64
	counts         [][2]uint64
	warps          []naiveWarp
}

// naivePredictor is one of a site's three.
type naivePredictor struct{ last, stride, seen uint64 }

func (p *naivePredictor) learn(v uint64) {
	d := v - p.last
	if d == p.seen {
		p.stride = d
	}
	p.seen, p.last = d, v
}

type naiveSite struct {
	loop, warp, cta  naivePredictor
	usedWarp, usedIn int // numbers in the block, from 1
	stride           int64
	zeros            int // trailing, of the width
	bulk             bool
	other            uint64
	constants        [2]uint64
	lanes            [32]uint64
}

// naiveSuccessors has the last successor of each instruction of a function in a block.
type naiveSuccessors struct {
	after map[uint64]uint64
	first uint64
	sites map[uint64]int
}

// naiveBlock is the state of a block of CTAs.
type naiveBlock struct {
	t                  *naiveTrace
	s                  *naiveSection
	functions          map[uint64]*naiveSuccessors
	paths              [][]uint64
	masks              [][][2]uint64
	lastPath, lastMask int
	sites              []*naiveSite
	warp, cta          int
	rangeEnd, touchEnd uint64
	sm                 int64
	child              uint64
}

func (t *naiveTrace) readCTAs(s *naiveSection) {
	b := &naiveBlock{t: t, s: s, functions: map[uint64]*naiveSuccessors{}}
	kernel := uint64(0)
	for range s.column(1).plain() { // the first of sizes: runs
		kernel += s.column(2).plain()
		function, n := s.column(2).plain(), s.column(2).plain()
		next := uint64(0)
		for range n {
			c := b.readCTA(function, next)
			next = c.id + 1
			t.ctas[kernel] = append(t.ctas[kernel], c)
		}
	}
}

func (b *naiveBlock) readCTA(function, next uint64) naiveCTA {
	b.cta++
	s := b.s
	c := naiveCTA{id: next + s.column(3).plain()}
	b.sm += s.column(4).delta()
	c.sm = b.sm
	warps, ranges, touches := s.column(5).plain(), s.column(6).plain(), s.column(7).plain()
	if c.stated = ranges > 0; c.stated {
		c.ranges = b.spans(ranges-1, &b.rangeEnd)
	}
	c.touchs = b.spans(touches, &b.touchEnd)
	index := uint64(0)
	for range s.column(26).plain() {
		index += s.column(27).plain()
		c.counts = append(c.counts, [2]uint64{index, s.column(27).plain()})
		index++
	}
	id := uint64(0)
	for range warps {
		id += s.column(9).plain()
		c.warps = append(c.warps, b.readWarp(function, id))
		id++
	}
	return c
}

func (b *naiveBlock) spans(n uint64, end *uint64) (list [][4]uint64) {
	s := b.s.column(8)
	for range n {
		array, mode := s.plain(), uint64(s.octet())
		lo := *end + uint64(s.delta())
		*end = lo + s.plain()
		list = append(list, [4]uint64{array, mode, lo, *end})
	}
	return list
}

func (b *naiveBlock) readWarp(function, id uint64) naiveWarp {
	b.warp++
	w := naiveWarp{id: id}
	f := b.functions[function]
	if f == nil {
		f = &naiveSuccessors{after: map[uint64]uint64{}, sites: map[uint64]int{}}
		b.functions[function] = f
	}
	insts := b.t.instructions(function)
	switch ref := b.s.column(10).plain(); ref {
	case 0:
	case 1:
		b.lastPath = len(b.paths)
		b.paths = append(b.paths, b.newPath(f, insts))
	default:
		b.lastPath = len(b.paths) - 1 - int(ref-2)
	}
	w.path = b.paths[b.lastPath]
	switch ref := b.s.column(12).plain(); ref {
	case 0:
	case 1:
		b.lastMask = len(b.masks)
		b.masks = append(b.masks, b.newMasks())
	default:
		b.lastMask = len(b.masks) - 1 - int(ref-2)
	}
	w.masks = b.masks[b.lastMask]
	step := uint64(0)
	for range b.s.column(20).plain() {
		step += b.s.column(21).plain()
		lane := b.s.column(22).plain()
		b.child += 1 + uint64(b.s.column(23).delta())
		w.launches = append(w.launches, [5]uint64{step, lane, b.child, b.s.column(24).plain(), b.s.column(25).plain()})
	}
	for at, i := range w.path {
		if insts[i]["width"].(uint64) > 0 {
			w.accesses = append(w.accesses, naiveAccess{b.access(b.sites[f.sites[i]], maskAt(w.masks, uint64(at)))})
		}
	}
	return w
}

func maskAt(masks [][2]uint64, step uint64) (mask uint32) {
	for _, m := range masks {
		if m[0] <= step {
			mask = uint32(m[1])
		}
	}
	return mask
}

func (b *naiveBlock) newPath(f *naiveSuccessors, insts []naiveRow) (path []uint64) {
	flow := b.s.column(11)
	n := flow.plain()
	if n == 0 {
		return nil
	}
	f.first += uint64(flow.delta())
	path = append(path, f.first)
	last := func() uint64 { return path[len(path)-1] }
	for uint64(len(path)) < n {
		for range flow.plain() {
			next, known := f.after[last()]
			if !known {
				next = last() + 1
			}
			path = append(path, next)
		}
		if uint64(len(path)) < n {
			next := last() + uint64(flow.delta())
			f.after[last()] = next
			path = append(path, next)
		}
	}
	for _, i := range path {
		if _, known := f.sites[i]; !known && insts[i]["width"].(uint64) > 0 {
			f.sites[i] = len(b.sites)
			b.sites = append(b.sites, &naiveSite{
				zeros: bits.TrailingZeros64(insts[i]["width"].(uint64)),
				bulk:  insts[i]["flags"].(uint64)&16 != 0,
			})
		}
	}
	return path
}

func (b *naiveBlock) newMasks() (list [][2]uint64) {
	kept := []uint32{0xffffffff, 0, 0, 0, 0, 0, 0, 0}
	step := uint64(0)
	in := b.s.column(13)
	for range in.plain() {
		step += in.plain()
		how := in.octet()
		var mask uint32
		forget := 7
		switch how {
		case 8:
			v := b.s.column(14).plain()
			for lane := range 32 {
				if kept[0]>>lane&1 == 1 {
					mask |= uint32(v&1) << lane
					v >>= 1
				}
			}
		case 9:
			mask = kept[1] &^ kept[0]
		case 10:
			mask = uint32(b.s.column(14).plain())
		default:
			mask, forget = kept[how], int(how)
		}
		kept = append(append([]uint32{mask}, kept[:forget]...), kept[forget+1:]...)
		list = append(list, [2]uint64{step, uint64(mask)})
	}
	return list
}
