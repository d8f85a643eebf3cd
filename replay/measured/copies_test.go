package measured

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/trace/tracetest"
)

// stages is a loop whose warps copy tiles to shared memory some iterations ahead of their use (cp.async).
type stages struct {
	ahead, ctas, warps, loops, width, copies int
	accelsim                                 float64 // cycles of Accel-Sim's RTX 3070
}

// text is the trace of the loop.
func (s *stages) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "array a base=0x7f0000000000 bytes=64M\nlaunch k grid=%d block=%d shared=16384 regs=32\n", s.ctas,
		32*s.warps)
	bits := ""
	if s.width > 4 {
		bits = fmt.Sprintf(".%d", 8*s.width)
	}
	for warp := range s.ctas * s.warps {
		if warp%s.warps == 0 {
			fmt.Fprintf(&b, "cta %d\n", warp/s.warps)
		}
		fmt.Fprintf(&b, "warp %d\n", warp%s.warps)
		fetch := func(i int) {
			for j := range s.copies {
				at := 0x7f0000000000 + (warp+(i*s.copies+j)*s.warps*s.ctas)*s.width*32
				fmt.Fprintf(&b, "LDGSTS.E.BYPASS%s memory global load w%d <- R4 R6 @0x%x+%d\n", bits, s.width, at, s.width)
			}
		}
		for i := range s.ahead {
			fetch(i)
			b.WriteString("LDGDEPBAR int\n")
		}
		for i := range s.loops {
			fmt.Fprintf(&b, "DEPBAR.LE fence imm=%d\nBAR.SYNC barrier\nLDS memory shared load w4 R10 <- R12 @0x%x+4\n",
				s.ahead-1, warp%s.warps*128)
			for k := range 8 {
				fmt.Fprintf(&b, "FFMA fp32 R%d <- R10 R11 R%d\n", 14+k%4, 14+k%4)
			}
			if i+s.ahead < s.loops {
				fetch(i + s.ahead)
			}
			b.WriteString("LDGDEPBAR int\n")
		}
		b.WriteString("exit\n")
	}
	return b.String()
}

// Copies some stages ahead take as long as on Accel-Sim (73f9fac), within 1 %: a DEPBAR lets the newest groups go on.
func TestStagedCopies(t *testing.T) {
	machine, err := hardware.Preset("rtx3070")
	if err != nil {
		t.Fatal(err)
	}
	machine.Host.LaunchOverheadNs, machine.Host.LaunchLatency = 0, 0
	choices, err := policies.Parse("serial", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []stages{{3, 46, 4, 12, 4, 1, 2584}, {2, 46, 4, 6, 4, 1, 1895}, {1, 92, 4, 6, 4, 1, 3737}} {
		r := tracetest.FromText(t, s.text())
		results, err := replay.Run(t.Context(), &replay.Job{Trace: r, Name: "t", Config: machine, Choices: choices})
		if err != nil {
			t.Fatal(err)
		}
		off := 100 * (float64(results[0].Run.Cycles)/s.accelsim - 1)
		if t.Logf("%+v: %+.2f %%", s, off); math.Abs(off) > 1 {
			t.Errorf("%+v: %d cycles, %+.2f %%", s, results[0].Run.Cycles, off)
		}
	}
}
