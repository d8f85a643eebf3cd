package pagoda_test

import (
	"fmt"

	"gpureplay/policies/pagoda"
)

// One task of 64 threads, released by the CPU since no other comes, on one MTB.
func Example() {
	table, _ := pagoda.NewTable(1, 32)
	mtb, _ := pagoda.NewMTB(table, 0, pagoda.PaperMTB())
	code := pagoda.NewCode()

	id, _ := table.Spawn(pagoda.Task{Kernel: 3, Blocks: 1, Threads: 64})
	table.Arrive()
	table.ReleaseLast()
	table.Arrive()

	instructions := 0
	for mtb.Busy() == 0 {
		instructions += code.Len(mtb.Next())
		for _, s := range mtb.Apply() {
			fmt.Printf("executor %d runs warp %d of task %d\n", s.Slot, s.Warp, s.Kernel)
		}
	}
	fmt.Println(instructions, "instructions of the scheduler warp; state", table.GPU(id).State)
	// Output:
	// executor 0 runs warp 1 of task 3
	// executor 1 runs warp 0 of task 3
	// 35 instructions of the scheduler warp; state (1,0)
}
