package measured

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/replay"
)

// alone is a program of one CTA, in the lines of a capture without their addresses.
type alone struct {
	name  string
	warps int
	body  []string
	slack float64 // cycles that it may differ
}

const (
	inChain    = 16 // dependent instructions, one after another
	chainSlack = 6  // less than a cycle of each
	beside     = 6  // instructions of a warp that need nothing of each other
	besideOf   = 16 // warps
)

// differs are opcodes that differ, with the reason (docs/model, deviation 8).
var differs = map[string]string{
	"ERRBAR": "a fence", "DEPBAR": "a fence", "REDUX": "an integer instruction", "KILL": "on a texture unit there",
	"SUATOM": "a surface", "SULD": "a surface", "SURED": "a surface", "SUST": "a surface", "HMUL2": "forgotten there",
}

var opcode = regexp.MustCompile(`\{"([A-Z0-9_.]+)",\s*OpcodeChar\(OP_\w+,\s*(\w+)\)\}`)

// programsAlone are a chain of each opcode, and warps of some that need nothing of each
// other; of accesses chains that hit shared memory and the L1.
func programsAlone(t *testing.T, s *simulator, file string) (list []alone) {
	text, err := os.ReadFile(filepath.Join(s.root, "ISA_Def", file))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range opcode.FindAllStringSubmatch(string(text), -1) {
		op, class := m[1], m[2]
		if strings.HasSuffix(class, "LOAD_OP") || strings.HasSuffix(class, "STORE_OP") ||
			strings.HasPrefix(class, "BARRIER") ||
			strings.HasPrefix(class, "MEMORY") || strings.HasSuffix(class, "_OPS") || differs[op] != "" {
			continue
		}
		chain := alone{name: op + " in a chain", warps: 1, slack: chainSlack}
		for range inChain {
			chain.body = append(chain.body, "1 R5 "+op+" 1 R5 0 0")
		}
		wide := alone{name: op + " of 16 warps", warps: besideOf, slack: 16}
		for i := range beside {
			wide.body = append(wide.body, fmt.Sprintf("1 R%d %s 1 R%d 0 0", 8+4*i, op, 9+4*i))
		}
		list = append(list, chain, wide)
	}
	for _, x := range []struct{ name, access string }{
		{"LDS", "1 R5 LDS 1 R5 4 1 0x0 4 0"}, {"LDS with conflicts", "1 R5 LDS 1 R5 4 1 0x0 128 0"},
		{"LDS.64", "1 R5 LDS.64 1 R5 8 1 0x0 8 0"},
		{"ATOMS", "1 R5 ATOMS.ADD 2 R5 R6 4 1 0x0 4 0"}, {"LDG", "1 R5 LDG.E 1 R5 4 1 0x7f0000000000 4 0"},
		{"LDG.128", "1 R5 LDG.E.128 1 R5 16 1 0x7f0000000000 16 0"}, {"LDL", "1 R5 LDL 1 R5 4 1 0xfffdc0 0 0"},
	} {
		chain := alone{name: x.name + " in a chain", warps: 1, slack: chainSlack}
		for range inChain {
			chain.body = append(chain.body, x.access)
		}
		list = append(list, chain)
	}
	return list
}

// handCapture writes programs as the kernels of a capture, and returns its list.
func handCapture(t *testing.T, list []alone, sm uint32) string {
	dir := t.TempDir()
	var names strings.Builder
	for i, p := range list {
		var b strings.Builder
		fmt.Fprintf(&b, "-kernel name = k%d\n-kernel id = %d\n-grid dim = (1,1,1)\n-block dim = (%d,1,1)\n", i, i+1,
			32*p.warps)
		fmt.Fprintf(&b, "-shmem = 4096\n-nregs = 32\n-binary version = %d\n-cuda stream id = 0\n", sm)
		b.WriteString("-shmem base_addr = 0x0000000000000000\n-local mem base_addr = 0x0000000000000000\n" +
			"-nvbit version = none\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n" +
			"#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [address_mode] " +
			"[mem_addresses] immediate\n\n" +
			"#BEGIN_TB\n\nthread block = 0,0,0\n\n")
		for w := range p.warps {
			fmt.Fprintf(&b, "warp = %d\ninsts = %d\n", w, len(p.body)+1)
			for n, line := range append(p.body[:len(p.body):len(p.body)], "0 EXIT 0 0 0") {
				fmt.Fprintf(&b, "%04x ffffffff %s\n", 16*n, line)
			}
			b.WriteString("\n")
		}
		b.WriteString("#END_TB\n")
		name := fmt.Sprintf("kernel-%d.traceg", i+1)
		names.WriteString(name + "\n")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "kernelslist.g")
	if err := os.WriteFile(path, []byte(names.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// eachKernel has the cycles of each kernel, in their order, as Accel-Sim counts them.
type eachKernel struct {
	durations
	cycles []float64
}

func (e *eachKernel) Kernel(r *model.KernelRecord) {
	e.cycles = append(e.cycles, float64(r.End-r.FirstCTA+cycleOfPlacing))
}

// replayed returns the cycles of a capture's kernels.
func replayed(t *testing.T, list, preset string) []float64 {
	cfg, err := hardware.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	var e eachKernel
	if _, err := simulate(t.Context(), converttest.Trace(t, list), replay.AsOnAccelSim(cfg), "serial", &e); err != nil {
		t.Fatal(err)
	}
	return e.cycles
}

// Every opcode that Accel-Sim knows takes as long alone on the GPU there and here, one
// behind the other and of many warps, and so do accesses that hit.
func TestAccelSimOpcodesAlone(t *testing.T) {
	s := theSimulator(t)
	for i, file := range []string{"volta_opcode.h", "ampere_opcode.h"} {
		p := ReferencePresets[i]
		t.Run(p.Preset, func(t *testing.T) {
			list := programsAlone(t, s, file)
			path := handCapture(t, list, p.SM)
			var there []float64
			s.each = func(cycles float64) { there = append(there, cycles-launchLatency) }
			var c Counters
			if err := s.simulate(context.Background(), path, t.TempDir(), p.Config, &c); err != nil {
				t.Fatal(err)
			}
			here := replayed(t, path, p.Preset)
			if len(there) != len(list) || len(here) != len(list) {
				t.Fatalf("%d programs, %d kernels there, %d here", len(list), len(there), len(here))
			}
			for i, x := range list {
				if math.Abs(here[i]-there[i]) > max(x.slack, 0.08*there[i]*float64(x.warps/besideOf)) {
					t.Errorf("%s: %v cycles there, %v here", x.name, there[i], here[i])
				}
			}
			t.Logf("%d programs", len(list))
		})
	}
}
