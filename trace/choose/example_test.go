package choose_test

import (
	"context"
	"fmt"
	"log"

	"gpureplay/trace/choose"
	"gpureplay/trace/container"
)

// A choice keeps a part of a trace: here the second kernel, with the host's work that it needs.
func ExampleSelect() {
	all, err := container.Open("../../samples/vecadd.trace.zst")
	if err != nil {
		log.Fatal(err)
	}
	defer all.Close()
	choice, err := choose.Parse("1", "", "", "", "")
	if err != nil {
		log.Fatal(err)
	}
	part, err := choose.Select(context.Background(), all, choice)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(part.Kernels, "kernel and", part.Ops, "host operations")
	// Output: 1 kernel and 4 host operations
}
