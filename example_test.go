package gpureplay_test

import (
	"context"
	"fmt"
	"log"

	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/trace/container"
)

// One trace under two policies on one machine.
func Example() {
	trace, err := container.Open("samples/vecadd.trace.zst")
	if err != nil {
		log.Fatal(err)
	}
	defer trace.Close()
	machine, err := hardware.FindConfig("gk110-ppcs")
	if err != nil {
		log.Fatal(err)
	}
	choices, err := policies.Parse("serial,ppcs", nil)
	if err != nil {
		log.Fatal(err)
	}
	results, err := replay.Run(context.Background(), &replay.Job{Trace: trace, Name: "vecadd", Config: machine,
		Choices: choices})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		fmt.Printf("%s: %d cycles, %.3f x\n", r.Policy, r.Run.Cycles, r.Speedup)
	}
	// Output:
	// serial: 4575102 cycles, 1.000 x
	// ppcs: 2944336 cycles, 1.554 x
}
