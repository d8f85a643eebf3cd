package trace

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
)

// lowerLimits keeps a fuzzed file or text from filling the memory.
func lowerLimits() {
	maxBlockBytes, maxDecodedBytes = 1<<22, 1<<24
	maxTextSteps, maxTextCTAs = 1<<14, 1<<8
}

// FuzzReader opens any bytes as a file: an error, or a trace that can be read.
func FuzzReader(f *testing.F) {
	lowerLimits()
	f.Add(encodeText(f, smallText))
	f.Add(appendIndex(appendHeader(nil), nil, nil))
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		_ = Verify(t.Context(), r, nil)
		_ = WriteText(io.Discard, r)
	})
}

// FuzzBlock puts any contents with right checksums into one block of a good
// file, which the checksums keep FuzzReader from.
func FuzzBlock(f *testing.F) {
	lowerLimits()
	good := takeApart(f, encodeText(f, smallText))
	for i, raw := range good.raw {
		f.Add(uint8(i), raw)
	}
	f.Fuzz(func(t *testing.T, block uint8, raw []byte) {
		i := int(block) % len(good.raw)
		p := &parts{raw: slices.Clone(good.raw), rows: good.rows}
		p.raw[i] = raw
		file := p.assemble(nil)
		r, err := NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		_ = Verify(t.Context(), r, nil)
		_ = WriteText(io.Discard, r)
	})
}

// FuzzText parses any text: an error with a position, or a trace whose text
// says the same.
func FuzzText(f *testing.F) {
	lowerLimits()
	f.Add(smallText)
	f.Add("launch k grid=4 block=96\ncta 0..3\nwarp 0..2\nrepeat 3\nload @0x100+4 next=64 x2\nend\nfp32 x4 mask=ff\n")
	f.Add("array a 4K\nlaunch k grid=4 block=96 fidelity=cta\ncta 0..3\ntouch a read 0..64\ncount load x7\ncount int " +
		"x1\ncount load x2")
	f.Add("array a 4K\nspawn t arrival=5 in=1K deps=0,1 syncs\nwaittask 0\nkernel t child\ncta 0\nwarp " +
		"0\ndevlaunch\nchild 3 lane=0..3 work=4 marked")
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		w, err := NewWriter(&out, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := ParseText("text", strings.NewReader(text), w); err != nil {
			if !strings.HasPrefix(err.Error(), "text:") || strings.Contains(err.Error(), "\n") {
				t.Errorf("no position, or several lines: %v", err)
			}
			return
		}
		if w.Close() != nil {
			return
		}
		r := openBytes(t, out.Bytes())
		if err := Verify(t.Context(), r, func(err error) { t.Error(err) }); err != nil {
			t.Fatal(err)
		}
		first := textOf(t, r)
		if again := textOf(t, openBytes(t, encodeText(t, first))); again != first {
			t.Errorf("the text changes when read again:\n%s\n%s", first, again)
		}
	})
}
