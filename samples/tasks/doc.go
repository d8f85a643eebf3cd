// Package tasks has programs that spawn many narrow tasks: the workloads of tables 3 and 4 of the Pagoda paper.
// Each task is a kernel of its own ([trace.KernelTask]), spawned with its arrival time and the bytes that it takes
// in and gives back.
//
// The real algorithm runs in Go, thread block by thread block, on pseudo-random inputs; each warp's execution is
// recorded as it runs. A program has as many different inputs as its parameter `inputs` says. Its tasks use them in
// pseudo-random order, each in buffers of its own. So 32 thousand tasks need no 32 thousand runs of the algorithm,
// and a million need no more memory.
//
// Points that the paper leaves open, for all workloads (each file adds its own):
//
//  1. A task has one threadblock unless `blocks` says otherwise, 128 threads unless `threads` does. Threads share
//     the task's work in a stride of warps.
//  2. Device buffers are recycled, as an allocator recycles the buffers that figure 1(a) frees: task i uses slot i
//     mod `buffers` of the arrays. The default is 2048, above the 1536 entries of the paper's TaskTable, so that
//     tasks in flight never share one.
//  3. Irregular sizes, as in the public artifact of Pagoda: the threads of each input are drawn from 32, 64, 128 and
//     256 with equal chance. Its side is threads/128 of the full one: at 128 as many as it has threads. A signal's
//     length or a packet's bytes are in proportion to the square of its threads.
//  4. Arrivals: all at 0, or a Poisson process of `rate` tasks per second.
//  5. A task's own stream is one of 32 in turn, as many as HyperQ has queues.
//  6. Registers per thread are table 3's. Instructions are counted from the source as a compiler would leave it
//     after unrolling by four, which is also how their registers chain: address arithmetic outside of the inner
//     loop. Then four loads that do not wait for each other, four uses, and one add, compare and branch.
//  7. Programs and sizes are the public artifact's (SLUD, which it lacks, is the OpenMP Task Suite's). An
//     instruction that a compiler may not move, since a store may alias a later load, stays in its place. A division
//     by a number known at run time takes 16 instructions. A task of two passes, between which the program waits, is
//     two tasks; `tasks` counts the first.
package tasks
