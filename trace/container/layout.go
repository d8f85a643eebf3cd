package container

import (
	"encoding/binary"
	"errors"
	"fmt"
	"gpureplay/trace"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The file is a sequence of zstd frames, so that "zstd -dc" unpacks all blocks:
//
//	header   skippable frame: magic, version, CRC
//	block... zstd frames
//	index    zstd frame: one row per block
//	locator  skippable frame: where the index is, the content hash, CRC
const (
	skippable   = 0x184D2A52 // magic number of a skippable zstd frame, one of sixteen
	headerMagic = "RPLTRACE"
	headerLen   = 8 + 16
	locatorLen  = 8 + 72
)

// Limits of the memory that a file may ask for, compared before it is allocated. They are variables so that fuzzing
// can lower them.
var (
	maxBlockBytes   uint64 = 1 << 30 // of one block, unpacked
	maxDecodedBytes uint64 = 1 << 30 // of the CTAs of one block, as Go values
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// appendHeader appends the skippable frame that begins a file.
func appendHeader(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, skippable)
	b = binary.LittleEndian.AppendUint32(b, headerLen-8)
	b = append(b, headerMagic...)
	b = binary.LittleEndian.AppendUint32(b, trace.Version)
	return binary.LittleEndian.AppendUint32(b, checksum(b))
}

var errNotTrace = errors.New("not a replay trace; make one with \"replay convert\"")

// readHeader checks the first headerLen bytes of a file.
func readHeader(b []byte) error {
	if len(b) < headerLen || !Is(b) {
		return errNotTrace
	}
	if binary.LittleEndian.Uint32(b[20:]) != checksum(b[:20]) || binary.LittleEndian.Uint32(b[4:]) != headerLen-8 {
		return errors.New("the header is damaged (checksum differs)")
	}
	if v := binary.LittleEndian.Uint32(b[16:]); v == 0 || v > trace.Version {
		return fmt.Errorf("the trace has version %d, this program reads up to %d; take a newer replay", v, trace.Version)
	}
	return nil
}

// locator says where the index is.
type locator struct {
	offset uint64
	bytes  uint32 // of the zstd frame
	raw    uint32
	crc    uint32 // CRC-32C of the frame's bytes
	hash   [32]byte
}

func (l *locator) append(b []byte) []byte {
	n := len(b)
	b = binary.LittleEndian.AppendUint32(b, skippable)
	b = binary.LittleEndian.AppendUint32(b, locatorLen-8)
	b = binary.LittleEndian.AppendUint64(b, l.offset)
	b = binary.LittleEndian.AppendUint32(b, l.bytes)
	b = binary.LittleEndian.AppendUint32(b, l.raw)
	b = binary.LittleEndian.AppendUint32(b, l.crc)
	b = append(b, l.hash[:]...)
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, checksum(b[n:]))
	return append(b, headerMagic...)
}

// read checks the last locatorLen bytes of a file of the given size.
func (l *locator) read(b []byte, size int64) error {
	if string(b[locatorLen-8:]) != headerMagic {
		return errors.New("the trace ends too early (it was cut, or its writer was stopped); make it again")
	}
	if binary.LittleEndian.Uint32(b[locatorLen-12:]) != checksum(b[:locatorLen-12]) {
		return errors.New("the locator at the end is damaged (checksum differs)")
	}
	l.offset = binary.LittleEndian.Uint64(b[8:])
	l.bytes = binary.LittleEndian.Uint32(b[16:])
	l.raw = binary.LittleEndian.Uint32(b[20:])
	l.crc = binary.LittleEndian.Uint32(b[24:])
	copy(l.hash[:], b[28:])
	if l.offset < headerLen || l.offset > uint64(size) || l.offset+uint64(l.bytes)+locatorLen != uint64(size) {
		return errors.New("bytes are missing or added in the middle of the trace; make it again")
	}
	return nil
}

// sharedDecoder decodes frames for all readers. It holds no goroutine.
var sharedDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(1<<31),
		zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})

// unpack decodes one frame of n bytes into dst's memory, growing it if needed.
func unpack(dst, frame []byte, n uint32) ([]byte, error) {
	if uint64(n) > maxBlockBytes {
		return dst, fmt.Errorf("it says %d bytes unpacked, more than %d", n, maxBlockBytes)
	}
	if uint32(cap(dst)) < n {
		dst = make([]byte, 0, n)
	}
	out, err := sharedDecoder().DecodeAll(frame, dst[:0:n])
	if err != nil {
		return dst, fmt.Errorf("it does not unpack: %w", err)
	}
	if len(out) != int(n) {
		return dst, fmt.Errorf("it unpacks to %d bytes, not to %d", len(out), n)
	}
	return out, nil
}
