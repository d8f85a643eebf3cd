package tasks

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// Limits of a capture file: the format's own tools' limit for a packet, and a generator's memory.
const (
	maxPacket  = 1 << 18
	maxPackets = 1 << 20
	maxCapture = 1 << 28
)

// readPackets returns the captured bytes of all packets of a pcap file.
func readPackets(path string) ([][]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("pcap=%s: %w", path, errors.Unwrap(err))
	}
	defer f.Close()
	packets, err := parsePackets(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("pcap=%s: %w", path, err)
	}
	return packets, nil
}

// parsePackets reads the classic pcap format in either byte order, with times in
// microseconds or nanoseconds. Empty packets are left out.
func parsePackets(r io.Reader) ([][]byte, error) {
	var head [24]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, errors.New("the file is shorter than the 24 bytes of a pcap header")
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch magic := binary.LittleEndian.Uint32(head[:]); magic {
	case 0xa1b2c3d4, 0xa1b23c4d:
	case 0xd4c3b2a1, 0x4d3cb2a1:
		order = binary.BigEndian
	default:
		return nil, fmt.Errorf("offset 0: %08x is not the mark of a pcap file; convert the capture to pcap (pcapng "+
			"is not read)", magic)
	}
	var packets [][]byte
	for offset := int64(len(head)); ; {
		var rec [16]byte
		if _, err := io.ReadFull(r, rec[:]); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("offset %d: packet %d: its header is cut off", offset, len(packets))
		}
		n := int64(order.Uint32(rec[8:]))
		if n > maxPacket || len(packets) == maxPackets || offset > maxCapture {
			return nil, fmt.Errorf("offset %d: packet %d of %d bytes: want packets of up to %d bytes, %d of them, %d bytes "+
				"in all; cut the capture",
				offset, len(packets), n, maxPacket, maxPackets, maxCapture)
		}
		data := make([]byte, n)
		if _, err := io.ReadFull(r, data); err != nil {
			return nil, fmt.Errorf("offset %d: packet %d of %d bytes is cut off", offset, len(packets), n)
		}
		offset += int64(len(rec)) + n
		if n > 0 {
			packets = append(packets, data)
		}
	}
	if len(packets) == 0 {
		return nil, errors.New("the capture holds no packet")
	}
	return packets, nil
}
