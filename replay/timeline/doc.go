// Package timeline turns the output tables of replays into a trace that ui.perfetto.dev opens (`replay timeline`).
//
// Each replay is a process. Under it are, where their tables are there:
//
//   - Host: a track for each stage of the program, the links among them;
//   - KMU: kernels from their arrival to their dispatch, and child launches;
//   - Kernel distributor: kernels from their dispatch to their end, with their calls for children;
//   - Streams: kernels of the host from their first CTA to their end;
//   - SMs: a track for each SM with its CTAs from placement to end, or a counter;
//   - Tasks: narrow tasks from their spawn to their output;
//   - counters of the timeline's samples.
//
// Arrows lead from a kernel's launch call, if a kernel makes it, over its wait in the KMU to its stay in the
// distributor and to its stream; of a group, to its first CTA.
//
// Overlapping slices of a track lie on lanes of the same name, which the viewer shows as one track.
//
// Choices:
//
//  1. Times are nanoseconds by the clock of the replay, as the viewer expects; the cycles stand beside each slice.
//     Tables in CSV do not keep the clock: there, one cycle is shown as one nanosecond.
//  2. Rows are streamed. Memory holds a few numbers for each kernel, the lanes that overlap at one time, and the
//     parts that 4 bounds.
//  3. The format is written by hand: a dozen fields of TracePacket (protos/perfetto/trace/trace_packet.proto).
//  4. A timeline has a million events at most. Each replay and table gets the same part, in the order of its rows.
//     Of more than 2,000 CTAs of a replay there is a counter for each SM, of means over 512 parts at most; of more
//     than 4,096 windows of the table timeline some are merged, with the highest of their levels and the sums of
//     their amounts. Of kernels that wait at one time 16 are shown, the others counted. [Stats.Left] counts the
//     rest.
package timeline
