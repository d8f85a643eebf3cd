package sass

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

func TestClassify(t *testing.T) {
	for mnemonic, want := range map[string]Opcode{
		"LDG.E.64.STRONG.GPU": {trace.ClassMemory, trace.SpaceGlobal, trace.InstLoad | trace.InstBypassL1, 8, true},
		"LDG.E.SYS":           {trace.ClassMemory, trace.SpaceGlobal, trace.InstLoad, 4, true},
		"LDG.E.STRONG.SYS":    {trace.ClassMemory, trace.SpaceGlobal, trace.InstLoad | trace.InstBypassL1, 4, true},
		"STS.U8":              {trace.ClassMemory, trace.SpaceShared, trace.InstStore, 1, true},
		"ATOMG.E.ADD.STRONG.SM": {trace.ClassMemory, trace.SpaceGlobal,
			trace.InstLoad | trace.InstStore | trace.InstAtomic, 4, true},
		"LDSM.16.M88.4":  {trace.ClassMemory, trace.SpaceShared, trace.InstLoad, 2, true},
		"FFMA":           {Class: trace.ClassFP32, Known: true},
		"IMAD.WIDE.U32":  {Class: trace.ClassInt, Known: true},
		"HMMA.16816.F32": {Class: trace.ClassTensor, Known: true},
		"BAR.SYNC":       {Class: trace.ClassBarrier, Known: true},
		"EXIT":           {Class: trace.ClassExit, Known: true},
		"FROBNICATE.X":   {},
	} {
		if got := Classify(mnemonic); got != want {
			t.Errorf("%s: %+v, want %+v", mnemonic, got, want)
		}
	}
}

// Every opcode of the real captures is known, and those with a memory operand
// in the capture (and no others) are memory instructions of that width.
func TestRealOpcodes(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(tracetest.Data(t), "accelsim-*", "*.traceg"))
	nested, _ := filepath.Glob(filepath.Join(tracetest.Data(t), "accelsim-*", "*", "*.traceg"))
	seen := map[string]bool{}
	for _, path := range append(paths, nested...) {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for in := bufio.NewScanner(f); in.Scan(); {
			opcode, width, ok := instruction(in.Text())
			if !ok || seen[opcode] {
				continue
			}
			seen[opcode] = true
			got := Classify(opcode)
			if !got.Known {
				t.Errorf("%s: unknown opcode %s", filepath.Base(path), opcode)
			}
			if width > 0 && (got.Class != trace.ClassMemory || got.Width != uint32(width) &&
				!strings.HasPrefix(opcode, "LDSM")) {
				t.Errorf("%s: %s has an operand of %d bytes, but is %+v", filepath.Base(path), opcode, width, got)
			}
		}
		f.Close()
	}
	if len(seen) < 30 {
		t.Skipf("%d opcodes in the unpacked captures", len(seen))
	}
}

// instruction reads the opcode and memory width of a line of a traceg.
func instruction(line string) (string, int, bool) {
	f := strings.Fields(line)
	if len(f) < 5 || strings.HasPrefix(line, "-") || strings.HasPrefix(line, "#") {
		return "", 0, false
	}
	n, err := strconv.Atoi(f[2])
	if err != nil || len(f) <= 4+n {
		return "", 0, false
	}
	opcode := f[3+n]
	sources, err := strconv.Atoi(f[4+n])
	if err != nil || len(f) <= 5+n+sources {
		return "", 0, false
	}
	width, err := strconv.Atoi(f[5+n+sources])
	return opcode, width, err == nil
}
