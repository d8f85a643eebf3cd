package table_test

import (
	"fmt"

	"gpureplay/replay/table"
)

// Every output table describes itself: its rows, their order and its columns.
func ExampleDescribe() {
	for _, d := range table.Describe() {
		if d.Name == "memory" {
			fmt.Println(table.About(d.Row, d.Order))
		}
	}
	// Output:
	// One row is the L1 of an SM, a slice of the L2 or a DRAM channel, summed over the run.
	// Order: by level, then index.
}
