package children

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

// mostPacket is the largest packet that a capture may hold: the limit that
// tcpdump itself keeps to.
const mostPacket = 262144

// readPackets reads the payloads of a classic libpcap capture of either byte
// order, in microseconds or nanoseconds, up to most bytes in all.
func readPackets(r io.Reader, path string, most int) (packets [][]byte, err error) {
	in := bufio.NewReader(r)
	var head [24]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, fmt.Errorf("%s: byte 0: no pcap header (%v)", path, err)
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch binary.LittleEndian.Uint32(head[:]) {
	case 0xa1b2c3d4, 0xa1b23c4d:
	case 0xd4c3b2a1, 0x4d3cb2a1:
		order = binary.BigEndian
	default:
		return nil, fmt.Errorf("%s: byte 0: magic %x; want a classic pcap file (convert pcapng with editcap -F pcap)",
			path, head[:4])
	}
	at, total := int64(len(head)), 0
	for {
		var record [16]byte
		switch _, err := io.ReadFull(in, record[:]); {
		case err == io.EOF:
			return packets, nil
		case err != nil:
			return nil, fmt.Errorf("%s: byte %d: a packet's header is cut short", path, at)
		}
		n := order.Uint32(record[8:])
		if n > mostPacket {
			return nil, fmt.Errorf("%s: byte %d: a packet of %d bytes, more than %d", path, at, n, mostPacket)
		}
		if total += int(n); total > most {
			return nil, fmt.Errorf("%s: byte %d: more than %d bytes of packets, the limit", path, at, most)
		}
		data := make([]byte, n)
		if _, err := io.ReadFull(in, data); err != nil {
			return nil, fmt.Errorf("%s: byte %d: a packet is cut short", path, at)
		}
		at += int64(len(record)) + int64(n)
		packets = append(packets, data)
	}
}

// openPackets reads a capture file.
func openPackets(path string) ([][]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	packets, err := readPackets(f, path, most)
	if err == nil && len(packets) == 0 {
		err = errors.New(path + ": a capture without packets")
	}
	return packets, err
}

// randomStrings draws n strings of 1 to longest characters, short ones more often (the square of a uniform number),
// over letters, digits and blanks. Every tenth has one of the words in it.
func randomStrings(n, longest int, words []string, seed uint64) [][]byte {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789 /."
	r := rand.New(rand.NewPCG(seed, 1951))
	out := make([][]byte, n)
	for i := range out {
		u := r.Float64()
		s := make([]byte, 1+int(u*u*float64(longest-1)))
		for j := range s {
			s[j] = letters[r.IntN(len(letters))]
		}
		if word := words[r.IntN(len(words))]; i%10 == 0 && len(s) > len(word) {
			copy(s[r.IntN(len(s)-len(word)):], word)
		}
		out[i] = s
	}
	return out
}
