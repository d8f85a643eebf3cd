package model_test

import (
	"context"
	"fmt"
	"log"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/trace/container"
)

// sizes prints the CTAs of each kernel at its end. It embeds the observer that discards all other records.
type sizes struct{ model.Discard }

func (sizes) Kernel(r *model.KernelRecord) { fmt.Println(r.Function, "has", r.CTAs, "CTAs") }

// A machine replays one trace under one policy, and an observer takes its records.
func ExampleNew() {
	trace, err := container.Open("../samples/two-streams.trace.txt")
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
	policy, gpu, err := choices[0].Build(gpu)
	if err != nil {
		log.Fatal(err)
	}
	m, err := model.New(trace, model.Options{Config: gpu, Policy: policy, Observer: sizes{}})
	if err != nil {
		log.Fatal(err)
	}
	summary, err := m.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(summary.Kernels, "kernels")
	// Output:
	// front has 26 CTAs
	// side has 13 CTAs
	// 2 kernels
}
