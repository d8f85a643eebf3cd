package workers

import (
	"bufio"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// each is the memory that a run may take: more than any sample with children takes.
const each = 512 << 20

// Default is the default number of pieces at a time: as many as there are processors, and no more than the free
// memory has room for.
func Default() int { return bounded(runtime.GOMAXPROCS(0), freeMemory()) }

// Or is n, or [Default] where n is 0.
func Or(n int) int {
	if n > 0 {
		return n
	}
	return Default()
}

func bounded(processors int, free uint64) int {
	if free == 0 {
		return processors
	}
	return max(1, int(min(uint64(processors), free/each)))
}

// freeMemory is the system's free memory, in bytes; 0 where it does not tell.
func freeMemory() uint64 {
	free := available("/proc/meminfo")
	if limit := number("/sys/fs/cgroup/memory.max"); limit > 0 && (free == 0 || limit < free) { // a container's
		return limit
	}
	return free
}

func available(path string) uint64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if word := strings.Fields(lines.Text()); len(word) == 3 && word[0] == "MemAvailable:" {
			kib, _ := strconv.ParseUint(word[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}

func number(path string) uint64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64) // "max" is no number: no limit
	return n
}
