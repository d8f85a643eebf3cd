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

// Random programs take Accel-Sim's cycles on its two machines. It aborts in some of them, which are counted.
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

// writeRandom writes a capture of one to three kernels.
func writeRandom(t *testing.T, dir string, seed int, sm uint32) (list string) {
	r, names := rand.New(rand.NewPCG(uint64(seed), 4)), ""
	list = filepath.Join(dir, "kernelslist.g")
	for id := 1; id == 1 || id < 4 && r.IntN(3) == 0; id++ {
		name := fmt.Sprintf("kernel-%d.traceg", id)
		names += name + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(randomKernel(r, id, sm)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(list, []byte(names), 0o644); err != nil {
		t.Fatal(err)
	}
	return list
}

// randomKernel returns a kernel, each of whose warps executes the same random instructions, or some of them.
func randomKernel(r *rand.Rand, id int, sm uint32) string {
	warps, n := []int{1, 1, 2, 3, 4, 8, 16, 32}[r.IntN(8)], 3+r.IntN(22)
	ctas := min([]int{1, 1, 2, 3, 10, 50, 100}[r.IntN(7)], max(1, mostLines/(warps*n)))
	left := []float64{0, 0, 0.2}[r.IntN(3)] // share of the instructions that a warp leaves out
	var code []randomInst
	for range n {
		code = append(code, randomLine(r, sm >= 80))
	}
	if sm >= 80 {
		code = append(code, randomInst{head: "ffffffff 0 LDGDEPBAR 0", always: true},
			randomInst{head: "ffffffff 0 DEPBAR.LE 0", always: true}) // a CTA need not await its copies there (deviation 8)
	}
	code = append(code, randomInst{head: "ffffffff 0 EXIT 0", always: true})
	var b strings.Builder
	fmt.Fprintf(&b, "-kernel name = k%d\n-kernel id = %d\n-grid dim = (%d,1,1)\n-block dim = (%d,1,1)\n-shmem = 16384\n"+
		"-nregs = 32\n-binary version = %d\n-cuda stream id = 0\n-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n"+
		"-nvbit version = none\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces format = PC mask dest_num "+
		"[reg_dests] opcode src_num [reg_srcs] mem_width [address_mode] [mem_addresses]\n", id, id, ctas, 32*warps, sm)
	for c := range ctas {
		fmt.Fprintf(&b, "\n#BEGIN_TB\n\nthread block = %d,0,0\n", c)
		for w := range warps {
			lines, count := "", 0
			for i, x := range code {
				if x.always || r.Float64() >= left {
					lines += fmt.Sprintf("%04x %s\n", 16*i, x.text(w, c))
					count++
				}
			}
			fmt.Fprintf(&b, "\nwarp = %d\ninsts = %d\n%s", w, count, lines)
		}
		b.WriteString("\n#END_TB\n")
	}
	return b.String()
}

const mostLines = 20000 // of a kernel

// arithmetic has opcodes with a result, others those without. MEMBAR is left out: both simulators differ in it on
// purpose (docs/model/deviations.md).
var (
	arithmetic = strings.Fields("IADD3 IMAD IMAD.WIDE FADD FFMA FMUL MUFU.RCP DADD DFMA MOV LEA LOP3.LUT SHF.L.U32 " +
		"SEL POPC I2F F2I SHFL.IDX PRMT S2R IABS HADD2 HFMA2 VOTE.ANY R2UR HMMA.1688.F32")
	others   = strings.Fields("NOP BRA ISETP.LT.AND FSETP.GT.AND PLOP3")
	barriers = strings.Fields("BAR.SYNC BSSY BSYNC WARPSYNC")
	accesses = strings.Fields("LDG.E LDG.E STG.E STG.E LDS LDS STS LDL STL ATOMG.E.ADD RED.E.ADD ATOMS.ADD " +
		"LDG.E.STRONG.GPU LDGSTS.E")
)

// randomInst is an instruction: its mask, results, opcode and sources, and its access.
type randomInst struct {
	head   string
	always bool // every warp executes it
	imm    int
	mask   uint32
	width  int // 0: it accesses no memory
	base   int // address of lane 0 of the first warp
	step   int // from lane to lane; so the next two
	ofWarp int
	ofCTA  int
}

func oneOf[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// randomLine returns an instruction, with asynchronous copies or without.
func randomLine(r *rand.Rand, copies bool) randomInst {
	register := func() string { return fmt.Sprint("R", r.IntN(13)) }
	sources := func(n int) string {
		text := fmt.Sprint(n)
		for range n {
			text += " " + register()
		}
		return text
	}
	mask := oneOf(r, 1<<32-1, 1<<32-1, 1<<32-1, 1<<32-1, 0, 0xffff, 1, r.Uint32())
	switch x := r.IntN(100); {
	case x < 42:
		op := oneOf(r, accesses...)
		if strings.HasPrefix(op, "LDGSTS") && !copies {
			op = "LDG.E"
		}
		loads, result, many := strings.HasPrefix(op, "LD"), "0", 2
		if loads && op != "LDGSTS.E" || strings.HasPrefix(op, "ATOM") {
			result = "1 " + register()
		}
		if loads {
			many = 1
		}
		in, suffix := randomAccess(r, op)
		in.mask, in.head = mask, fmt.Sprintf("%08x %s %s%s %s", mask, result, op, suffix, sources(many))
		return in
	case x < 52:
		return randomInst{head: "ffffffff 0 " + oneOf(r, barriers...) + " 0", always: true}
	case x < 56 && copies:
		return oneOf(r, randomInst{head: "ffffffff 0 LDGDEPBAR 0", always: true},
			randomInst{head: "ffffffff 0 DEPBAR.LE 0", imm: r.IntN(3)})
	case x < 62:
		return randomInst{head: fmt.Sprintf("%08x 0 %s %s", mask, oneOf(r, others...), sources(r.IntN(3)))}
	}
	return randomInst{head: fmt.Sprintf("%08x 1 %s %s %s", mask, register(), oneOf(r, arithmetic...), sources(r.IntN(4)))}
}

// randomAccess returns an access without its first part, and the suffix of its opcode.
func randomAccess(r *rand.Rand, op string) (in randomInst, suffix string) {
	width := oneOf(r, 1, 2, 4, 4, 4, 8, 16)
	in = randomInst{width: width, step: oneOf(r, width, width, width, 0, 32, 128, 2*width, 4*width, 4096)}
	switch op {
	case "LDL", "STL":
		in.step, in.base = 0, 0xfff0
	case "LDS", "STS", "ATOMS.ADD":
		in.step, in.base, in.ofWarp = min(in.step, 32), oneOf(r, 0, 4*width, 64), oneOf(r, 0, 128)
	default:
		in.base = 0x7f0000000000 + oneOf(r, 0, 0x20, 0x100, 0x1000, 0x4000, 1<<32)
		in.ofWarp, in.ofCTA = oneOf(r, 0, 32*width, 32*width, 128, 4096), oneOf(r, 0, 1024*width, 1024*width, 4096, 1<<20)
	}
	if strings.Contains(op, "ADD") { // an atomic may not cross a sector
		in.width, in.step, in.base = 4, min(in.step&^3, 128), in.base&^3
		return in, ""
	}
	return in, map[int]string{1: ".U8", 2: ".U16", 4: "", 8: ".64", 16: ".128"}[width]
}

// text returns the instruction of a warp and CTA, without its address.
func (in *randomInst) text(warp, cta int) string {
	base, first := in.base+warp*in.ofWarp+cta*in.ofCTA, bits.TrailingZeros32(in.mask)
	switch lanes := in.mask >> (first & 31); {
	case in.width == 0:
		return fmt.Sprintf("%s 0 %d", in.head, in.imm)
	case in.mask == 0:
		return fmt.Sprintf("%s %d 1 0x0 0 0", in.head, in.width)
	case lanes&(lanes+1) == 0: // in a row
		return fmt.Sprintf("%s %d 1 %#x %d 0", in.head, in.width, base, in.step)
	}
	text := fmt.Sprintf("%s %d 0", in.head, in.width)
	for m := in.mask; m != 0; m &= m - 1 {
		text += fmt.Sprintf(" %#x", base+in.step*bits.TrailingZeros32(m))
	}
	return text + " 0"
}
