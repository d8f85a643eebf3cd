package unpack

import (
	"bufio"
	"bytes"
	"hash/crc32"
	"io"
	"strings"
	"testing"

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
		for _, n := range []int{1, 3, 6, len(data) / 2, len(data) - 1} {
			if _, isPacked, err := read(data[:n]); isPacked && err == nil {
				t.Errorf("%s cut to %d bytes: no error", name, n)
			}
		}
	}
}

// A stream that asks for gigabytes is refused before they are allocated.
func TestDictionary(t *testing.T) {
	data := bytes.Clone(packed(t)["xz"])
	if n := dictionary(data); n != 8<<20 {
		t.Errorf("a dictionary of %d bytes, want the default of 8 MiB", n)
	}
	size := 4 * (int(data[12]) + 1)
	at := bytes.IndexByte(data[14:], 0x21) + 14 + 2
	data[at] = 40
	sum := crc32.ChecksumIEEE(data[12 : 12+size-4])
	for i := range 4 {
		data[12+size-4+i] = byte(sum >> (8 * i))
	}
	if _, _, err := read(data); err == nil || !strings.Contains(err.Error(), "dictionary of 4096 MiB") {
		t.Errorf("4 GiB: %v", err)
	}
	for n := range 40 {
		dictionary(data[:n]) // must not panic
	}
}
