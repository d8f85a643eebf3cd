package children

import (
	"bytes"
	"strings"
	"testing"

	"gpureplay/samples/samplestest"
	"gpureplay/trace/tracetest"
)

// checkAlign compares every read with a search of all places.
func checkAlign(t *testing.T, genome []byte, reads [][]byte, r rule) {
	t.Helper()
	a := &align{genome: genome, reads: reads, mismatches: 2, section: 3}
	rec := &samplestest.Recording{}
	if err := a.run(rec, 6, r); err != nil {
		t.Fatal(err)
	}
	aligned, candidates, marked := 0, 0, 0
	for i, read := range reads {
		want := ^uint64(0)
		for at := 0; at+len(read) <= len(genome) && len(read) >= 18; at++ {
			wrong := 0
			for j := 0; j < len(read) && wrong <= 2; j++ {
				if read[j] != genome[at+j] || read[j] == 'N' {
					wrong++
				}
			}
			if wrong <= 2 {
				want = min(want, uint64(wrong)<<32|uint64(at))
			}
		}
		if a.best[i] != want {
			t.Fatalf("read %d: best %x, want %x", i, a.best[i], want)
		}
		if want != ^uint64(0) {
			aligned++
		}
		n := 0
		for k := 0; k < 3 && len(read) >= 18; k++ { // places of each seed
			seed := read[k*(len(read)/3):][:6]
			for at := 0; at+6 <= len(genome); at++ {
				if bytes.Equal(genome[at:at+6], seed) && !bytes.Contains(seed, []byte{'N'}) {
					n++
				}
			}
		}
		candidates += n
		m, _ := expected(n, r.threshold, r.block, r.whole)
		marked += m
	}
	if aligned < len(reads)/2 {
		t.Errorf("%d of %d reads aligned", aligned, len(reads))
	}
	all, gotMarked := sums(requests(t, rec))
	if all != candidates || gotMarked != marked {
		t.Errorf("%d candidates, %d marked, want %d and %d", all, gotMarked, candidates, marked)
	}
}

func TestAlign(t *testing.T) {
	genome := generateGenome(6000, 1)
	reads, err := generateReads(genome, 40, 60, 1)
	if err != nil {
		t.Fatal(err)
	}
	reads = append(reads, []byte("ACGTNNACGT"), []byte("ACGTNNACGTACGTACGTNNN"))
	checkAlign(t, genome, reads, dragonli(shape{32, 32}))
	checkAlign(t, genome, reads, rule{threshold: 1, block: 64, bytes: 8})
}

func TestAlignReal(t *testing.T) {
	genome, err := openSequences(tracetest.Data(t, "genomes-small", "MT-human.fa"))
	if err != nil {
		t.Fatal(err)
	}
	if len(genome) != 1 || len(genome[0]) != 16569 {
		t.Fatalf("%d sequences, %d bases; the human mitochondrion has 16569", len(genome), len(genome[0]))
	}
	reads, err := generateReads(genome[0], 20, 90, 2)
	if err != nil {
		t.Fatal(err)
	}
	checkAlign(t, genome[0], reads, dragonli(shape{32, 32}))
}

// The phage's reads are of its own genome: their median length and number are
// the notice's.
func TestReadsReal(t *testing.T) {
	reads, err := openReads(tracetest.Data(t, "genomes-small", "lambda_reads_1.fq.gz"))
	if err != nil {
		t.Fatal(err)
	}
	shortest, longest := len(reads[0]), 0
	for _, r := range reads {
		shortest, longest = min(shortest, len(r)), max(longest, len(r))
	}
	if len(reads) != 10000 || shortest < 30 || longest > 400 {
		t.Errorf("%d reads of %d to %d bases", len(reads), shortest, longest)
	}
}

func TestReadSequences(t *testing.T) {
	got, err := readSequences(strings.NewReader(">a\nacgt\nRN\n>b\nTT\n"), "f")
	if err != nil || len(got) != 2 || string(got[0]) != "ACGTNN" || string(got[1]) != "TT" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err = readSequences(strings.NewReader("@a\nACGT\n+\n@@@@\n@b\nGG\n+\n>>\n"), "f"); err != nil ||
		len(got) != 2 ||
		string(got[1]) != "GG" {
		t.Errorf("%q, %v", got, err)
	}
	for file, want := range map[string]string{
		"hello": "f:1: want a line", "": "f: no sequence", "@a\nAC\n+\n!!\nACGT\n": "f:5: want a line that begins with @",
	} {
		if _, err := readSequences(strings.NewReader(file), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", file, err, want)
		}
	}
}

func FuzzReadSequences(f *testing.F) {
	f.Add([]byte(">a\nacgt\nRN\n>b\nTT\n"))
	f.Add([]byte("@a\nACGT\n+\n@@@@\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		sequences, err := readSequences(bytes.NewReader(file), "f")
		if err == nil && len(sequences) == 0 {
			t.Fatal("nothing and no error")
		}
		for _, s := range sequences {
			if i := bytes.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("ACGTN", r) }); i >= 0 {
				t.Fatalf("base %q", s[i])
			}
		}
	})
}
