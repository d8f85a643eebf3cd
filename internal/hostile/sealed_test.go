package hostile

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// The sizes in bytes of a container's parts, and tags of the index's columns: docs/format.md.
const (
	headerBytes, locatorBytes        = 24, 80
	tagBytes, tagRaw, tagCRC  uint64 = 2, 3, 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sealed is a container taken apart, by the document alone.
type sealed struct {
	header  []byte
	blocks  [][]byte // unpacked
	tags    []uint64 // of the index's columns
	columns map[uint64][]byte
}

// number takes a uvarint from the front.
func number(b *[]byte) uint64 {
	v, n := binary.Uvarint(*b)
	*b = (*b)[n:]
	return v
}

func takeApart(t *testing.T, file []byte) *sealed {
	t.Helper()
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	unpack := func(frame []byte) []byte {
		raw, err := z.DecodeAll(frame, nil)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	locator := file[len(file)-locatorBytes+8:]
	index := unpack(file[binary.LittleEndian.Uint64(locator):][:binary.LittleEndian.Uint32(locator[8:])])
	s := &sealed{header: file[:headerBytes], columns: map[uint64][]byte{}}
	index = index[1:] // its kind
	number(&index)    // its length
	rows := number(&index)
	for len(index) > 0 {
		tag, n := number(&index), number(&index)
		s.tags, s.columns[tag], index = append(s.tags, tag), index[:n], index[n:]
	}
	frames, lengths := file[headerBytes:], s.columns[tagBytes]
	for range rows {
		n := number(&lengths)
		s.blocks, frames = append(s.blocks, unpack(frames[:n])), frames[n:]
	}
	return s
}

var packer, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))

// with returns the container with another block, and right lengths, checksums and hash.
func (s *sealed) with(block int, raw []byte) []byte {
	le := binary.LittleEndian
	blocks, file := slices.Clone(s.blocks), slices.Clone(s.header)
	blocks[block] = raw
	columns := map[uint64][]byte{}
	for _, raw := range blocks {
		packed := packer.EncodeAll(raw, nil)
		columns[tagBytes] = binary.AppendUvarint(columns[tagBytes], uint64(len(packed)))
		columns[tagRaw] = binary.AppendUvarint(columns[tagRaw], uint64(len(raw)))
		columns[tagCRC] = binary.AppendUvarint(columns[tagCRC], uint64(crc32.Checksum(packed, castagnoli)))
		file = append(file, packed...)
	}
	body := binary.AppendUvarint(nil, uint64(len(blocks)))
	for _, tag := range s.tags {
		column, ok := columns[tag]
		if !ok {
			column = s.columns[tag]
		}
		body = append(binary.AppendUvarint(binary.AppendUvarint(body, tag), uint64(len(column))), column...)
	}
	index := append(binary.AppendUvarint([]byte{'B'}, uint64(len(body))), body...)
	packed, offset := packer.EncodeAll(index, nil), len(file)
	hash := sha256.Sum256(slices.Concat(blocks...))
	file = append(file, packed...)
	end := len(file)
	file = le.AppendUint32(le.AppendUint32(file, 0x184D2A52), locatorBytes-8)
	file = le.AppendUint32(le.AppendUint64(file, uint64(offset)), uint32(len(packed)))
	file = le.AppendUint32(le.AppendUint32(file, uint32(len(index))), crc32.Checksum(packed, castagnoli))
	file = append(append(file, hash[:]...), make([]byte, 8)...)
	file = le.AppendUint32(file, crc32.Checksum(file[end:], castagnoli))
	return append(file, "RPLTRACE"...)
}
