package model_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// randomDRAM returns changes of the tiny machine's channels.
func randomDRAM(set func(key string, values ...any)) {
	set("dram.bank_groups", 1, 1, 2, 4)
	set("dram.tccdl", 0, 3, 9)
	set("dram.trtpl", 0, 4, 15)
	set("dram.lead", 0, 3, 70)
	set("dram.clock_sums", false, true)
	set("dram.dual_bus", true, false)
}

// Machines whose channels are crowded, with all kinds of timings, agree with the reference model.
func TestFRFCFSAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 60, func(r *rand.Rand) (text string, machine []string) {
		text, machine = randomTrace(r), append(randomMachine(r), "memory.engine=cycle")
		set := func(key string, values ...any) {
			machine = append(machine, fmt.Sprintf("%s=%v", key, values[r.IntN(len(values))]))
		}
		set("l1.bypass_latency", 0, 20)
		set("l1.mshrs", 0, 8, 64)
		set("l2.latency", 1, 7, 30)
		set("l2.queue", 1, 2, 8)
		set("l2.mshrs", 0, 1, 3, 8)
		set("l2.merge", 0, 1, 2)
		set("dram.latency", 0, 5, 40)
		set("dram.window", 1, 2, 8)
		set("dram.trcd", 0, 3, 10)
		set("dram.tras", 0, 12, 25)
		set("dram.trp", 0, 4, 10)
		set("dram.trc", 0, 20, 35)
		set("dram.tcl", 0, 8, 15)
		set("dram.twl", 0, 4, 12)
		set("dram.tcdlr", 0, 3)
		set("dram.twr", 0, 5, 13)
		set("dram.tccd", 0, 1, 2, 5)
		set("dram.burst_bytes", 8, 16, 32, 32, 64)
		if r.IntN(2) == 0 { // few rows' turns between two refreshes
			set("dram.banks", 1, 2)
			set("dram.trefi", 90, 150)
			machine = append(machine, "dram.mapping=", "dram.bank_hash=linear", "l2.hash=linear")
		}
		if r.IntN(2) == 0 {
			machine = append(machine, writeQueue(r)...)
		}
		if r.IntN(2) == 0 {
			machine = append(machine, fewSets(r, machine)...)
		}
		return text, machine
	})
}

// fewSets gives a machine an L2 of few sets a slice: wide ones, which find and order their lines in another way, or
// so few that copies evict each other.
func fewSets(r *rand.Rand, machine []string) []string {
	last := map[string]int{}
	for _, line := range machine {
		key, value, _ := strings.Cut(line, "=")
		if n, err := strconv.Atoi(value); err == nil {
			last[key] = n
		}
	}
	ways := []int{1, 2, 17, 24}[r.IntN(4)]
	bytes := last["l2.line_bytes"] * last["l2.slices"] * ways << r.IntN(2)
	for bytes < 128 { // l2.bytes is no less
		bytes *= 2
	}
	return []string{"l2.set_hash=spread", "l2.copies_warm=true", fmt.Sprintf("l2.ways=%d", ways),
		fmt.Sprintf("l2.bytes=%d", bytes)}
}

// writeQueue gives the channels of a machine a queue of write-backs.
func writeQueue(r *rand.Rand) []string {
	size := 1 + r.IntN(8)
	high := 1 + r.IntN(size)
	return []string{fmt.Sprintf("dram.write_queue=%d", size), fmt.Sprintf("dram.write_high=%d", high),
		fmt.Sprintf("dram.write_low=%d", 1+r.IntN(high))}
}
