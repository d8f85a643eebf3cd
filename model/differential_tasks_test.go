package model_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
)

// taskTrace is a random program of narrow tasks; plain ones use neither shared memory
// nor barriers, independent ones wait for none.
func taskTrace(r *rand.Rand, plain, independent bool) string {
	var b strings.Builder
	count := 1 + r.IntN(14)
	for k := range count {
		blocks, warps := 1+r.IntN(3), 1+r.IntN(3)
		fmt.Fprintf(&b, "spawn f%d grid=%d block=%d", r.IntN(2), blocks, 32*warps-r.IntN(2)*7)
		if !plain {
			fmt.Fprintf(&b, " shared=%d syncs", max(0, 1000*r.IntN(6)-2000))
		}
		for _, word := range []string{"in", "out"} {
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, " %s=%d", word, 1+r.IntN(300))
			}
		}
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, " copies=%d", r.IntN(5))
		}
		if r.IntN(4) == 0 {
			fmt.Fprintf(&b, " arrival=%d", r.IntN(3000))
		}
		if !independent && k > 0 && r.IntN(3) == 0 {
			fmt.Fprintf(&b, " deps=%d", r.IntN(k))
		}
		b.WriteString("\n")
		for c := range blocks {
			fmt.Fprintf(&b, "cta %d\n", c)
			for w := range warps {
				fmt.Fprintf(&b, "warp %d\n", w)
				for range 1 + r.IntN(8) {
					var inst strings.Builder
					if randomInst(r, &inst); plain && (strings.Contains(inst.String(), "barrier") ||
						strings.Contains(inst.String(), "shared")) {
						continue
					}
					b.WriteString(inst.String())
				}
				b.WriteString("exit\n")
			}
		}
		if r.IntN(6) == 0 {
			b.WriteString([]string{"sync\n", "work ns=200\n"}[r.IntN(2)])
		}
	}
	b.WriteString([]string{"sync\n", ""}[r.IntN(2)])
	return b.String()
}

// Pagoda: as above, beside the scheduler warps and the copies of the table.
func TestPagodaAgainstReference(t *testing.T) { compareMany(t, 2*time.Second, 40, pagodaTrace) }

func pagodaTrace(r *rand.Rand) (text string, machine []string) {
	policy := []string{
		"pagoda,rows=4", "pagoda,rows=3,mtbs=1", "pagoda,rows=2,scan=entry", "pagoda-batch,batch-size=3,rows=4",
		"pagoda,release=successor,rows=3", "pagoda,spawn-ns=60,rows=4",
		"pagoda,release=successor,rows=2,scan=entry,entry-bytes=64",
	}[r.IntN(6)]
	policy += []string{"", "", ",task-copies=phased", ",task-copies=off"}[r.IntN(4)]
	return taskTrace(r, r.IntN(2) == 0, false), append(randomMachine(r), "l1.unified=0", "l1.carveouts=", "sm.max_ctas=4",
		"policy="+policy+",executors=7,shared=4096,barriers=2")
}

// Narrow tasks as kernels in streams, one after another, fused and on the workers of
// a SuperKernel: the two machines agree, also in the times of each task.
func TestTasksAgainstReference(t *testing.T) { compareMany(t, 2*time.Second, 80, tasksTrace) }

func tasksTrace(r *rand.Rand) (text string, machine []string) {
	policy := []string{
		"hyperq", "serial", "fusion", "gemtc", "gemtc,batch=3", "gemtc,batch=4,workers=1", "hyperq,task-copies=off",
		"hyperq,task-copies=phased", "serial,task-copies=phased", "fusion,task-copies=off", "fusion,batch=0",
		"fusion,batch=3",
		"gemtc,task-copies=phased", "gemtc,task-copies=off,batch=2", "gemtc,task-copies=phased,batch=3",
	}[r.IntN(15)]
	gemtc := strings.HasPrefix(policy, "gemtc")
	text = taskTrace(r, gemtc, strings.HasPrefix(policy, "fusion"))
	machine = append(randomMachine(r), "policy="+policy)
	if gemtc && r.IntN(2) == 0 { // warps access the array of the queues' entries
		text = global.ReplaceAllString(text, "@0x20000000000$1")
		machine = append(machine, "memory.engine=cycle")
	}
	return text, machine
}

// global are the addresses of global memory in a random trace.
var global = regexp.MustCompile(`@0x(1[0-9a-f]{3})\b`)
