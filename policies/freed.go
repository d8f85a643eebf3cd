package policies

import (
	"gpureplay/model/host"
)

func init() {
	Register(Policy{
		Name: "freed", Bound: true,
		Title:  "hyperq, with kernels of a stream that wait for events and copies, not for each other",
		Source: "this project",
		Doc: "A kernel begins when the copies before it in its stream, and the events that its stream waits for, let " +
			"it; kernels between two of " +
			"them run side by side. It bounds the cost of the order of streams. Programs rely on that order where " +
			"one kernel reads data of the one before; a capture does not record it.",
		Host: host.Freed,
	})
}
