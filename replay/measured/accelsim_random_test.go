package measured

import (
	"flag"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/model/hardware"
)

var randomPrograms = flag.Int("random", 20, "random programs of a few instructions that are compared with Accel-Sim")

// Random programs of a few instructions take Accel-Sim's cycles on its two machines. It aborts in some of them, which
// are counted.
func TestAccelSimRandom(t *testing.T) {
	s := theSimulator(t)
	for _, p := range ReferencePresets {
		cfg, err := hardware.Preset(p.Preset)
		if err != nil {
			t.Fatal(err)
		}
		equal, aborted := 0, 0
		for i := range *randomPrograms {
			dir, seed := t.TempDir(), *fromSeed+i
			list := writeRandom(t, dir, seed, p.SM)
			r := programRow{name: fmt.Sprint("seed ", seed), preset: p.Preset}
			if err := s.simulate(t.Context(), list, dir, p.Config, &r.theirs); err != nil {
				aborted++
				continue
			}
			captured, err := openCapture(t.Context(), list)
			if err != nil {
				t.Fatal(err)
			}
			r.ours, err = countersOf(t.Context(), captured, cfg)
			captured.Close()
			if err != nil {
				t.Fatal(err)
			}
			if r.ours.Cycles != r.theirs.Cycles {
				t.Errorf("%s on %s: %.0f cycles, Accel-Sim %.0f", r.name, p.Preset, r.ours.Cycles, r.theirs.Cycles)
				continue
			}
			equal++
		}
		t.Logf("%s: %d programs equal; in %d Accel-Sim aborts", p.Preset, equal, aborted)
	}
}

// writeRandom writes a capture of one kernel, each of whose warps executes the same random instructions.
func writeRandom(t *testing.T, dir string, seed int, sm uint32) (list string) {
	r := rand.New(rand.NewPCG(uint64(seed), 3))
	warps, ctas := []int{1, 1, 2, 3, 4, 8}[r.IntN(6)], []int{1, 1, 2, 3}[r.IntN(4)]
	var code, b strings.Builder
	n := 3 + r.IntN(22)
	for i := range n {
		fmt.Fprintf(&code, "%04x %s\n", 16*i, randomLine(r))
	}
	fmt.Fprintf(&code, "%04x ffffffff 0 EXIT 0 0 0\n", 16*n)
	fmt.Fprintf(&b, "-kernel name = k\n-kernel id = 1\n-grid dim = (%d,1,1)\n-block dim = (%d,1,1)\n-shmem = 4096\n"+
		"-nregs = 32\n-binary version = %d\n-cuda stream id = 0\n-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n"+
		"-nvbit version = none\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces format = PC mask dest_num "+
		"[reg_dests] opcode src_num [reg_srcs] mem_width [address_mode] [mem_addresses]\n", ctas, 32*warps, sm)
	for c := range ctas {
		fmt.Fprintf(&b, "\n#BEGIN_TB\n\nthread block = %d,0,0\n", c)
		for w := range warps {
			fmt.Fprintf(&b, "\nwarp = %d\ninsts = %d\n%s", w, n+1, &code)
		}
		b.WriteString("\n#END_TB\n")
	}
	list = filepath.Join(dir, "kernelslist.g")
	kernel := filepath.Join(dir, "kernel-1.traceg")
	for name, text := range map[string]string{list: "kernel-1.traceg\n", kernel: b.String()} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// arithmetic has opcodes with a result, others those without. MEMBAR is left out: both simulators differ in it on
// purpose (docs/model/deviations.md).
var (
	arithmetic = strings.Fields("IADD3 IMAD IMAD.WIDE FADD FFMA FMUL MUFU.RCP DADD DFMA MOV LEA LOP3.LUT SHF.L.U32 " +
		"SEL POPC I2F F2I SHFL.IDX PRMT S2R IABS HADD2 HFMA2 VOTE.ANY R2UR")
	others   = strings.Fields("NOP BRA ISETP.LT.AND FSETP.GT.AND PLOP3")
	barriers = strings.Fields("BAR.SYNC BSSY BSYNC WARPSYNC")
	accesses = strings.Fields("LDG.E LDG.E STG.E STG.E LDS LDS STS LDL STL ATOMG.E.ADD RED.E.ADD ATOMS.ADD")
)

func oneOf(r *rand.Rand, of []string) string { return of[r.IntN(len(of))] }

// randomLine returns an instruction without its address.
func randomLine(r *rand.Rand) string {
	register := func() string { return fmt.Sprint("R", r.IntN(13)) }
	sources := func(n int) string {
		text := fmt.Sprint(n)
		for range n {
			text += " " + register()
		}
		return text
	}
	mask := []uint32{1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 0, 0xffff, 1, r.Uint32()}[r.IntN(8)]
	switch x := r.IntN(100); {
	case x < 42:
		op := oneOf(r, accesses)
		loads, result, many := strings.HasPrefix(op, "LD"), "0", 2
		if loads || strings.HasPrefix(op, "ATOM") {
			result = "1 " + register()
		}
		if loads {
			many = 1
		}
		return fmt.Sprintf("%08x %s %s", mask, result, withAddresses(r, op, sources(many), mask))
	case x < 52:
		return fmt.Sprintf("ffffffff 0 %s 0 0 0", oneOf(r, barriers))
	case x < 60:
		return fmt.Sprintf("%08x 0 %s %s 0 0", mask, oneOf(r, others), sources(r.IntN(3)))
	}
	return fmt.Sprintf("%08x 1 %s %s %s 0 0", mask, register(), oneOf(r, arithmetic), sources(r.IntN(4)))
}

// withAddresses returns the opcode of an access, its sources and addresses.
func withAddresses(r *rand.Rand, op, sources string, mask uint32) string {
	width := []int{1, 2, 4, 4, 4, 8, 16}[r.IntN(7)]
	step := []int{width, width, width, 0, 32, 128, 2 * width, 4 * width}[r.IntN(8)]
	base := []int{0, 4 * width, 64}[r.IntN(3)]
	switch {
	case op == "LDL", op == "STL":
		step, base = 0, 0xfff0
	case op == "LDS", op == "STS", op == "ATOMS.ADD":
		step = min(step, 32)
	default:
		base = 0x7f0000000000 + []int{0, 0x20, 0x100, 0x1000, 0x4000}[r.IntN(5)]
	}
	suffix := map[int]string{1: ".U8", 2: ".U16", 4: "", 8: ".64", 16: ".128"}[width]
	if strings.Contains(op, "ADD") {
		width, suffix = 4, ""
		step, base = step&^3, base&^3 // an atomic may not cross a sector
	}
	first := bits.TrailingZeros32(mask)
	switch lanes := mask >> (first & 31); {
	case mask == 0:
		return fmt.Sprintf("%s%s %s %d 1 0x0 0 0", op, suffix, sources, width)
	case lanes&(lanes+1) == 0: // in a row
		return fmt.Sprintf("%s%s %s %d 1 %#x %d 0", op, suffix, sources, width, base, step)
	}
	text := fmt.Sprintf("%s%s %s %d 0", op, suffix, sources, width)
	for m := mask; m != 0; m &= m - 1 {
		text += fmt.Sprintf(" %#x", base+step*bits.TrailingZeros32(m))
	}
	return text + " 0"
}
