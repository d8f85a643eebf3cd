package container

import (
	"fmt"
	"gpureplay/trace"
	"gpureplay/trace/internal/words"
)

// code is how a field's values are stored.
type code uint8

const (
	codePlain code = iota // unsigned varint
	codeDelta             // zigzag varint of the difference to the row before
	codeText              // plain index into the strings of the block
	codeList              // plain count, then as many plain values
)

// field is one field of a record kind: the one place that says its tag, its
// code and where its value lives. Writer, reader and docs/format.md follow it.
type field[T any] struct {
	tag  int
	name string
	code code
	doc  string
	at   func(*T) any // pointer to the value: see loadField and storeField
}

// recorded stands for one of the times of a Recorded that may be missing.
type recordedTime struct {
	r **trace.Recorded
	i int
}

func (t recordedTime) load() uint64 {
	if *t.r == nil {
		return 0
	}
	return uint64([3]int64{(*t.r).HostNs, (*t.r).StartNs, (*t.r).DurationNs}[t.i] + 1)
}

func (t recordedTime) store(v uint64) {
	if v == 0 {
		return
	}
	if *t.r == nil {
		*t.r = &trace.Recorded{HostNs: -1, StartNs: -1, DurationNs: -1}
	}
	*[3]*int64{&(*t.r).HostNs, &(*t.r).StartNs, &(*t.r).DurationNs}[t.i] = int64(v - 1)
}

func loadField(at any) uint64 {
	switch p := at.(type) {
	case *uint64:
		return *p
	case *uint32:
		return uint64(*p)
	case *uint8:
		return uint64(*p)
	case *int64:
		return zigzag(*p)
	case *bool:
		if *p {
			return 1
		}
		return 0
	case recordedTime:
		return p.load()
	}
	panic(fmt.Sprintf("trace: a field is of type %T", at))
}

// storeField stores v and reports whether it fits.
func storeField(at any, v uint64) bool {
	switch p := at.(type) {
	case *uint64:
		*p = v
	case *uint32:
		*p = uint32(v)
		return v>>32 == 0
	case *uint8:
		*p = uint8(v)
		return v>>8 == 0
	case *int64:
		*p = unzigzag(v)
	case *bool:
		*p = v != 0
		return v < 2
	case recordedTime:
		p.store(v)
	default:
		panic(fmt.Sprintf("trace: a field is of type %T", at))
	}
	return true
}

// appendTable appends a section with the rows.
func appendTable[T any](dst []byte, k kind, fields []field[T], rows []T, strings *stringTable) []byte {
	columns := make([]column, maxColumnTag+1)
	for _, f := range fields {
		c := &columns[f.tag]
		prev := uint64(0)
		for i := range rows {
			switch at := f.at(&rows[i]); f.code {
			case codeText:
				c.uint(strings.index(*at.(*string)))
			case codeList:
				appendList(c, at)
			case codeDelta:
				v := loadField(at)
				c.int(int64(v - prev))
				prev = v
			default:
				c.uint(loadField(at))
			}
		}
	}
	return appendSection(dst, k, len(rows), columns)
}

func appendList(c *column, at any) {
	switch p := at.(type) {
	case *[]uint32:
		c.uint(uint64(len(*p)))
		for _, v := range *p {
			c.uint(uint64(v))
		}
	case *[]trace.Reg:
		c.uint(uint64(len(*p)))
		for _, v := range *p {
			c.uint(uint64(v))
		}
	default:
		panic(fmt.Sprintf("trace: a list field is of type %T", at))
	}
}

// readTable reads the rows of a section.
func readTable[T any](s *section, fields []field[T], strings []string) ([]T, error) {
	if s.rows > uint64(len(s.columns[1])) {
		return nil, fmt.Errorf("section %q says %d rows, more than it holds", s.kind, s.rows)
	}
	rows := make([]T, s.rows)
	for _, f := range fields {
		v := s.values(f.tag)
		prev, ok := uint64(0), true
		for i := range rows {
			if v.absent {
				break
			}
			switch at := f.at(&rows[i]); f.code {
			case codeText:
				n := v.uint()
				if ok = n < uint64(len(strings)); ok {
					*at.(*string) = strings[n]
				}
			case codeList:
				ok = readList(&v, at)
			case codeDelta:
				prev += uint64(v.int())
				ok = storeField(at, prev)
			default:
				ok = storeField(at, v.uint())
			}
			if !ok {
				return nil, fmt.Errorf("section %q, row %d: %s is out of range", s.kind, i, f.name)
			}
		}
		if !v.ok() {
			return nil, fmt.Errorf("section %q: column %s does not hold %d values", s.kind, f.name, s.rows)
		}
	}
	return rows, nil
}

func readList(v *values, at any) bool {
	n := v.uint()
	if n > uint64(len(v.b)-v.pos) {
		return false
	}
	if n == 0 {
		return true
	}
	switch p := at.(type) {
	case *[]uint32:
		*p = make([]uint32, n)
		for i := range *p {
			if !storeField(&(*p)[i], v.uint()) {
				return false
			}
		}
	case *[]trace.Reg:
		*p = make([]trace.Reg, n)
		for i := range *p {
			u := v.uint()
			if u>>16 != 0 {
				return false
			}
			(*p)[i] = trace.Reg(u)
		}
	default:
		panic(fmt.Sprintf("trace: a list field is of type %T", at))
	}
	return true
}

// stringTable numbers the strings of a block. Number 0 is the empty string.
type stringTable struct {
	list []string
	ids  map[string]uint64
}

func newStringTable() *stringTable {
	return &stringTable{list: []string{""}, ids: map[string]uint64{"": 0}}
}

func (t *stringTable) index(s string) uint64 {
	id, ok := t.ids[s]
	if !ok {
		id = uint64(len(t.list))
		t.ids[s] = id
		t.list = append(t.list, s)
	}
	return id
}

// appendStrings appends a section with the strings: their lengths and their
// bytes.
func appendStrings(dst []byte, t *stringTable) []byte {
	columns := make([]column, 3)
	for _, s := range t.list {
		columns[1].uint(uint64(len(s)))
		columns[2] = append(columns[2], s...)
	}
	return appendSection(dst, kindStrings, len(t.list), columns)
}

func readStrings(s *section) ([]string, error) {
	lengths, data := s.values(1), s.columns[2]
	if s.rows > uint64(len(lengths.b)) {
		return nil, fmt.Errorf("section %q says %d rows, more than it holds", s.kind, s.rows)
	}
	list := make([]string, s.rows)
	for i := range list {
		n := lengths.uint()
		if n > uint64(len(data)) {
			return nil, fmt.Errorf("section %q: string %d is cut short", s.kind, i)
		}
		if list[i], data = string(data[:n]), data[n:]; !words.Sound(list[i]) {
			return nil, fmt.Errorf("section %q: string %d is not UTF-8, or holds a zero byte; make the trace again", s.kind, i)
		}
	}
	return list, nil
}
