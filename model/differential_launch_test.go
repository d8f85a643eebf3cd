package model_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// nestTrace is a random program whose kernels ask for children of a few functions.
func nestTrace(r *rand.Rand) string {
	g := &randomText{r: r, launches: 1 + r.IntN(3), streams: 1 + r.IntN(2), nested: true, requests: true}
	g.child = g.launches
	g.WriteString("array a bytes=1200 base=0x800\n")
	flat := r.IntN(2) == 0
	for n := range 2 {
		if flat {
			fmt.Fprintf(g, "function d%d\n%s", n, flatFunction)
		}
	}
	for range g.launches {
		fmt.Fprintf(g, "launch k%d ", r.IntN(3))
		g.kernel(1+r.IntN(4), fmt.Sprintf(" stream=%d", r.IntN(g.streams)), 0)
	}
	for n := 0; n < len(g.depths); n++ {
		fmt.Fprintf(g, "kernel d%d ", n%2)
		g.flat = flat
		g.kernel(1+r.IntN(3), " child", g.depths[n])
	}
	if len(g.depths) == 0 {
		return nestTrace(r)
	}
	return g.String()
}

// flatFunction has instructions that its flat form leaves out, replaces by others, one
// or two, with and without their accesses, and runs once after the last thread.
const flatFunction = `
 a: int R1 <- R2 each=4
 b: load w4 R3 <- R1 each=4 last=5
 c: atomic w4 R2 <- R3 each=5 last=6
 d: int R4 <- R1 each=none last=4
 e: int R5 <- R3 R4 each=6
 f: int R1 <- R1 R5
 g: store w4 <- R1
`

func nestMachine(r *rand.Rand, policies ...string) []string {
	return append(randomMachine(r), "policy="+policies[r.IntN(len(policies))])
}

// Aggregated groups: the two machines agree, also in the outcome of each request.
func TestGroupsAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 80, func(r *rand.Rand) (text string, machine []string) {
		return nestTrace(r), nestMachine(r, "dtbl", "dtbl,match=kde", "dtbl,agt=2,alloc=hash", "dtbl,agt=1",
			"dtbl,agt=2,match=kde,ahead=1", "dtbl,agt=0", "dtbl,agt=1,ahead=2",
			"dtbl,agt=4,alloc=hash,fallback=api", "dtbl,match=kde,fallback=api", "dtbl,kde=3", "dtbl-ideal",
			"dtbl-ideal,match=kde", "dtbl-ideal,agt=2,ahead=1", "dtbl-ideal,agt=2", "dtbl,agt=2", "dtbl-ideal,fallback=api")
	})
}

// Refused requests run in the parent's lanes, whoever refuses them.
func TestInliningAgainstReference(t *testing.T) {
	compareMany(t, time.Second, 40, func(r *rand.Rand) (text string, machine []string) {
		return nestTrace(r), nestMachine(r, "flat", "cdp", "cdp-ideal", "threshold=0", "threshold=3")
	})
}

// SPAWN refuses the same requests: of ten readings of its controller seven count a child at its arrival.
func TestSpawnAgainstReference(t *testing.T) {
	compareMany(t, time.Second, 40, spawnTrace)
}

func spawnTrace(r *rand.Rand) (text string, machine []string) {
	return nestTrace(r), nestMachine(r, "spawn", "spawn,saturate=off", "spawn,queue=3", "spawn,idle=last",
		"spawn+dtbl", "spawn+dtbl,match=kde,idle=last", "spawn+dtbl,kde=3", "spawn,count=decision",
		"spawn,count=decision,idle=last", "spawn+dtbl,count=decision")
}

// Launches that no parent waits for, at once or behind the last CTA of their kernel: the two machines agree. With few
// launches that may be pending some fail.
func TestDetachedAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 80, func(r *rand.Rand) (text string, machine []string) {
		return nestTrace(r), nestMachine(r, "cdp2", "cdp2,pending=3", "cdp2,pending=1", "cdp2,stream=tail",
			"cdp2,stream=tail,pending=4", "device-graph", "device-graph,stream=tail")
	})
}
