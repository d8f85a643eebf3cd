// Package pagoda is Pagoda (Yeh, Sabne, Sakdhnagool, Eigenmann and Rogers, PPoPP 2017).
//
// Its data structures are pure state machines: the buddy allocator of shared memory ([Buddy], section 5.1), the
// TaskTable that CPU and GPU mirror ([Table], section 4.2), the CPU thread that spawns ([Spawner]), and the
// MasterKernel threadblock with its scheduler warp and WarpTable ([MTB], algorithms 1 and 2). None knows a machine
// or a clock. [Runtime] drives them on the machine.
//
// Where the paper leaves a choice open, it is made here:
//
//  1. A taskId is column·rows + row + 2, so that 0 and 1 keep their meaning. Line 6 of algorithm 1 tests ready > 0
//     and would take the state 1 for a task; it is read as ready > 1 (section 4.2.2).
//  2. Lines 12 and 13 release the previous task; section 4.2.2 then sets the current entry to (-1,0), which the
//     listing leaves out. Both happen in one step ([Table.Release]).
//  3. Copies of entries to the GPU and copies back share one stream: they take effect in the order issued. The CPU
//     is held by a copy back, so that it never spawns into a table that is being read.
//  4. A copy back sees the GPU's states as they are when the transfer starts.
//  5. The CPU looks for a free entry in the column after the one used last, and there in the lowest free row:
//     neighbours in time go to different MTBs.
//  6. A task that the CPU released itself ends its chain: the next one is spawned with ready = -1, as the first one
//     is. A pointer to the released task would wait for ever for a state that has passed.
//  7. With one entry in all, the only task could be released by no successor while its own entry is the only room
//     for one: a table has at least two.
//  8. No free entry: the whole table is copied back, again and again until one is; the copy's own time paces it.
//  9. "No new tasks come in" is when the thread that spawns has nothing to do: it then releases the last task at
//     once. A wait reads a word, again and again, as in the public artifact: waitAll a counter of ended tasks and,
//     when that has moved, the involved entries (section 4.2), in one copy from the first to the last that has a task;
//     wait the ready field of its task's entry, and so does waitAll where one task is live. The artifact copies the
//     whole table, whose size grows with the SMs.
//  10. Of several free blocks the lowest is taken, and likewise the lowest free barrier.
//  11. Algorithm 2 takes warps from the counter with atomicDec and keeps ids >= 0; CUDA's atomicDec returns the old
//     value, which would start one warp too many. The id is the new value: n-1 down to 0, the lowest free slot
//     taking the highest id.
//  12. Line 26 passes the same counter for every threadblock; warp ids count through the task, and a warp's
//     threadblock is id / warps per threadblock.
//  13. In the artifact the scheduler warp that finds a successor's entry schedules the predecessor on its own MTB
//     ([MTBConfig].Successor). The task's doneCtr is then that of the successor's row, and a row schedules nothing
//     while its doneCtr is in use. The last task is released by the CPU to its own column (the artifact writes its
//     id into the first entry of the round).
package pagoda
