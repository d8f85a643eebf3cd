package reserve

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory/tags"
	"gpureplay/model/memory/timing"
	"gpureplay/model/memory/unit"
)

// The numbers of docs/model without a key equal the code's.
func TestModelDocNumbersOfMemory(t *testing.T) {
	var all string
	for _, page := range []string{"issue", "memory", "choices"} {
		data, err := os.ReadFile("../../../docs/model/" + page + ".md")
		if err != nil {
			t.Fatal(err)
		}
		all += string(data)
	}
	text := strings.Join(strings.Fields(all), " ")
	var b bank
	for _, want := range []string{
		fmt.Sprintf("| L1 hit | `l1.latency + %d` |", unit.L1Extra),
		fmt.Sprintf("distinct sectors of %d B", 1<<hardware.SectorShift),
		fmt.Sprintf("one bit a cycle over a window of %s cycles",
			fmt.Sprintf("%d,%03d", timing.Window/1000, timing.Window%1000)),
		fmt.Sprintf("at most %s cycles for its port", fmt.Sprintf("%d,%03d", mostQueued/1000, mostQueued%1000)),
		fmt.Sprintf("A packet is %d B and its data", unit.RequestBytes),
		fmt.Sprintf("the number of the %d B chunk", 1<<(tags.ChunkShift+hardware.SectorShift)),
		fmt.Sprintf("up to the last %d rows of a bank", len(b.rows)),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("docs/model does not say: %s", want)
		}
	}
}
