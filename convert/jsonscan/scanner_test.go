package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// build reads one value as encoding/json would, with numbers kept as text.
func build(s *Scanner, kind Kind) (any, error) {
	switch kind {
	case BeginObject:
		m := map[string]any{}
		for {
			kind, err := s.Next()
			if err != nil || kind == EndObject {
				return m, err
			}
			key := string(s.Text())
			if kind, err = s.Next(); err != nil {
				return nil, err
			}
			if m[key], err = build(s, kind); err != nil {
				return nil, err
			}
		}
	case BeginArray:
		a := []any{}
		for {
			kind, err := s.Next()
			if err != nil || kind == EndArray {
				return a, err
			}
			v, err := build(s, kind)
			if err != nil {
				return nil, err
			}
			a = append(a, v)
		}
	case String:
		return strings.ToValidUTF8(string(s.Text()), "\uFFFD"), nil
	case Number:
		return json.Number(s.Raw()), nil
	case True, False:
		return kind == True, nil
	}
	return nil, nil
}

func parse(r io.Reader) (any, *Scanner, error) {
	s := New(r)
	kind, err := s.Next()
	if err != nil {
		return nil, s, err
	}
	v, err := build(s, kind)
	if err != nil {
		return nil, s, err
	}
	if kind, err = s.Next(); err == nil && kind != EOF {
		err = errors.New("more than one value")
	}
	return v, s, err
}

const sample = `{"a":[1,-2.5e3,{"b" : "x\"\\\u00e9\ud83d\ude00"},[],{}],"c":null,"d":true,"e":false,"":"\n\/"}`

func TestReadsWhatEncodingJSONReads(t *testing.T) {
	for _, r := range []io.Reader{strings.NewReader(sample), iotest.OneByteReader(strings.NewReader(sample))} {
		got, s, err := parse(r)
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(strings.NewReader(sample))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) || s.Repaired != 0 {
			t.Errorf("got %v (%d repaired), want %v", got, s.Repaired, want)
		}
	}
}

func TestForgivesAndCounts(t *testing.T) {
	in := "{\"name\":\"a\nb\tc\",\"path\":\"C:\\Users\\x\",\"v\":[NaN,Infinity,-Infinity]}"
	got, s, err := parse(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"name": "a\nb\tc", "path": `C:\Users\x`,
		"v": []any{json.Number("NaN"), json.Number("Infinity"), json.Number("-Infinity")}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	if s.Repaired != 4 { // newline, tab, \U, \x
		t.Errorf("%d repairs counted, want 4", s.Repaired)
	}
}

func TestSkip(t *testing.T) {
	long := strings.Repeat(`{"k":["]}\"",{"z":1}]},`, 50_000)
	in := `{"skip":[` + long + `1],"keep":7,"rest":{"a":1,"b":"}","c":[2]},"last":8}`
	s := New(strings.NewReader(in))
	var kept []string
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	for {
		kind, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if kind == EndObject {
			break
		}
		switch string(s.Text()) {
		case "skip":
			err = s.Skip()
		case "rest":
			if _, err = s.Next(); err == nil {
				_, err = s.Next()
			}
			if err == nil {
				err = s.SkipRest()
			}
		default:
			_, err = s.Next()
			kept = append(kept, string(s.Raw()))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if fmt.Sprint(kept) != "[7 8]" {
		t.Errorf("kept %v", kept)
	}
	if len(s.buf) != windowBytes {
		t.Errorf("the window grew to %d bytes", len(s.buf))
	}
}

func TestErrorsSayWhere(t *testing.T) {
	for in, want := range map[string]string{
		``:                              "offset 0: the input ends inside a value",
		`{"a":1`:                        "offset 6: the input ends inside a value",
		`{"a":"b`:                       "the input ends inside a value",
		`{"a" 1}`:                       `offset 5: '1' where ':' belongs`,
		`{"a":1 "b":2}`:                 `offset 7: '"' where ',' or the end of the object belongs`,
		`[1}`:                           `offset 2: '}' inside an array`,
		`{1:2}`:                         `offset 1: '1' where a key belongs`,
		`[nul]`:                         `"nul" is no JSON value`,
		`[-]`:                           `"-" is no JSON value`,
		`{} x`:                          `offset 3: 'x' after the end of the value`,
		strings.Repeat("[", MaxDepth+1): "levels of nesting",
		`"` + strings.Repeat("x", MaxToken) + `"`: "a token of more than",
	} {
		_, _, err := parse(strings.NewReader(in))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v; want %s", in, err, want)
		}
	}
}

func TestReaderErrorIsPassedOn(t *testing.T) {
	broken := errors.New("disk on fire")
	_, _, err := parse(io.MultiReader(strings.NewReader(`{"a":[1,`), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func FuzzScanner(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("[\"a\nb\\q\", NaN, 1e5, \"\\ud800\"]"))
	f.Add([]byte(`{"traceEvents":[{"ph":"X","ts":1.5,"args":{"grid":[1,1,1]}}]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		got, s, err := parse(bytes.NewReader(in))
		slow, _, slowErr := parse(iotest.OneByteReader(bytes.NewReader(in)))
		if (err == nil) != (slowErr == nil) || err == nil && !reflect.DeepEqual(got, slow) {
			t.Fatalf("reading byte by byte differs: %v, %v", err, slowErr)
		}
		skip := New(bytes.NewReader(in))
		if err == nil {
			if err := skip.Skip(); err != nil {
				t.Fatalf("a value that can be read cannot be skipped: %v", err)
			}
		}
		d := json.NewDecoder(bytes.NewReader(in))
		d.UseNumber()
		var want any
		if utf8.Valid(in) && json.Valid(in) && d.Decode(&want) == nil {
			if err != nil || s.Repaired != 0 {
				t.Fatalf("valid JSON: %v, %d repaired", err, s.Repaired)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("got %#v, want %#v", got, want)
			}
		}
	})
}

func BenchmarkSkip(b *testing.B) {
	event := `{"ph": "X", "cat": "python_function", "name": "torch/nn/modules/module.py(1501): _call_impl", "pid": 1, ` +
		`"tid": 2, "ts": 1695835572943613.125, "dur": 12, "args": {"Python parent id": 5, "Python id": 6}},` + "\n"
	in := []byte("[" + strings.Repeat(event, 20_000) + "0]")
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if err := New(bytes.NewReader(in)).Skip(); err != nil {
			b.Fatal(err)
		}
	}
}

// Faults that writers of traces are known to make are forgiven and counted.
func TestForgiven(t *testing.T) {
	for in, want := range map[string]uint64{
		`[1,]`: 1, `{"a":1,}`: 1, `[[1,],]`: 2, "[1]\x00\x00\x00\n\x00": 1,
		`[inf, -inf, nan, -nan, NaN, +Infinity, INF]`: 0,
	} {
		s := New(strings.NewReader(in))
		for {
			kind, err := s.Next()
			if err != nil {
				t.Errorf("%q: %v", in, err)
			}
			if err != nil || kind == EOF {
				break
			}
		}
		if s.Repaired != want {
			t.Errorf("%q: %d faults, want %d", in, s.Repaired, want)
		}
	}
	for _, in := range []string{`[,]`, `[1,,]`, "[1]\x00x", `{,}`, `[infinite]`} {
		s := New(strings.NewReader(in))
		var kind Kind
		var err error
		for kind, err = s.Next(); err == nil && kind != EOF; kind, err = s.Next() {
		}
		if err == nil {
			t.Errorf("%q is taken", in)
		}
	}
}
