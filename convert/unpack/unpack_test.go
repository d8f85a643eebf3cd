package unpack

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

var text = []byte(strings.Repeat("0010 ffffffff 1 R2 S2R 0 0\n", 5000))

// packed returns the text in every form.
func packed(t testing.TB) map[string][]byte {
	t.Helper()
	forms := map[string][]byte{"plain": text}
	for name, open := range map[string]func(io.Writer) (io.WriteCloser, error){
		"gzip": func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		"zstd": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
		"xz":   func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) },
	} {
		var b bytes.Buffer
		w, err := open(&b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		forms[name] = b.Bytes()
	}
	return forms
}

func read(data []byte) ([]byte, bool, error) {
	r, packed, err := Reader(bufio.NewReader(bytes.NewReader(data)))
	if err != nil {
		return nil, packed, err
	}
	defer r.Close()
	got, err := io.ReadAll(r)
	return got, packed, err
}

func TestReader(t *testing.T) {
	for name, data := range packed(t) {
		got, isPacked, err := read(data)
		if err != nil || !bytes.Equal(got, text) || isPacked != (name != "plain") {
			t.Errorf("%s: %d bytes, packed %v, %v", name, len(got), isPacked, err)
		}
		if name != "plain" { // frames of one stream follow each other
			if got, _, err := read(append(data[:len(data):len(data)], data...)); err != nil || len(got) != 2*len(text) {
				t.Errorf("two streams of %s: %d bytes, %v", name, len(got), err)
			}
		}
		if got, _, err := read(append(data[:len(data):len(data)], make([]byte, 1000)...)); name == "gzip" &&
			(err != nil || !bytes.Equal(got, text)) {
			t.Errorf("gzip with zeros behind it: %d bytes, %v", len(got), err)
		}
		for _, n := range []int{1, 3, 6, len(data) / 2, len(data) - 1} {
			if _, isPacked, err := read(data[:n]); isPacked && err == nil {
				t.Errorf("%s cut to %d bytes: no error", name, n)
			}
		}
	}
}

// Text in each of Windows' encodings is read as UTF-8; other bytes stay.
func TestText(t *testing.T) {
	const plain = "{\"a\": \"é\"}"
	utf16 := func(order binary.ByteOrder, mark string) string {
		var b []byte
		for _, c := range utf16.Encode([]rune(plain)) {
			b = binary.BigEndian.AppendUint16(b, c)
			order.PutUint16(b[len(b)-2:], c)
		}
		return mark + string(b)
	}
	for name, in := range map[string]string{
		"plain": plain, "UTF-8 mark": "\xef\xbb\xbf" + plain,
		"UTF-16, little": utf16(binary.LittleEndian, "\xff\xfe"), "UTF-16, big": utf16(binary.BigEndian, "\xfe\xff"),
		"no mark, little": utf16(binary.LittleEndian, ""), "no mark, big": utf16(binary.BigEndian, ""),
	} {
		r, changed, err := Text(bufio.NewReader(strings.NewReader(in)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != plain || changed != (name != "plain") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, c := range "\t\n\r !~" { // each may begin a text without a mark
		for _, in := range []string{string(c) + "\x00a\x00", "\x00" + string(c) + "\x00a"} {
			r, changed, err := Text(bufio.NewReader(strings.NewReader(in)))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(r); err != nil || string(got) != string(c)+"a" || !changed {
				t.Errorf("%q: %q, %v", in, got, changed)
			}
		}
	}
	for _, in := range []string{"", "a", "\xff\xfe\x00\x00", "\x00\x00\x00\x01", "SQLite format 3\x00"} {
		if _, changed, err := Text(bufio.NewReader(strings.NewReader(in))); changed || err != nil {
			t.Errorf("%q: %v, %v", in, changed, err)
		}
	}
}

// A block that requests gigabytes is refused before they are allocated: in the
// first block of a stream, in a later one, and in a later stream behind padding.
func TestDictionary(t *testing.T) {
	var b bytes.Buffer
	w, err := xz.WriterConfig{BlockSize: int64(len(text)) / 3, CheckSum: xz.SHA256}.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(text)
	w.Close()
	blocks := b.Bytes()
	twice := append(append(bytes.Clone(blocks), 0, 0, 0, 0), blocks...)
	if got, _, err := read(twice); err != nil || len(got) != 2*len(text) {
		t.Fatalf("two streams of several blocks: %d bytes, %v", len(got), err)
	}
	var headers []int
	for at := 0; at+14 < len(twice); at += 4 {
		if h := twice[at:]; h[0] == 2 && h[1] == 0 && h[2] == 0x21 &&
			crc32.ChecksumIEEE(h[:8]) == binary.LittleEndian.Uint32(h[8:]) {
			headers = append(headers, at)
		}
	}
	if len(headers) < 6 {
		t.Fatalf("%d blocks found, want two streams of three or more", len(headers))
	}
	for _, at := range headers {
		bad := bytes.Clone(twice)
		bad[at+4] = 40
		binary.LittleEndian.PutUint32(bad[at+8:], crc32.ChecksumIEEE(bad[at:at+8]))
		if _, _, err := read(bad); err == nil || !strings.Contains(err.Error(), "dictionary of 4096 MiB") {
			t.Errorf("4 GiB in the block at byte %d: %v", at, err)
		}
	}
}

// FuzzGate has streams pass as they are, whole and broken, unless one is refused.
func FuzzGate(f *testing.F) {
	for _, data := range packed(f) {
		f.Add(data)
		f.Add(append(bytes.Clone(data), data...))
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g := &gate{r: bufio.NewReader(bytes.NewReader(data)), next: (*gate).stream}
		got, err := io.ReadAll(g)
		if g.refused == nil && (err != nil || !bytes.Equal(got, data)) {
			t.Fatalf("%d bytes of %d passed, %v", len(got), len(data), err)
		}
	})
}
