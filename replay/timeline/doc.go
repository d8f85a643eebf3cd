// Package timeline turns the output tables of replays into a trace that
// ui.perfetto.dev opens (`replay timeline`).
//
// Each replay is a process. Under it are, where their tables are there:
//
//   - Host: a track for each stage of the program, the links among them;
//   - KMU: kernels from their arrival to their dispatch, and child launches;
//   - Kernel distributor: kernels from their dispatch to their end;
//   - SMs: a track for each SM with its CTAs from placement to end;
//   - Tasks: narrow tasks from their spawn to their output;
//   - counters of the timeline's samples.
//
// What overlaps on a track lies on lanes of the same name, which the viewer
// shows as one track.
//
// Choices:
//
//  1. Times are nanoseconds by the clock of the replay, as the viewer expects;
//     the cycles stand beside each slice. Tables in CSV do not keep the clock:
//     there, one cycle is shown as one nanosecond.
//  2. Rows are streamed. What is held in memory is a number for each kernel and
//     the lanes that overlap at one time.
//  3. The format is written by hand: a dozen fields of TracePacket
//     (protos/perfetto/trace/trace_packet.proto).
package timeline
