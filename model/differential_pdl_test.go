package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// chainTrace is a random program of kernels that read and write parts of two small arrays. Some say where they trigger
// and wait, and some are launched programmatically.
func chainTrace(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("array a bytes=4K base=0x10000\narray b bytes=4K base=0x20000\n")
	streams, stated, says := 1+r.IntN(5)/3, r.IntN(2) == 0, r.IntN(3) > 0
	for k := range 2 + r.IntN(6) {
		ctas, warps := 1+r.IntN(6), 1+r.IntN(3)
		mark := ""
		if stated && r.IntN(3) > 0 {
			mark = " programmatic"
		}
		fmt.Fprintf(&b, "launch k%d grid=%d block=%d shared=%d stream=%d%s\n", k, ctas, 32*warps, r.IntN(3)*2500,
			r.IntN(streams), mark)
		for c := range ctas {
			fmt.Fprintf(&b, "cta %d\n", c)
			for w := range warps {
				fmt.Fprintf(&b, "warp %d\n", w)
				chainWarp(r, &b, says)
			}
		}
		if r.IntN(5) == 0 {
			b.WriteString([]string{"sync\n", "memset a async\n", "d2h b\n", "work ns=300\n", "record 1\n", "wait 1\n",
				"syncstream 0\n"}[r.IntN(7)])
		}
	}
	return b.String()
}

// chainWarp writes the instructions of a warp; says: a trigger and a wait may be among them.
func chainWarp(r *rand.Rand, b *strings.Builder, says bool) {
	for range 1 + r.IntN(6) {
		switch r.IntN(5) {
		case 0:
			randomInst(r, b)
		case 1:
			fmt.Fprintf(b, "int R%d <- R%d x%d\n", r.IntN(4), r.IntN(4), 1+r.IntN(20))
		case 2:
			fmt.Fprintf(b, "store <- R%d @0x%x+4\n", r.IntN(4), 0x10000+0x10000*r.IntN(2)+64*r.IntN(32))
		case 3:
			fmt.Fprintf(b, "load R%d <- R9 @0x%x+4\n", r.IntN(4), 0x10000+0x10000*r.IntN(2)+64*r.IntN(32))
		case 4:
			if says {
				b.WriteString([]string{"PREEXIT control\n", "ACQBULK control\n"}[r.IntN(2)])
			}
		}
	}
	fmt.Fprintf(b, "int R1 <- R1 x%d\nexit\n", 1+r.IntN(30))
}

// portedTrace is a chain whose kernels go to several streams, with events of any port between them.
func portedTrace(r *rand.Rand) string {
	lines, k := strings.Split(chainTrace(r), "\n"), 0
	for i, line := range lines {
		if !strings.HasPrefix(line, "launch ") {
			continue
		}
		head, _, _ := strings.Cut(line, " stream=")
		from, to := r.IntN(3), r.IntN(3)
		lines[i] = fmt.Sprintf("%s stream=%d%s", head, to, []string{"", " programmatic"}[r.IntN(2)])
		if k++; k > 1 && r.IntN(4) > 0 {
			lines[i] = fmt.Sprintf("record %d port=%s stream=%d\nwait %d stream=%d\n%s", 10+k,
				[]string{"programmatic", "begun", "completed"}[r.IntN(3)], from, 10+k, to, lines[i])
		}
	}
	return strings.Join(lines, "\n")
}

// Edges between streams follow their ports: the two machines agree.
func TestPortsAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 80, func(r *rand.Rand) (text string, machine []string) {
		return portedTrace(r), append(randomMachine(r), "policy="+[]string{"pdl", "pdl,trigger=begin",
			"pdl,trigger=last-load", "pdl,trigger=end,edges=all", "hyperq"}[r.IntN(5)])
	})
}

// Kernels that are launched programmatically, with triggers and waits of the path or placed: the two machines agree.
func TestPDLAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 80, func(r *rand.Rand) (text string, machine []string) {
		return chainTrace(r), append(randomMachine(r), "policy="+[]string{"pdl", "pdl,trigger=begin", "pdl,trigger=last-load",
			"pdl,trigger=end", "pdl,trigger=begin,wait=begin", "pdl,trigger=last-load,edges=all",
			"pdl,edges=all", "pdl,trigger=begin,own=moved", "pdl,trigger=last-load,edges=all,own=moved"}[r.IntN(9)])
	})
}
