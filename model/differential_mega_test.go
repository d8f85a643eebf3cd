package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// megaPolicies are a megakernel by default, and with settings that no default stands for.
var megaPolicies = []string{"", ",workers=1", ",workers=2,prefetch=0", ",grain=kernel", ",task-latency=0",
	",queue=1,workers=1", ",queue=1,prefetch=0,decision=40", ",schedulers=3,decision=70,task-latency=20",
	",queue=2,grain=kernel,decision=300,task-latency=0", ",cta=fill,queue=1,decision=7", ",prefetch=1,workers=1",
	",cta=fill"}

// wideTrace is a chain. Some have a kernel in front whose CTAs write one word, about as many as a task may wait for.
func wideTrace(r *rand.Rand) string {
	text := chainTrace(r)
	if r.IntN(10) > 0 {
		return text
	}
	var b strings.Builder
	ctas, word := 62+r.IntN(6), 0x10000+64*r.IntN(32)
	fmt.Fprintf(&b, "launch wide grid=%d block=32\n", ctas)
	for cta := range ctas {
		fmt.Fprintf(&b, "cta %d\nwarp 0\nint R1 <- R1 x%d\nstore <- R1 @0x%x+4\nexit\n", cta, 1+r.IntN(9), word)
	}
	return strings.Replace(text, "launch ", b.String()+"launch ", 1)
}

// Tasks of a megakernel, their dependences, scheduler warps, queue and loads ahead: the two machines agree.
func TestMegakernelAgainstReference(t *testing.T) {
	compareMany(t, 10*time.Second, 150, func(r *rand.Rand) (text string, machine []string) {
		return wideTrace(r), append(randomMachine(r), "policy=megakernel"+megaPolicies[r.IntN(len(megaPolicies))])
	})
}
