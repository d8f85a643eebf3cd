package accelsim

import (
	"bufio"
	"context"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// naiveLine is an instruction line cut by strings.Fields, independently of the
// converter's lexer.
type naiveLine struct {
	pc, mask  uint64
	dst, src  []string
	opcode    string
	width     uint64
	addresses []uint64
	imm       int64
}

// naiveParse reads a grouped line of tracer 3 or newer.
func naiveParse(line string) (n naiveLine, err error) {
	f := strings.Fields(line)
	next := func() string {
		if len(f) == 0 {
			err = fmt.Errorf("%q is short", line)
			return "0"
		}
		s := f[0]
		f = f[1:]
		return s
	}
	number := func(base int) uint64 {
		v, e := strconv.ParseUint(strings.TrimPrefix(next(), "0x"), base, 64)
		if e != nil {
			err = e
		}
		return v
	}
	signed := func() int64 {
		v, e := strconv.ParseInt(next(), 10, 64)
		if e != nil {
			err = e
		}
		return v
	}
	list := func() (regs []string) {
		for range number(10) {
			regs = append(regs, next())
		}
		return regs
	}
	n.pc, n.mask = number(16), number(16)
	n.dst = list()
	n.opcode = next()
	n.src = list()
	n.width = number(10)
	if n.width > 0 {
		lanes := bits.OnesCount64(n.mask)
		switch mode := number(10); mode {
		case 0:
			for range lanes {
				n.addresses = append(n.addresses, number(16))
			}
		case 1:
			base, stride := number(16), signed()
			for i := range lanes {
				n.addresses = append(n.addresses, base+uint64(int64(i)*stride))
			}
		case 2:
			a := number(16)
			n.addresses = append(n.addresses, a)
			for range lanes - 1 {
				a += uint64(signed())
				n.addresses = append(n.addresses, a)
			}
		default:
			err = fmt.Errorf("mode %d", mode)
		}
	}
	if len(f) > 0 && f[0] != "NoVal" {
		n.imm = signed()
	}
	return n, err
}

// regName writes a register as the capture does.
func regName(r trace.Reg) string {
	return [...]string{"R", "UR", "P", "UP"}[r>>8] + strconv.Itoa(int(r&0xff))
}

func sameRegs(got []trace.Reg, want []string) bool {
	return slices.EqualFunc(got, want, func(r trace.Reg, s string) bool { return regName(r) == s })
}

// differs says how an execution differs from its line.
func (n *naiveLine) differs(e *execution) string {
	in := &e.inst
	switch {
	case uint64(e.pc) != n.pc:
		return "PC"
	case uint64(e.mask) != n.mask:
		return "mask"
	case in.Opcode != n.opcode:
		return "opcode"
	case uint64(in.Width) != n.width:
		return "width"
	case !sameRegs(in.Dst, n.dst):
		return "destinations"
	case !sameRegs(in.Src, n.src):
		return "sources"
	case in.Imm != uint64(n.imm):
		return "immediate"
	case !slices.Equal(e.addresses, n.addresses):
		return "addresses"
	}
	return ""
}

// naiveFile reads a grouped file: lines by CTA (x,y,z) and warp.
func naiveFile(t testing.TB, file string) map[string][]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := map[string][]string{}
	cta, at := "", ""
	in := bufio.NewScanner(f)
	for in.Scan() {
		line := strings.TrimSpace(in.Text())
		if v, ok := strings.CutPrefix(line, "thread block = "); ok {
			cta = v
		} else if v, ok := strings.CutPrefix(line, "warp = "); ok {
			at = cta + " " + v
		} else if line != "" && !strings.ContainsAny(line[:1], "-#cit") {
			lines[at] = append(lines[at], line)
		}
	}
	return lines
}

// compare checks kernel i of the trace against the file.
func compare(t *testing.T, r *tracetest.Recording, i int, lines map[string][]string) (n int) {
	t.Helper()
	grid := r.Kernels[i].Grid
	warps := 0
	for c := range r.CTAs[i] {
		cta := &r.CTAs[i][c]
		for w := range cta.Warps {
			warps++
			x, y, z := cta.ID%grid[0], cta.ID/grid[0]%grid[1], cta.ID/grid[0]/grid[1]
			want := lines[fmt.Sprintf("%d,%d,%d %d", x, y, z, cta.Warps[w].ID)]
			got := executions(r, i, &cta.Warps[w])
			if len(got) != len(want) {
				t.Fatalf("kernel %d CTA %d warp %d: %d instructions, want %d", i, cta.ID, cta.Warps[w].ID, len(got), len(want))
			}
			for j := range got {
				line, err := naiveParse(want[j])
				if err != nil {
					t.Fatal(err)
				}
				if what := line.differs(&got[j]); what != "" {
					t.Fatalf("kernel %d CTA %d warp %d: %s of %q is %+v", i, cta.ID, cta.Warps[w].ID, what, want[j], got[j])
				}
				n++
			}
		}
	}
	if warps != len(lines) {
		t.Errorf("kernel %d: %d warps, want %d", i, warps, len(lines))
	}
	return n
}

// captures are folders with grouped captures.
var captures = []string{
	"accelsim-rodinia-bfs-a100", "accelsim-backprop-h100", "accelsim-vectoradd-a100", "accelsim-atax-v5v6/atax-v5",
	"accelsim-atax-v5v6/atax-v6", "accelsim-ffmakernel-h100/simtune-ffmakernel-1-32-40",
	"accelsim-simpletorch-v100/traces",
}

// Every line of the real captures is in the trace as it stands.
func TestEveryLine(t *testing.T) {
	total := 0
	for _, capture := range captures {
		folder := osFolder(filepath.Join(tracetest.Data(t), capture))
		names, err := folder.Names()
		if err != nil {
			t.Fatal(err)
		}
		list, _, err := ListOf(names)
		if err != nil {
			t.Fatal(err)
		}
		r := &tracetest.Recording{}
		if err := Convert(context.Background(), folder, list, r, Options{}); err != nil {
			t.Fatal(err)
		}
		c := newConverter(context.Background(), folder, r, Options{})
		commands, err := c.commands(list)
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for _, cmd := range commands {
			if cmd.file != "" {
				total += compare(t, r, i, naiveFile(t, filepath.Join(string(folder), cmd.file)))
				i++
			}
		}
	}
	if total != 159509+79040+26601+60+60+5288+189162 {
		t.Errorf("%d lines compared", total)
	}
}
