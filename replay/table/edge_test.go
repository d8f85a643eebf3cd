package table

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"gpureplay/trace"
)

// Numbers beyond 32 bits are refused by columns of 32 bits, and the largest and the smallest of them are not.
func TestNumbersOf32Bits(t *testing.T) {
	var got int32
	f := Int32Field("n", "", -1, func(r *int32) *int32 { return r })
	for _, n := range []int64{0, -7, math.MaxInt32, math.MinInt32, math.MaxInt32 + 1, math.MinInt32 - 1, 1 << 40} {
		v := Values{Type: Int64, Null: []bool{false}, Ints: []int64{n}}
		err := f.load(&v, 0, &got)
		if fits := n >= math.MinInt32 && n <= math.MaxInt32; (err == nil) != fits || fits && int64(got) != n {
			t.Errorf("%d: %d, %v", n, got, err)
		}
	}
}

// Only booleans have the encoding RLE. Of another type, or in another encoding, the error names the encoding.
func TestEncodingsOfBooleans(t *testing.T) {
	ones := []byte{2, 0, 0, 0, 3 << 1, 1} // two bytes: a run of three times true
	for _, c := range []struct {
		stored parquet.Type
		enc    parquet.Encoding
		reads  bool
	}{
		{parquet.Types.Boolean, parquet.Encodings.RLE, true},
		{parquet.Types.Int64, parquet.Encodings.RLE, false},
		{parquet.Types.Boolean, parquet.Encodings.BitPacked, false},
	} {
		l := leaf{stored: c.stored, max: 1 << 20}
		err := l.decode(ones, 3, c.enc)
		if c.reads && (err != nil || len(l.values.bools) != 3 || !l.values.bools[2]) {
			t.Errorf("%v, %v: %v, %v", c.stored, c.enc, l.values.bools, err)
		}
		if !c.reads && (err == nil || !strings.Contains(err.Error(), "has the encoding")) {
			t.Errorf("%v, %v: %v", c.stored, c.enc, err)
		}
	}
	l := leaf{stored: parquet.Types.Boolean, max: 1 << 20}
	for size := range len(ones) {
		if err := l.decode(ones[:size], 3, parquet.Encodings.RLE); !errors.Is(err, errShort) {
			t.Errorf("of %d bytes: %v", size, err)
		}
	}
}

// Lists of three levels are read. A repeated number of one level, and lists within groups, are not: their rows would
// be others.
func TestLeavesThatAreLists(t *testing.T) {
	int64s := func(name string, rep parquet.Repetition) schema.Node { return schema.NewInt64Node(name, rep, -1) }
	group := func(name string, rep parquet.Repetition, in schema.Node) schema.Node {
		return schema.MustGroup(schema.NewGroupNode(name, rep, schema.FieldList{in}, -1))
	}
	const required, optional, repeated = parquet.Repetition(0), parquet.Repetition(1), parquet.Repetition(2)
	list := func() schema.Node { return group("a", optional, group("list", repeated, int64s("element", optional))) }
	for name, c := range map[string]struct {
		node schema.Node
		ok   bool
	}{
		"a list":                  {list(), true},
		"a repeated number":       {int64s("a", repeated), false},
		"a list in a group":       {group("g", optional, list()), false},
		"a list of lists":         {group("a", repeated, group("list", repeated, int64s("element", required))), false},
		"a number within a group": {group("g", optional, int64s("a", required)), false},
	} {
		root := schema.MustGroup(schema.NewGroupNode("root", required, schema.FieldList{c.node}, -1))
		typ, ok := leafType(schema.NewSchema(root).Column(0))
		if ok != c.ok || ok && typ != Int64List {
			t.Errorf("%s: %v, %v", name, typ, ok)
		}
	}
}

// A time of 0 is a time, and a run of 1 ns has one. Before them there is none.
func TestTimesFromZero(t *testing.T) {
	dir := t.TempDir()
	s := openFixture(t, dir, "p", Parquet)
	for _, ns := range []int64{-1, 0, 1} {
		s.Call(&Call{Op: &trace.HostOp{Ns: ns}, Recorded: &trace.Recorded{HostNs: ns, StartNs: ns, DurationNs: ns}})
		s.Run(&Run{RecordedNs: ns})
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ table, columns, want string }{
		{"calls", "recorded_host_ns recorded_host_duration_ns recorded_start_ns recorded_duration_ns", "NULL 0 1"},
		{"runs", "recorded_ns", "NULL NULL 1"},
	} {
		parts, err := Find(dir, c.table)
		if err != nil || len(parts) != 1 {
			t.Fatalf("%v, %v", parts, err)
		}
		got, err := readAll(parts[0].Path, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range strings.Fields(c.columns) {
			if cells := strings.Join(got[column], " "); cells != c.want {
				t.Errorf("%s, %s: %s, want %s", c.table, column, cells, c.want)
			}
		}
	}
}
