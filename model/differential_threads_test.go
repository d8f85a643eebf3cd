package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gpureplay/model"
	"gpureplay/trace/tracetest"
)

// randomThreads gives the operations of a random trace to threads of two processes. Each has its streams.
func randomThreads(r *rand.Rand, text string) string {
	lines := strings.Split(text, "\n")
	threads := 2 + r.IntN(3)
	for i, line := range lines {
		word, _, _ := strings.Cut(line, " ")
		switch word {
		case "h2d", "d2h", "memset", "record", "wait", "syncevent", "syncstream", "sync", "work", "launch":
			thread := r.IntN(threads)
			lines[i] = fmt.Sprintf("%s thread=%d process=%d", line, thread, thread%2)
		}
	}
	return strings.Join(lines, "\n")
}

// Threads of the host issue by themselves: the two machines agree.
func TestThreadsAgainstReference(t *testing.T) {
	compareMany(t, 4*time.Second, 120, func(r *rand.Rand) (text string, machine []string) {
		policy := []string{"hyperq", "hyperq", "graph", "freed"}[r.IntN(4)]
		return randomThreads(r, randomTrace(r)), append(randomMachine(r), "policy="+policy)
	})
}

// A wait holds its own thread: two threads, each with kernels that it waits for, take as
// long as the longer of them.
func TestThreadsWaitAlone(t *testing.T) {
	alone := func(lines string) model.Time {
		c, policy := tiny(t, "policy=hyperq", "host.launch_latency=0")
		return replay(t, tracetest.FromText(t, lines), c, policy, nil).Cycles
	}
	kernel := func(name string, insts, thread int) string {
		return fmt.Sprintf("launch %s grid=1 block=32 stream=%d thread=%d\ncta 0\nwarp 0\n%ssyncstream %d thread=%d\n",
			name, thread, thread, strings.Repeat("int R1 <- R1\n", insts), thread, thread)
	}
	long := kernel("long", 400, 0)
	short := ""
	for range 4 {
		short += kernel("short", 20, 1)
	}
	both, one, merged := alone(long+short), alone(long), alone(strings.ReplaceAll(long+short, "thread=1", "thread=0"))
	if both != one || merged <= one {
		t.Errorf("two threads take %d cycles, the long one alone %d, both as one thread %d", both, one, merged)
	}
}
