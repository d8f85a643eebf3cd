package delimited

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestFields(t *testing.T) {
	r := NewReader(strings.NewReader("\xef\xbb\xbfa, b ,\"c,\"\"d\"\"\",\r\n\n\n\"\",x\n"))
	for _, want := range [][]string{{"a", "b", `c,"d"`, ""}, {"", "x"}} {
		line, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		fields, err := r.Fields(line)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range fields {
			got = append(got, string(f))
		}
		if !slices.Equal(got, want) {
			t.Errorf("line %d: %q, want %q", r.Line(), got, want)
		}
	}
	if _, err := r.Next(); err != io.EOF || r.Line() != 4 {
		t.Errorf("after line %d: %v", r.Line(), err)
	}
}

func TestErrors(t *testing.T) {
	for in, want := range map[string]string{
		`"open`:                        "line 1: a quote is not closed",
		`"a"b`:                         `line 1: 'b' after a closing quote`,
		strings.Repeat(",", MaxFields): "line 1 has more than",
		strings.Repeat("x", MaxLine+1): "line 1 is longer than",
	} {
		r := NewReader(strings.NewReader(in))
		line, err := r.Next()
		if err == nil {
			_, err = r.Fields(line)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", in, err, want)
		}
	}
}

func TestColumns(t *testing.T) {
	c := NewColumns([][]byte{[]byte("Start_Timestamp"), []byte("Grid X"), []byte("start timestamp")})
	if i := c.Index("missing", "start timestamp"); i != 0 {
		t.Errorf("column %d", i)
	}
	if Get(nil, c.Index("gridx")) != nil || c.Index("none") != -1 {
		t.Error("a missing field or column was found")
	}
}

// Tables that spreadsheets and programs in other languages saved give the same fields.
func TestLocales(t *testing.T) {
	want := []string{"1000000", "50.5", "a,b"}
	for name, in := range map[string]string{
		"plain":               "1000000,50.5,\"a,b\"\n",
		"thousands":           "\"1,000,000\",50.5,\"a,b\"\n",
		"decimal comma":       "1000000;50,5;a,b\n",
		"German":              "1.000.000;50,5;\"a,b\"\n",
		"quoted, German":      "\"1.000.000\",\"50,5\",\"a,b\"\n",
		"French":              "1\u202f000\u202f000\t50,5\ta,b\n",
		"Swiss":               "1'000'000;50.5;a,b\n",
		"tabs":                "1000000\t50.5\ta,b\n",
		"one comma, and more": "\"1000,000\";\"50,5\";\"a,b\"\n",
	} {
		r := NewReader(strings.NewReader(in))
		line, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		fields, err := r.Fields(line)
		var got []string
		for _, f := range fields {
			got = append(got, string(f))
		}
		if name == "one comma, and more" {
			want[0] = "1000.000"
		} else {
			want[0] = "1000000"
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
}

// A number that reads both ways: 70.500 and 70,500.
func TestAmbiguousNumbers(t *testing.T) {
	for _, c := range []struct {
		in     string
		threes bool
		want   string
	}{
		{"x,70.500,y", false, "70.500"}, {"x,70.500,y", true, "70500"}, {"x,0.500,y", true, "0.500"},
		{"x,\"70,500\",y", false, "70500"}, {"x;70,500;y", false, "70.500"}, {"x,\"0,500\",y", false, "0.500"},
	} {
		r := newReader(strings.NewReader(c.in), c.threes)
		line, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		fields, err := r.Fields(line)
		if err != nil || string(fields[1]) != c.want {
			t.Errorf("%s: %q, %v; want %s", c.in, fields, err, c.want)
		}
	}
}

// A line that encoding/csv reads is read alike.
func FuzzFields(f *testing.F) {
	f.Add([]byte(`a,"b ""c""",,d`))
	f.Add([]byte(`"x",1.5e3,"k<int, 4>(void) [12]"`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.ContainsAny(in, "\r\n;\t'\xc2\xe2") || localeOf(in, false).grouped ||
			len(bytes.TrimSpace(in)) != len(in) || len(in) == 0 {
			return
		}
		r := NewReader(bytes.NewReader(in))
		line, err := r.Next()
		if err != nil {
			return
		}
		got, err := r.Fields(line)
		std := csv.NewReader(bytes.NewReader(in))
		want, stdErr := std.Read()
		if stdErr != nil || bytes.HasPrefix(in, []byte("\xef\xbb\xbf")) {
			return
		}
		if err != nil || len(got) != len(want) {
			t.Fatalf("%q: %d fields, %v; want %q", in, len(got), err, want)
		}
		for i := range want {
			if strings.TrimSpace(want[i]) != strings.TrimSpace(string(got[i])) {
				t.Fatalf("%q: field %d is %q, want %q", in, i, got[i], want[i])
			}
		}
	})
}
