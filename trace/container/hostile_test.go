package container

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"gpureplay/trace"
	"gpureplay/trace/text"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const smallText = `
meta source="test" gpu="none" sm=80
array a base=0x1000 bytes=64K input
function k
  0000: INT int R1
  0010: LOAD memory global load w4 R2 <- R1
  0020: LAUNCH devlaunch
  0030: EXIT exit
h2d a
launch k grid=3 block=64 regs=8
cta 0..2
 range a read 0..4096
 warp 0..1
  0000
  0010 @0x1000+4 cta=256 warp=128
  0010 mask=0000f00f @0x1000,0x1008,0x1010,0x2000,0x2010,0x2020,0x2040,0x3000
  0030 mask=ffffffff
kernel k grid=1 child
cta 0
 warp 0
  0000 x5
  0030
kernel k grid=2 block=40 fidelity=cta
cta 0
 touch a read 0..64
 count 0000 x7
 count 0010 x2
cta 1
 count 0030 x2
`

// parts are the unpacked blocks of a container with their index rows.
type parts struct {
	raw  [][]byte
	rows []blockRow
}

func takeApart(t tester, file []byte) *parts {
	t.Helper()
	r := openBytes(t, file)
	p := &parts{rows: r.index}
	for i := range r.index {
		raw, err := r.readFrame(&frame{}, &r.index[i])
		if err != nil {
			t.Fatal(err)
		}
		p.raw = append(p.raw, bytes.Clone(raw))
	}
	return p
}

var testPacker, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))

// assemble makes a container with right checksums of whatever the parts are.
func (p *parts) assemble(change func(i int, row *blockRow)) []byte {
	file := appendHeader(nil)
	rows := make([]blockRow, len(p.rows))
	sum := sha256.Sum256(bytes.Join(p.raw, nil))
	for i, raw := range p.raw {
		packed := testPacker.EncodeAll(raw, nil)
		rows[i] = p.rows[i]
		rows[i].bytes, rows[i].raw, rows[i].crc = uint32(len(packed)), uint32(len(raw)), checksum(packed)
		if change != nil {
			change(i, &rows[i])
		}
		file = append(file, packed...)
	}
	return appendIndex(file, appendTable(nil, kindBlock, blockFields, rows, nil), func(l *locator) { l.hash = sum })
}

func appendIndex(file, raw []byte, change func(*locator)) []byte {
	packed := testPacker.EncodeAll(raw, nil)
	l := locator{offset: uint64(len(file)), bytes: uint32(len(packed)), raw: uint32(len(raw)), crc: checksum(packed)}
	if change != nil {
		change(&l)
	}
	return l.append(append(file, packed...))
}

// check opens and verifies a file and returns the problems, one line each.
func check(file []byte) (problems []string) {
	r, err := NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return []string{err.Error()}
	}
	if err := Verify(context.Background(), r, func(err error) {
		problems = append(problems, err.Error())
	}); err == nil && problems != nil {
		problems = append(problems, "Verify returned no error")
	}
	return problems
}

// Every flipped bit of a file is found, and told in one line.
func TestEveryBitFlipIsFound(t *testing.T) {
	file := encodeText(t, smallText)
	if p := check(file); p != nil {
		t.Fatalf("the file is bad before: %q", p)
	}
	for i := range file {
		for bit := range 8 {
			file[i] ^= 1 << bit
			if p := check(file); len(p) != 1 || strings.Contains(p[0], "\n") {
				t.Errorf("byte %d, bit %d: %q", i, bit, p)
			}
			file[i] ^= 1 << bit
		}
	}
}

func TestEveryTruncationIsFound(t *testing.T) {
	file := encodeText(t, smallText)
	for n := range file {
		if p := check(file[:n]); len(p) != 1 {
			t.Errorf("%d of %d bytes: %q", n, len(file), p)
		}
	}
	if p := check(append(bytes.Clone(file), file...)); len(p) != 1 {
		t.Errorf("the file twice: %q", p)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(name, contents string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(contents), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer := appendHeader(nil)
	binary.LittleEndian.PutUint32(newer[16:], trace.Version+1)
	binary.LittleEndian.PutUint32(newer[20:], checksum(newer[:20]))
	for _, c := range []struct{ path, want string }{
		{dir, "is a folder"},
		{filepath.Join(dir, "missing"), "no such file"},
		{file("empty", ""), "is empty"},
		{file("magic", strings.Repeat("PK\x03\x04", 40)), "not a replay trace"},
		{file("newer", string(newer)+strings.Repeat("x", 200)), "version 2"},
		{file("header", string(appendHeader(nil))), "it was cut"},
		{file("cut", string(encodeText(t, smallText)[:300])), "ends too early"},
		{file("text", "# a text\ntrace 1\nfoo\n"), "text:3: a line cannot begin with \"foo\""},
	} {
		r, err := Open(c.path)
		if err == nil {
			r.Close()
			t.Errorf("%s opens", c.path)
		} else if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %q in one line", c.path, err, c.want)
		}
	}
}

// Lengths that a file states are compared with the limits before anything is
// allocated: these would need gigabytes.
func TestHugeLengths(t *testing.T) {
	good := encodeText(t, smallText)
	cta := func(sizes ...uint64) []byte {
		p := takeApart(t, good)
		cols := make([]column, numCTAColumns)
		for _, s := range sizes {
			cols[colSizes].uint(s)
		}
		for i := range p.rows {
			if kind(p.rows[i].kind) == kindCTA {
				p.raw[i] = appendSection(nil, kindCTA, int(p.rows[i].rows), cols)
			}
		}
		return p.assemble(nil)
	}
	p := takeApart(t, good)
	rows := appendTable(nil, kindBlock, blockFields, p.rows, nil)
	for name, file := range map[string][]byte{
		"block unpacked": p.assemble(func(i int, row *blockRow) { row.raw = 1<<32 - 1 }),
		"block packed":   p.assemble(func(i int, row *blockRow) { row.bytes = 1<<32 - 1 }),
		"index unpacked": appendIndex(appendHeader(nil), rows, func(l *locator) { l.raw = 1<<32 - 1 }),
		"index rows": appendIndex(appendHeader(nil),
			append([]byte{byte(kindBlock), 9}, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f), nil),
		"path steps": cta(0, 0, 0, 1<<40),
		"accesses":   cta(0, 0, 0, 0, 0, 1<<40),
		"addresses":  cta(0, 0, 0, 0, 0, 0, 1<<40),
		"everything": cta(1<<63, 1<<63, 1<<63, 1<<63, 1<<63, 1<<63, 1<<63, 1<<63),
		"section length": append([]byte(nil),
			appendIndex(appendHeader(nil), []byte{byte(kindBlock), 0xff, 0xff, 0xff, 0xff, 0x7f}, nil)...),
	} {
		if got := check(file); len(got) == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}

// Columns and sections of later versions are skipped.
func TestUnknownFieldsAreSkipped(t *testing.T) {
	file := encodeText(t, smallText)
	p := takeApart(t, file)
	for i, raw := range p.raw {
		var out []byte
		for len(raw) > 0 {
			body, rest, ok := cutBytes(raw[1:])
			if !ok {
				t.Fatal("a section is cut short")
			}
			body = append(bytes.Clone(body), 61, 3, 'n', 'e', 'w', 200, 1, 1, 7) // columns 61 and 200
			out = append(out, raw[0])
			out = binary.AppendUvarint(out, uint64(len(body)))
			out = append(out, body...)
			raw = rest
		}
		p.raw[i] = append(out, 'z', 1, 0) // a section of kind z
	}
	r := openBytes(t, p.assemble(nil))
	if err := Verify(t.Context(), r, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if d := diff(holdAll(t, openBytes(t, file)), holdAll(t, r)); d != "" {
		t.Errorf("the trace changed (-want +got):\n%s", d)
	}
}

// A plain zstd decoder unpacks the file: the blocks, one after another.
func TestPlainZstdUnpacks(t *testing.T) {
	file := encodeText(t, smallText)
	var want []byte
	p := takeApart(t, file)
	for _, raw := range p.raw {
		want = append(want, raw...)
	}
	want = append(want, appendTable(nil, kindBlock, blockFields, p.rows, nil)...)
	d, err := zstd.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got, err := io.ReadAll(d)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(want))
	}
}

// A CTA that no reader would take is refused by the writer.
func TestHugeCTA(t *testing.T) {
	defer func(n uint64) { maxDecodedBytes = n }(maxDecodedBytes)
	maxDecodedBytes = 1 << 20
	w, err := NewWriter(io.Discard, Options{})
	if err == nil {
		err = text.Parse("text", strings.NewReader("launch k\ncta 0\nwarp 0\nint x300000\n"), w)
	}
	if err == nil || !strings.Contains(err.Error(), "kernel 0, CTA 0: it takes 12") {
		t.Error(err)
	}
}

// failAfter fails once n bytes have been written, as a full disk does.
type failAfter struct{ n int }

var errFull = errors.New("no space left")

func (f *failAfter) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 {
		return len(b) + f.n, errFull
	}
	return len(b), nil
}

func TestFullDisk(t *testing.T) {
	for n := range len(encodeText(t, smallText)) {
		w, err := NewWriter(&failAfter{n}, Options{})
		if err == nil {
			if err = text.Parse("text", strings.NewReader(smallText), w); err == nil {
				err = w.Close()
			}
		}
		if !errors.Is(err, errFull) {
			t.Fatalf("after %d bytes: %v", n, err)
		}
	}
}
