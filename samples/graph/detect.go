package graph

import (
	"bytes"
	"encoding/binary"
)

// headBytes is how much of a file is looked at to find its format.
const headBytes = 1 << 16

// Detect names the format of a file by its first bytes, unzipped; whole says
// that they are all. It returns "" if it is none of [Formats].
//
// METIS files and edge lists may begin alike:
//
//  1. A file of whose lines, after comments, each has the same two or three
//     fields is an edge list, so a METIS file in which every vertex has as many
//     neighbours as its header has fields needs [Options].Format.
func Detect(head []byte, whole bool) string {
	switch {
	case bytes.HasPrefix(head, []byte("%%MatrixMarket")):
		return "mtx"
	case galoisHead(head):
		return "galois"
	}
	if !whole { // the last line is cut
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	var counts []int // fields of the first data lines
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 && len(counts) > 0 {
			counts = append(counts, 0)
		}
		if len(line) == 0 || line[0] == '#' || line[0] == '%' {
			continue
		}
		if len(counts) == 0 {
			if format := byLine(line); format != "" {
				return format
			}
		}
		n, ok := numbers(line)
		if !ok {
			return ""
		}
		counts = append(counts, n)
	}
	return byCounts(counts)
}

// byLine finds the formats that the first data line tells.
func byLine(line []byte) string {
	first, _ := field(line)
	switch commas := bytes.Count(line, []byte{','}); {
	case len(first) == 1 && (first[0] == 'c' || first[0] == 'p' || first[0] == 'a'):
		return "dimacs"
	case bytes.IndexByte(line, '|') > 0:
		return "csv"
	case commas == 8:
		return "openflights"
	case commas == 1 || commas == 2:
		return "csv"
	}
	return ""
}

// byCounts finds the formats that the numbers of fields tell. Trailing empty
// lines are nothing.
func byCounts(counts []int) string {
	for len(counts) > 0 && counts[len(counts)-1] == 0 {
		counts = counts[:len(counts)-1]
	}
	if len(counts) == 0 {
		return ""
	}
	same := true
	for _, n := range counts[1:] {
		same = same && n == counts[0]
	}
	switch {
	case counts[0] == 1 && len(counts) > 1 && counts[1] == 2:
		return "rodinia"
	case same && (counts[0] == 2 || counts[0] == 3):
		return "edges"
	case counts[0] >= 2 && counts[0] <= 4:
		return "metis"
	}
	return ""
}

// numbers counts the fields of a line, and reports whether all look like numbers.
func numbers(line []byte) (n int, ok bool) {
	for {
		var f []byte
		f, line = field(line)
		if len(f) == 0 {
			return n, true
		}
		if c := f[0]; (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' {
			return n, false
		}
		n++
	}
}

// galoisHead reports whether the bytes begin like version 1 of Galois' format.
func galoisHead(head []byte) bool {
	if len(head) < galoisHeader {
		return false
	}
	edge := binary.LittleEndian.Uint64(head[8:])
	return binary.LittleEndian.Uint64(head) == 1 && (edge == 0 || edge == 4 || edge == 8)
}
