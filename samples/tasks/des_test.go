package tasks

import (
	"bytes"
	"crypto/des"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/samples/samplestest"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// Known answers: the worked example of many textbooks for one DES (three equal
// keys), and the example of NIST SP 800-67 for three.
func TestKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		keys          [3]uint64
		plain, cipher string
	}{
		{[3]uint64{0x133457799BBCDFF1, 0x133457799BBCDFF1, 0x133457799BBCDFF1}, "0123456789abcdef", "85e813540f0ab405"},
		{[3]uint64{0x0123456789ABCDEF, 0x23456789ABCDEF01, 0x456789ABCDEF0123},
			"5468652071756663 6b2062726f776e20 666f78206a756d70", "a826fd8ce53b855f cce21c8112256fe6 68d5c05dd9b6b900"},
	} {
		plain, _ := hex.DecodeString(strings.ReplaceAll(c.plain, " ", ""))
		want, _ := hex.DecodeString(strings.ReplaceAll(c.cipher, " ", ""))
		cipher, got := newTripleDES(c.keys), make([]byte, len(plain))
		for i := 0; i < len(plain); i += 8 {
			cipher.block(got[i:], plain[i:])
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%x encrypts to %x, want %x", plain, got, want)
		}
	}
}

func TestAgainstStandardLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		keys := [3]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()}
		var key [24]byte
		for i, k := range keys {
			binary.BigEndian.PutUint64(key[8*i:], k)
		}
		ref, err := des.NewTripleDESCipher(key[:])
		if err != nil {
			t.Fatal(err)
		}
		var plain, got, want [8]byte
		binary.BigEndian.PutUint64(plain[:], rng.Uint64())
		newTripleDES(keys).block(got[:], plain[:])
		ref.Encrypt(want[:], plain[:])
		if got != want {
			t.Fatalf("keys %x, block %x: %x, want %x", keys, plain, got, want)
		}
	}
}

// The packets of a run are encrypted whole, and decrypt to their plain text.
func TestPacketsDecrypt(t *testing.T) {
	results(t, tripleDESKind, "tasks-3des", func(result any) {
		p := result.(packet)
		inverse := tripleDES{p.key[2].reversed(), p.key[1].reversed(), p.key[0].reversed()}
		back := bytes.Clone(p.cipher)
		for range 2 { // it is encrypted twice
			for i := 0; i < len(back); i += 8 {
				inverse.block(back[i:], back[i:])
			}
		}
		if !bytes.Equal(back, p.plain) || bytes.Equal(p.cipher, p.plain) {
			t.Errorf("a packet of %d bytes does not decrypt to itself", len(p.plain))
		}
	}, "blocks=2")
}

// Of the 8 tables of twice 48 rounds each look-up is one load from constant memory,
// whose addresses a trace does not hold.
func TestTableLookups(t *testing.T) {
	r := samplestest.Generate(t, "tasks-3des", "tasks=1", "min-bytes=8", "max-bytes=512", "packets=largest", "threads=64")
	insts := r.Functions[0].Insts
	for _, w := range r.CTAs[0][0].Warps {
		loads := 0
		for in, a := range w.Accesses(insts) {
			if in.Space == trace.SpaceConstant {
				loads++
				if *a != (trace.Access{}) {
					t.Fatalf("a constant load has %+v", a)
				}
			}
		}
		if loads != 2*8*48 {
			t.Errorf("warp %d looks up %d entries for its blocks, want %d", w.ID, loads, 2*8*48)
		}
	}
}

func TestSizesOfRealPackets(t *testing.T) {
	r := samplestest.Generate(t, "tasks-3des", "tasks=700", "pcap="+tracetest.Data(t, "packets-tcpdump", "afs.pcap"))
	r.Check(t)
	least, most := r.Ops[0].InBytes, r.Ops[0].InBytes
	for _, op := range r.Ops[:700] {
		least, most = min(least, op.InBytes), max(most, op.InBytes)
	}
	// 601 packets of 70 to 1514 bytes, in whole blocks of 8.
	if least != 72 || most != 1520 {
		t.Errorf("packets of %d to %d bytes, want 72 to 1520", least, most)
	}
	if r.Ops[0].InBytes != r.Ops[601].InBytes || r.Ops[1].InBytes != r.Ops[602].InBytes {
		t.Error("after the last packet the first does not follow")
	}
}

// capture returns a pcap file of those packets.
func capture(order binary.AppendByteOrder, packets ...string) []byte {
	b := order.AppendUint32(nil, 0xa1b2c3d4)
	b = append(b, make([]byte, 20)...)
	for _, p := range packets {
		b = append(b, make([]byte, 8)...)
		b = order.AppendUint32(b, uint32(len(p)))
		b = order.AppendUint32(b, uint32(len(p)))
		b = append(b, p...)
	}
	return b
}

func TestParsePackets(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		got, err := parsePackets(bytes.NewReader(capture(order, "one", "", "three")))
		if err != nil || len(got) != 2 || string(got[0]) != "one" || string(got[1]) != "three" {
			t.Errorf("%v: %q, %v", order, got, err)
		}
	}
	good := capture(binary.LittleEndian, "packet")
	huge := capture(binary.LittleEndian, "x")
	binary.LittleEndian.PutUint32(huge[32:], 1<<31)
	for want, data := range map[string][]byte{
		"shorter than":        good[:10],
		"offset 0":            []byte(strings.Repeat("x", 30)),
		"header is cut":       good[:30],
		"6 bytes is cut":      good[:42],
		"holds no packet":     good[:24],
		"offset 24: packet 0": huge,
	} {
		if _, err := parsePackets(bytes.NewReader(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	if _, err := readPackets(filepath.Join(t.TempDir(), "none")); err == nil ||
		!strings.Contains(err.Error(), "no such file") {
		t.Errorf("a missing file: %v", err)
	}
	path := filepath.Join(t.TempDir(), "x.pcap")
	if err := os.WriteFile(path, good[:30], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readPackets(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("an error without the file's name: %v", err)
	}
}

func FuzzParsePackets(f *testing.F) {
	f.Add(capture(binary.LittleEndian, "one", "two"))
	f.Add(capture(binary.BigEndian, "one"))
	f.Fuzz(func(t *testing.T, data []byte) {
		packets, err := parsePackets(bytes.NewReader(data))
		total := 0
		for _, p := range packets {
			total += len(p)
		}
		if err == nil && len(packets) == 0 || total > len(data) {
			t.Errorf("%d bytes gave %d packets of %d bytes, error %v", len(data), len(packets), total, err)
		}
	})
}
