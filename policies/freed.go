package policies

import (
	"gpureplay/model/host"
)

func init() {
	Register(Policy{
		Name: "freed", Title: "hyperq, with kernels of a stream that wait for events and copies, not for each other",
		Source: "this project",
		Doc: "A kernel begins when the copies before it in its stream, and the events that its stream waits for, let " +
			"it; kernels between two of " +
			"them run side by side. It is what the order of streams costs at most: programs rely on that order where one " +
			"kernel reads what the " +
			"one before it wrote, which a capture does not say.",
		Host: host.Freed,
	})
}
