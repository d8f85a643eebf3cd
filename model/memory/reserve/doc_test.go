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

// The numbers that docs/model gives for what no key sets are those of the code.
func TestModelDocNumbersOfMemory(t *testing.T) {
	data, err := os.ReadFile("../../../docs/model.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(data)), " ")
	var b bank
	for _, want := range []string{
		fmt.Sprintf("`l1.latency + %d` after an L1 hit", unit.L1Extra),
		fmt.Sprintf("distinct %d B sectors", 1<<hardware.SectorShift),
		fmt.Sprintf("a bit per cycle over a window of %s cycles", fmt.Sprintf("%d,%03d", timing.Window/1000, timing.Window%1000)),
		fmt.Sprintf("more than %s cycles for its port", fmt.Sprintf("%d,%03d", mostQueued/1000, mostQueued%1000)),
		fmt.Sprintf("A packet is %d B and what it carries", unit.RequestBytes),
		fmt.Sprintf("the number of the %d B chunk", 1<<(tags.ChunkShift+hardware.SectorShift)),
		fmt.Sprintf("up to the last %d rows of a bank", len(b.rows)),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("docs/model does not say: %s", want)
		}
	}
}
