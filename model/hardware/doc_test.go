package hardware

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// capabilityTable is docs/model/kernels.md's table of occupancy limits.
func capabilityTable() string {
	var b strings.Builder
	b.WriteString("| capability | | warps | CTAs | registers | a warp's unit | sub-partitions | shared KiB | unit | " +
		"reserved |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, k := range capabilities {
		fmt.Fprintf(&b, "| %d.%d | %s | %d | %d | %d | %d | %d | %d | %d | %d |\n", k.cc/10, k.cc%10, k.description,
			k.warps, k.ctas, k.registers, registerUnit,
			k.warpUnit, k.sharedKiB, k.sharedUnit, k.reserved)
	}
	return b.String()
}

// docs/model has the table of occupancy limits.
func TestModelDocCapabilities(t *testing.T) {
	data, err := os.ReadFile("../../docs/model/kernels.md")
	if err != nil {
		t.Fatal(err)
	}
	if table := capabilityTable(); !strings.Contains(string(data), table) {
		t.Errorf("docs/model does not have this table:\n%s", table)
	}
}
