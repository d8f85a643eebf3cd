package model_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// loopTrace is a random program whose lanes may launch children in place of a loop.
func loopTrace(r *rand.Rand) string {
	g := &randomText{r: r}
	g.WriteString(`array a bytes=1200 base=0x800
function k
0000: int R1
a: LAUNCH devlaunch pc=0x10 last=4 <- R1
0010: load w4 R2 <- R1
0020: int R3 <- R2 R3
0030: atomic w4 R4 <- R3
0040: store w4 <- R3 R4
0050: int R5 <- R3 R4
0060: EXIT exit
`)
	ctas := 1 + r.IntN(3)
	fmt.Fprintf(g, "launch k grid=%d block=64\n", ctas)
	child := 1
	for c := range ctas {
		fmt.Fprintf(g, "cta %d\n", c)
		for w := range 2 {
			fmt.Fprintf(g, "warp %d\n0000\n", w)
			for range 1 + r.IntN(3) {
				child += g.loop(child)
				g.WriteString("0050\n")
			}
			g.WriteString("0060\n")
		}
	}
	for range child - 1 {
		fmt.Fprintf(g, "kernel d grid=1 block=32 child\ncta 0\nwarp 0\nint R1 x%d\nload w4 R2 <- R1 @0x%x+4\nexit\n",
			1+r.IntN(30), 0x1000+4*r.IntN(300))
	}
	return g.String()
}

// loop writes a launch of some lanes and their loop, and returns how many children they ask for.
func (g *randomText) loop(child int) (asked int) {
	r, lanes := g.r, uint32(0)
	for range 1 + r.IntN(5) {
		lanes |= 1 << r.IntN(32)
	}
	fmt.Fprintf(g, "a mask=%x\n", lanes)
	for lane := range 32 {
		if lanes>>lane&1 > 0 {
			fmt.Fprintf(g, "child %d lane=%d work=%d params=64%s\n", child+asked, lane, 1+r.IntN(6),
				[]string{" marked", ""}[r.IntN(2)])
			asked++
		}
	}
	for range 1 + r.IntN(8) {
		inst, mask := r.IntN(4), lanes&r.Uint32()
		fmt.Fprintf(g, "00%d0 mask=%x", 1+inst, mask)
		if inst != 1 && mask != 0 {
			fmt.Fprintf(g, " @0x%x+%d", 0x1000+4*r.IntN(300), 4*r.IntN(9))
		}
		g.WriteString("\n")
	}
	return asked
}

// Loops of launches run in the lanes that launch no child, whoever decides.
func TestLoopsAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 80, func(r *rand.Rand) (text string, machine []string) {
		return loopTrace(r), nestMachine(r, "flat", "cdp", "threshold=0", "threshold=3", "spawn", "dtbl", "dtbl-ideal",
			"klap", "klap,scope=warp", "klap,scope=grid")
	})
}
