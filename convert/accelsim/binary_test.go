package accelsim

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"gpureplay/trace/tracetest"
)

// binaryOf writes a grouped capture in the binary form, from its description:
// no public file of that form is known.
func binaryOf(t testing.TB, text string, chunk int, dictionary []byte) []byte {
	t.Helper()
	head, body, _ := strings.Cut(text, "#traces")
	out := bytes.NewBufferString(strings.TrimRight(head, "\n") + "\n\x00")
	options := []zstd.EOption{zstd.WithEncoderConcurrency(1)}
	if len(dictionary) > 0 {
		options = append(options, zstd.WithEncoderDictRaw(0, dictionary))
	}
	z, err := zstd.NewWriter(nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	word := func(to *bytes.Buffer, v ...uint32) {
		for _, x := range v {
			_ = binary.Write(to, binary.LittleEndian, x)
		}
	}
	word(out, uint32(len(dictionary)), uint32(chunk))
	out.Write(dictionary)
	var index bytes.Buffer
	n := uint32(0)
	for _, block := range strings.Split(body, "#BEGIN_TB")[1:] {
		var cta [3]uint32
		var warps [][]string
		for in := bufio.NewScanner(strings.NewReader(block)); in.Scan(); {
			line := strings.TrimSpace(in.Text())
			if v, ok := strings.CutPrefix(line, "thread block = "); ok {
				_, _ = fmt.Sscanf(v, "%d,%d,%d", &cta[0], &cta[1], &cta[2])
			} else if strings.HasPrefix(line, "warp = ") {
				warps = append(warps, nil)
			} else if line != "" && !strings.ContainsAny(line[:1], "-#cit") {
				warps[len(warps)-1] = append(warps[len(warps)-1], line)
			}
		}
		word(&index, cta[0], cta[1], cta[2], cta[0], cta[1], cta[2], 0, 0, 0, 0, uint32(len(warps)))
		for _, lines := range warps {
			at := out.Len()
			chunks := (len(lines) + chunk - 1) / chunk
			word(out, uint32(len(lines)), uint32(chunks))
			word(&index, uint32(len(lines)), uint32(chunks), uint32(at), uint32(uint64(at)>>32))
			for i := 0; i < len(lines); i += chunk {
				part := lines[i:min(i+chunk, len(lines))]
				frame := z.EncodeAll([]byte(strings.Join(part, "\n")), nil)
				word(out, uint32(len(frame)))
				out.Write(frame)
				word(&index, uint32(len(part)))
			}
		}
		n++
	}
	at := out.Len()
	word(out, n)
	out.Write(index.Bytes())
	_ = binary.Write(out, binary.LittleEndian, uint64(at))
	return out.Bytes()
}

func readText(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tracetest.Data(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func convertBinary(t testing.TB, data []byte) (*tracetest.Recording, error) {
	t.Helper()
	r := &tracetest.Recording{}
	return r, ConvertKernel(context.Background(), bytes.NewReader(data), "kernel-1.tracez", r,
		Options{TempDir: t.TempDir()})
}

func TestBinaryEqualsGrouped(t *testing.T) {
	for _, name := range []string{"accelsim-rodinia-bfs-a100/kernel-3.traceg",
		"accelsim-vectoradd-a100/kernel-1.traceg", "accelsim-atax-v5v6/atax-v5/kernel-1.traceg"} {
		text := readText(t, name)
		want := convertFile(t, filepath.Join(tracetest.Data(t), name))
		for _, chunk := range []int{2048, 5} {
			for _, dictionary := range [][]byte{nil, []byte(strings.Repeat("0010 ffffffff 1 R1 MOV 0 0 0", 8))} {
				got, err := convertBinary(t, binaryOf(t, text, chunk, dictionary))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				sameExecution(t, got, want)
			}
		}
	}
}

// A binary kernel that was cut anywhere, or in which any byte is another, is an
// error or the same number of kernels, never a panic.
func TestBinaryDamaged(t *testing.T) {
	data := binaryOf(t, oneWarp("0000 ffffffff 1 R1 MOV 0 0 0", "0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f0 4 0",
		"0020 ffffffff 0 EXIT 0 0 0"), 2, nil)
	for n := 0; n < len(data); n += 1 + 16*(1-min(n/(len(testHeader)-80), 1)) {
		if _, err := convertBinary(t, data[:n]); err == nil {
			t.Fatalf("cut to %d of %d bytes: no error", n, len(data))
		}
	}
	for i := bytes.IndexByte(data, 0) + 1; i < len(data); i += 2 {
		flipped := bytes.Clone(data)
		flipped[i] ^= 0x41
		if r, err := convertBinary(t, flipped); err == nil && len(r.Kernels) != 1 {
			t.Errorf("byte %d: %d kernels", i, len(r.Kernels))
		}
	}
}

// An error names the line of the text that a binary kernel unpacks to, through all frames.
func TestBinaryErrorsHaveLines(t *testing.T) {
	var at []int
	for bad := range 5 {
		lines := slices.Repeat([]string{"0000 ffffffff 1 R1 MOV 0 0 0"}, 5)
		lines[bad] = "0010 zz"
		_, err := convertBinary(t, binaryOf(t, oneWarp(lines...), 2, nil))
		var line int
		if _, scan := fmt.Sscanf(fmt.Sprint(err), "kernel-1.tracez CTA (0,0,0) warp 0:%d:", &line); scan != nil {
			t.Fatalf("%v: %v", err, scan)
		}
		if at = append(at, line); bad > 0 && line != at[bad-1]+1 {
			t.Errorf("lines %d, want each behind the one before", at)
		}
	}
}

func TestBinaryHugeCounts(t *testing.T) {
	data := binaryOf(t, oneWarp("0000 ffffffff 1 R1 MOV 0 0 0"), 2048, nil)
	index := int(binary.LittleEndian.Uint64(data[len(data)-8:]))
	for _, c := range []struct {
		at   int
		what string
	}{
		{index, "CTAs"}, {index + 4 + 40, "warps"}, {index + 4 + 44, "instructions"}, {index + 4 + 48, "sub-chunks"},
		{bytes.IndexByte(data, 0) + 1, "dictionary"}, {len(data) - 8, "index"},
	} {
		huge := bytes.Clone(data)
		binary.LittleEndian.PutUint32(huge[c.at:], 0xfffffff0)
		if _, err := convertBinary(t, huge); err == nil || !strings.Contains(err.Error(), "kernel-1.tracez") {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
