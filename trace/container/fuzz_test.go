package container

import (
	"bytes"
	"gpureplay/trace/text"
	"io"
	"slices"
	"testing"
)

// lowerLimits keeps a fuzzed file or text from filling the memory.
func lowerLimits() {
	maxBlockBytes, maxDecodedBytes = 1<<22, 1<<24
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
		_ = text.Write(io.Discard, r)
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
		_ = text.Write(io.Discard, r)
	})
}
