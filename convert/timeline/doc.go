// Package timeline turns a profiler's records into the host operations and kernels of a trace. A profiler has three
// kinds of records, in any order:
//
//   - activities of a device: kernels, copies and memory sets, with their times on the device ([Activity]);
//   - API calls of the host, with their times on the host ([Call]);
//   - targets of synchronising calls: the stream, the event, the call that recorded the event ([Sync]).
//
// They belong together by a correlation id. [Builder] joins them and writes the operations in the order in which
// the host issued them, in bounded memory: it sorts twice on disk.
//
// Choices, where profilers leave room:
//
//  1. Operations are ordered by the start of the calls, and each has its host thread. Time between two calls of a
//     thread is OpHostWork; a thread begins with the first call.
//  2. An activity without an API call is issued at the time when it began on the device, and no host work is charged
//     before it. Whatever the calls say, the activities of a stream are issued in the order in which they began on
//     the device (order.go).
//  3. Several calls may carry one correlation id (merged ranks, repeated captures). An activity belongs to the last
//     such call that began before it, among calls of the process that most often drives its device.
//  4. Activities of a graph that share its call are one launch of it, in the order in which they began. Their streams
//     are the profiler's, and the only edges that it knows. A kernel that began before the one before it in its stream
//     had ended is a programmatic launch (edges.go).
//  5. A stream synchronisation whose stream the profiler does not tell is taken to be for the stream that its thread
//     used last.
//  6. Queries of events do not wait, so they are not in the trace.
//  7. A wait for an event whose recording is not in the capture is left out.
//  8. With several devices a call that names none belongs to the device that its thread used last.
//  9. Copies from the device to pageable host memory block the host, whatever the call is named, as the CUDA
//     documentation says.
//  10. hipExtModuleLaunchKernel takes its grid in threads, and profilers copy that; it is divided by the block.
//  11. The Ns of an operation is the call's own time on the host. For a call that waits, it counts from the end of
//     the awaited work. Launches of more than 50 us during whose second half the device had nothing to do loaded
//     code, and count as work of the host.
//  12. A wait of a stream that the profiler does not explain is inferred from the thread's next operation and its
//     begin (infer.go).
//  13. A named range holds its thread's calls, wherever their work runs. A step of PyTorch's profiler and a range
//     that NVTX starts and ends apart hold the calls of all threads of the process (scopes.go).
//  14. Times count from the first call or activity of the capture.
//  15. The clock of a device is brought to the host's where they cannot be the same (clock.go).
//  16. A time of 0 far from all others is none, and a duration that overruns the next record is cut there (order.go).
//  17. A copy whose call returned before the copy ended holds no host, whatever the call's name.
package timeline
