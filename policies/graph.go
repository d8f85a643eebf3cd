package policies

import (
	"gpureplay/model/host"
)

func init() {
	Register(Policy{
		Name: "graph", Title: "hyperq, with all that lies between two waits of the host, or a step, launched in one call",
		Source: "CUDA C++ Programming Guide, CUDA Graphs; gpu-benches, gpu-small-kernels",
		Doc: "All operations that the host issues between two of its waits are one CUDA graph: one call launches it, " +
			"and the calls of " +
			"the others and the host's work " +
			"between them are gone. Streams, events and copies are the graph's edges; the host's waits, and its work " +
			"behind a graph, stay. A " +
			"step of a capture (ProfilerStep#N) begins a graph of its own.",
		Host: host.Graph,
	})
}
