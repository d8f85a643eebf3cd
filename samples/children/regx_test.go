package children

import (
	"bytes"
	"encoding/binary"
	"os"
	"regexp"
	"strings"
	"testing"

	"gpureplay/samples/samplestest"
	"gpureplay/trace/tracetest"
)

// latin1 is bytes as a text of one character each, as the automaton sees them.
func latin1(b []byte) string {
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}

// checkRegx compares every offset with the regexp package.
func checkRegx(t *testing.T, patterns []string, texts [][]byte, r rule) *samplestest.Recording {
	t.Helper()
	a, err := compile(patterns)
	if err != nil {
		t.Fatal(err)
	}
	rec := &samplestest.Recording{}
	got, err := runRegx(rec, a, texts, r)
	if err != nil {
		t.Fatal(err)
	}
	re := regexp.MustCompile(`^(?s:(?:` + strings.Join(patterns, `)|(?:`) + `))`)
	for i, text := range texts {
		for j := range text {
			if want := re.MatchString(latin1(text[j:])); got[i][j] != want {
				t.Fatalf("text %d, offset %d: match %v, want %v: %q", i, j, got[i][j], want, text[j:min(j+20, len(text))])
			}
		}
	}
	return rec
}

func TestRegxStrings(t *testing.T) {
	texts := randomStrings(60, 300, defaultWords, 1)
	rec := checkRegx(t, defaultPatterns, texts, dragonli(shape{64, 64}))
	all, marked := sums(requests(t, rec))
	wantAll, wantMarked := 0, 0
	for _, text := range texts {
		wantAll += len(text)
		wantMarked += len(text) / 64 * 64
	}
	if all != wantAll || marked != wantMarked || threadsOf(rec, "walk") != wantAll {
		t.Errorf("%d offsets, %d marked, want %d and %d", all, marked, wantAll, wantMarked)
	}
}

func TestRegxPackets(t *testing.T) {
	packets, err := openPackets(tracetest.Data(t, "packets-tcpdump", "afs.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	least, most := len(packets[0]), 0
	for _, p := range packets {
		least, most = min(least, len(p)), max(most, len(p))
	}
	if len(packets) != 601 || least != 70 || most != 1514 {
		t.Errorf("%d packets of %d to %d bytes, want 601 of 70 to 1514", len(packets), least, most)
	}
	requests(t, checkRegx(t, append(defaultPatterns, `[\x80-\xff]{3}`), packets[:40],
		rule{threshold: 1, block: 32, bytes: 8}))
}

func TestCompileErrors(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{"^a", "pattern 1: \"^a\" has ^"}, {`a\b`, "has ^, $ or"}, {"a*", "empty text"}, {"(", "pattern 1: "},
		{strings.Repeat("a", 2000), "limit of 1024"}, {`.*a.{13}x`, "more than 4096 states"},
	} {
		if _, err := compile([]string{c.pattern}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.30q: error %v, want %q", c.pattern, err, c.want)
		}
	}
	if _, err := compile(nil); err == nil {
		t.Error("no pattern compiled")
	}
}

// FuzzCompile compares the automaton's first match with the regexp package.
func FuzzCompile(f *testing.F) {
	for i, p := range defaultPatterns {
		f.Add(p, []byte(defaultWords[i%len(defaultWords)]))
	}
	f.Add(`(?i)ab|\xff+?c`, []byte("AB\xff\xffc"))
	f.Fuzz(func(t *testing.T, pattern string, text []byte) {
		if len(pattern) > 30 || len(text) > 100 || strings.Contains(pattern, "{") {
			return // the subset construction of repeats takes its time
		}
		a, err := compile([]string{pattern})
		if err != nil {
			return
		}
		re, err := regexp.Compile(`^(?s:(?:` + pattern + `))`)
		if err != nil {
			return
		}
		state := int32(0)
		for _, b := range text {
			if state = a.next[int(state)*256+int(b)]; state < 0 {
				break
			}
		}
		if got, want := state == accept, re.MatchString(latin1(text)); got != want {
			t.Fatalf("%q on %q: %v, want %v", pattern, text, got, want)
		}
	})
}

// pcapFile builds a capture of either byte order.
func pcapFile(order binary.AppendByteOrder, packets ...string) []byte {
	b := order.AppendUint32(nil, 0xa1b2c3d4)
	b = append(b, make([]byte, 20)...)
	for _, p := range packets {
		b = order.AppendUint32(order.AppendUint32(b, 1), 2)
		b = order.AppendUint32(order.AppendUint32(b, uint32(len(p))), uint32(len(p)))
		b = append(b, p...)
	}
	return b
}

func TestReadPackets(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		got, err := readPackets(bytes.NewReader(pcapFile(order, "one", "", "three")), "f", 100)
		if err != nil || len(got) != 3 || string(got[2]) != "three" {
			t.Errorf("%q, %v", got, err)
		}
	}
	long := pcapFile(binary.LittleEndian, "packet")
	binary.LittleEndian.PutUint32(long[32:], 1<<30)
	for _, c := range []struct {
		file []byte
		want string
	}{
		{[]byte("GIF"), "f: byte 0: no pcap header"}, {make([]byte, 24), "f: byte 0: magic 00000000"},
		{pcapFile(binary.LittleEndian, "packet")[:30], "f: byte 24: a packet's header is cut"},
		{pcapFile(binary.LittleEndian, "packet")[:42], "f: byte 24: a packet is cut"},
		{long, "f: byte 24: a packet of 1073741824 bytes"},
		{pcapFile(binary.LittleEndian, strings.Repeat("x", 200)), "more than 100 bytes of packets"},
	} {
		if _, err := readPackets(bytes.NewReader(c.file), "f", 100); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func FuzzReadPackets(f *testing.F) {
	f.Add(pcapFile(binary.BigEndian, "one", "two"))
	f.Add(pcapFile(binary.LittleEndian, ""))
	f.Fuzz(func(t *testing.T, file []byte) {
		total := 0
		packets, err := readPackets(bytes.NewReader(file), "f", 1000)
		for _, p := range packets {
			total += len(p)
		}
		if err == nil && total > 1000 {
			t.Fatalf("%d bytes", total)
		}
	})
}

func TestOpenPatterns(t *testing.T) {
	path := t.TempDir() + "/rules"
	if err := os.WriteFile(path, []byte("# rules\nabc\n\n [x-z]+1 \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := openPatterns(path)
	if err != nil || len(got) != 2 || got[1] != "[x-z]+1" {
		t.Errorf("%q, %v", got, err)
	}
}
