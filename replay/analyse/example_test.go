package analyse_test

import (
	"context"
	"fmt"
	"log"

	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay/analyse"
	"gpureplay/trace/container"
)

// Explain removes one cost of the machine at a time.
func ExampleExplain() {
	trace, err := container.Open("../../samples/two-streams.trace.txt")
	if err != nil {
		log.Fatal(err)
	}
	defer trace.Close()
	gpu, err := hardware.FindConfig("k20c")
	if err != nil {
		log.Fatal(err)
	}
	choices, err := policies.Parse("serial", nil)
	if err != nil {
		log.Fatal(err)
	}
	cycles, effects, err := analyse.Explain(context.Background(), trace, gpu, choices[0], nil, 1, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cycles > effects[0].Cycles)
	fmt.Println("without", effects[0].What)
	// Output:
	// true
	// without launch and dispatch latency
}
