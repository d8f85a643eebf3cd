package children

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"github.com/klauspost/compress/gzip"
)

// Limits of sequence files.
const (
	mostBases    = 1 << 26
	mostReadLen  = 1 << 16
	longestLine  = 1 << 20
	genomeBuffer = 1 << 16
)

// openSequences reads the sequences of a FASTA or FASTQ file, gzip or not, in upper case; every letter but A, C, G
// and T becomes N.
func openSequences(path string) ([][]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readSequences(f, path)
}

func readSequences(r io.Reader, path string) ([][]byte, error) {
	in := bufio.NewReaderSize(r, genomeBuffer)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		defer z.Close()
		in = bufio.NewReaderSize(z, genomeBuffer)
	}
	s := sequences{path: path}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		s.line++
		if err := s.add(lines.Bytes()); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", path, s.line+1, err)
	}
	if len(s.all) == 0 {
		return nil, fmt.Errorf("%s: no sequence in it; want FASTA or FASTQ", path)
	}
	return s.all, nil
}

// sequences holds the sequences read from a file so far.
type sequences struct {
	path  string
	line  int
	fastq bool
	all   [][]byte
	total int
}

func (s *sequences) add(line []byte) error {
	line = bytes.TrimRight(line, "\r")
	if s.line == 1 {
		s.fastq = bytes.HasPrefix(line, []byte("@"))
		if !s.fastq && !bytes.HasPrefix(line, []byte(">")) {
			return s.errorf("want a line that begins with > (FASTA) or @ (FASTQ)")
		}
	}
	switch {
	case s.fastq && s.line%4 == 1 && !bytes.HasPrefix(line, []byte("@")):
		return s.errorf("want a line that begins with @")
	case s.fastq && s.line%4 == 2, !s.fastq && bytes.HasPrefix(line, []byte(">")):
		s.all = append(s.all, nil)
	}
	if s.fastq && s.line%4 != 2 || !s.fastq && bytes.HasPrefix(line, []byte(">")) {
		return nil
	}
	if s.total += len(line); s.total > mostBases {
		return s.errorf("more than %d bases, the limit", mostBases)
	}
	last := &s.all[len(s.all)-1]
	for _, b := range line {
		switch b &^= 0x20; b { // upper case
		case 'A', 'C', 'G', 'T':
		default:
			b = 'N'
		}
		*last = append(*last, b)
	}
	return nil
}

func (s *sequences) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", s.path, s.line, fmt.Sprintf(format, args...))
}

// openReads reads reads, each short enough for one parent's loop.
func openReads(path string) ([][]byte, error) {
	reads, err := openSequences(path)
	if err != nil {
		return nil, err
	}
	for i, r := range reads {
		if len(r) > mostReadLen {
			return nil, fmt.Errorf("%s: read %d has %d bases, more than the limit of %d", path, i+1, len(r), mostReadLen)
		}
	}
	return reads, nil
}

// generateGenome draws n bases. About a third of them are copies of stretches among the first thousand bases (50 to
// 400 bases, one in fifty changed). So do a few families of repeats in a real genome.
func generateGenome(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1953))
	out := make([]byte, 0, n)
	for len(out) < n {
		length := min(50+r.IntN(350), n-len(out))
		copied := len(out) > 1000 && r.IntN(3) == 0
		from := 0
		if copied {
			from = r.IntN(600) // a few families repeat often
		}
		for i := range length {
			if copied && r.IntN(50) > 0 {
				out = append(out, out[from+i])
			} else {
				out = append(out, "ACGT"[r.IntN(4)])
			}
		}
	}
	return out
}

// generateReads takes n stretches of length bases from a genome, with one base in
// a hundred changed.
func generateReads(genome []byte, n, length int, seed uint64) ([][]byte, error) {
	if length > len(genome) {
		return nil, errors.New("reads longer than the reference")
	}
	r := rand.New(rand.NewPCG(seed, 2001))
	reads := make([][]byte, n)
	for i := range reads {
		from := r.IntN(len(genome) - length + 1)
		reads[i] = bytes.Clone(genome[from : from+length])
		for j := range reads[i] {
			if r.IntN(100) == 0 {
				reads[i][j] = "ACGT"[r.IntN(4)]
			}
		}
	}
	return reads, nil
}

// seedIndex lists, for every word of k bases, where it occurs in a genome.
type seedIndex struct {
	k     int
	first []uint32 // of each word, and one more
	place []uint32
}

// code is the number of the word at the head of s, or -1 if N is in it.
func (x *seedIndex) code(s []byte) int {
	n := 0
	for _, b := range s[:x.k] {
		switch b {
		case 'A':
			n *= 4
		case 'C':
			n = 4*n + 1
		case 'G':
			n = 4*n + 2
		case 'T':
			n = 4*n + 3
		default:
			return -1
		}
	}
	return n
}

func newSeedIndex(genome []byte, k int) *seedIndex {
	x := &seedIndex{k: k, first: make([]uint32, 1<<(2*k)+1)}
	for i := 0; i+k <= len(genome); i++ {
		if c := x.code(genome[i:]); c >= 0 {
			x.first[c+1]++
		}
	}
	for c := range len(x.first) - 1 {
		x.first[c+1] += x.first[c]
	}
	x.place = make([]uint32, x.first[len(x.first)-1])
	next := append([]uint32(nil), x.first...)
	for i := 0; i+k <= len(genome); i++ {
		if c := x.code(genome[i:]); c >= 0 {
			x.place[next[c]] = uint32(i)
			next[c]++
		}
	}
	return x
}
