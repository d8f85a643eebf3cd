// Package gpureplay is a trace-driven GPU replay analyzer: it runs a recorded program
// again under other schedulers and launch mechanisms, and tabulates the outcome.
//
// The command is [gpureplay/cmd/replay]. A program imports these packages:
//
//   - [gpureplay/trace] reads and writes traces: kernels, CTAs, accesses, launches.
//   - [gpureplay/model] is the machine: the host, the GPU and its memory.
//   - [gpureplay/policies] holds the schedulers and launch mechanisms.
//   - [gpureplay/replay] runs a trace under policies and writes tables.
//   - [gpureplay/convert] makes traces of profilers' and simulators' files.
package gpureplay
