// Package gpureplay is a trace-driven GPU replay analyzer: it runs a recorded program
// again under other schedulers and launch mechanisms, and tabulates the outcome.
//
// The command is [gpureplay/cmd/replay]. A program imports these packages:
//
//   - [gpureplay/trace] defines traces: kernels, CTAs, accesses, launches. Its packages
//     container and text read and write them.
//   - [gpureplay/model] is the machine: the host, the GPU and its memory. Its package
//     hardware has the presets.
//   - [gpureplay/policies] holds the schedulers and launch mechanisms.
//   - [gpureplay/replay] runs a trace under policies and writes tables. Its package
//     analyse compares runs and captures.
//   - [gpureplay/convert] makes traces of profilers' and simulators' files.
//   - [gpureplay/samples] generates traces of the papers' workloads.
//
// docs/README.md lists all documents.
package gpureplay
