package policies

import (
	"gpureplay/model"
	"gpureplay/policies/pagoda"
)

// pagodaRun is Pagoda on the machine: the host's side in this file, the
// MasterKernel in pagoda_gpu.go, the data structures in package pagoda.
//
// Choices beyond those of package pagoda:
//
//  1. The MasterKernel runs when the program begins; its launch is not counted.
//  2. Inputs, entries and released last tasks share the engine to the device in
//     the order asked for; outputs and copies back share the other one. An entry
//     is 64 bytes. Calls of the host take no time of their own; pagoda-threads
//     of it hold one task each between the start of its input's copy and its
//     spawn.
//  3. wait is called for every task by a nested thread (figure 1a). When one has
//     timed out, the whole table is copied back: it serves all waits at once.
//     Beside a CPU that spawns that is every pagoda-nested-ns at most, or outputs
//     would wait until the table is full; a CPU that has nothing to spawn asks
//     every pagoda-wait-ns. Once nothing more comes before a task ends, that is
//     waitAll. The paper gives neither time.
//  4. A task's output is copied when the host has seen it end.
//  5. Idle executor warps poll their exec flag; those polls are not issued. An
//     idle scheduler warp's steps to no effect are not issued either, but its
//     place in the column moves on at the pace of one entry a scan.
//  6. The entry's accesses by scheduler and executor warps go through the memory
//     model as table accesses do; WarpTable, counters and the tree of shared
//     memory lie in shared memory and are free of bank conflicts.
//  7. An executor warp leaves a task when its stores are acknowledged, so that a
//     task that the host sees as ended has its output in memory.
//  8. Line 3 of algorithm 1 walks the column entry by entry. With a load from the
//     L2 for each, a sweep of 32 rows takes some 8 us, and since every release
//     waits for the one before it, that allows one task in 4 to 8 us: less than
//     HyperQ launches, against everything that the paper measures. So the lanes
//     read 32 entries at once, as they do in pSched and in the allocator;
//     pagoda-scan=entry is the listing to the letter.
//  9. A task that needs more registers than the MasterKernel has is run as it
//     was recorded: the spills that the cap would add are in no trace.
type pagodaRun struct {
	shape   pagodaShape
	m       *model.TaskMachine
	table   *pagoda.Table
	spawner *pagoda.Spawner
	mtbs    []*mtb
	code    pagodaCode

	queue   taskQueue // ready, no copy begun
	offered taskQueue // inputs there, to be spawned, in the order of the spawner
	copying map[uint32]*model.Task
	back    map[uint32]*model.Task // outputs on their way
	entries []*model.Task          // by pagoda.ID
	left    []uint32               // threadblocks of the task that have not ended, likewise
	scan    model.Time             // an idle scheduler warp's time for an entry
	drained bool
	sent    model.Time // arrival of the last entry sent
	alarm   model.Time
	target  pagoda.ID // entry that is copied back
	done    []pagoda.ID
}

// Kinds of events.
const (
	pagodaInput  = iota // arg: kernel; its input is on the device
	pagodaEntry         // an entry arrives
	pagodaAlarm         // the host has slept
	pagodaRead          // a copy back is asked for
	pagodaShot          // its transfer begins
	pagodaSeen          // and ends
	pagodaOutput        // arg: kernel; its output is on the host
	pagodaLook          // scheduler warps that idle look again
	pagodaFeed          // a host thread has spawned
)

// entryBytes is what a copy of an entry carries.
const entryBytes = pagoda.EntryBytes

// Window is of [model.TaskRuntime].
func (r *pagodaRun) Window() int { return 1 << 13 }

// Start is of [model.TaskRuntime].
func (r *pagodaRun) Start(m *model.TaskMachine) error {
	r.m = m
	r.copying, r.back = map[uint32]*model.Task{}, map[uint32]*model.Task{}
	r.alarm = model.Unset
	columns := m.SMs() * r.mtbsOf(m.Config())
	var err error
	if r.table, err = pagoda.NewTable(columns, r.shape.rows); err != nil {
		return err
	}
	r.entries = make([]*model.Task, int(r.table.ID(columns-1, r.shape.rows-1))+1)
	r.left = make([]uint32, len(r.entries))
	r.scan = scanCycles(m.Config())
	r.spawner, err = pagoda.NewSpawner(r.table, pagoda.Timing{
		ReleaseAfter: int64(m.Cycles(r.shape.releaseNs)), WaitTimeout: int64(max(1, m.Cycles(r.shape.waitNs))), Batch: r.shape.batch,
		Nested: int64(m.Cycles(r.shape.nestedNs)),
	})
	if err != nil {
		return err
	}
	return r.startGPU(columns)
}

// Ready is of [model.TaskRuntime].
func (r *pagodaRun) Ready(task *model.Task, t model.Time) error {
	if err := r.shape.mtb.Admits(entryOf(task)); err != nil {
		return err
	}
	r.drained = false
	r.queue.push(task)
	r.feed(t)
	return nil
}

// entryOf is what the table says about a task.
func entryOf(k *model.Task) pagoda.Task {
	return pagoda.Task{Kernel: k.Kernel, Blocks: k.Blocks, Threads: k.Threads, SharedBytes: k.SharedBytes, Sync: k.Sync}
}

// Drain is of [model.TaskRuntime].
func (r *pagodaRun) Drain(t model.Time) error {
	r.drained = true
	r.cpu(t)
	return nil
}

// feed gives each idle host thread a task: its input is copied, then it is
// offered to the spawner.
func (r *pagodaRun) feed(t model.Time) {
	for r.queue.len() > 0 && len(r.copying)+r.offered.len() < r.shape.threads {
		task := r.queue.pop()
		task.Record.Spawn = t
		if !r.shape.copies || task.InBytes == 0 {
			r.offer(task)
			continue
		}
		r.copying[task.Kernel] = task
		_, end := r.m.Copy(true, task.InBytes, t)
		r.m.At(end, pagodaInput, uint64(task.Kernel))
	}
	r.cpu(t)
}

func (r *pagodaRun) offer(task *model.Task) {
	r.offered.push(task)
	r.spawner.Offer(entryOf(task))
}

// cpu lets the spawning thread act until it sleeps or waits for a copy.
func (r *pagodaRun) cpu(t model.Time) {
	switch {
	case r.spawner.Live() == 0:
		r.spawner.WaitOver()
	case r.drained && r.queue.len() == 0 && len(r.copying) == 0:
		r.spawner.WaitAll()
	default:
		r.spawner.Wait(pagoda.NoID)
	}
	for {
		a := r.spawner.Next(int64(t))
		switch a.Act {
		case pagoda.ActSleep:
			if at := model.Time(a.Until); a.Until != pagoda.Never && at != r.alarm {
				r.alarm = at
				r.m.At(at, pagodaAlarm, 0)
			}
			return
		case pagoda.ActSend:
			r.send(a, t)
		case pagoda.ActCopyBack:
			r.target = a.ID
			r.m.At(max(t, r.sent), pagodaRead, 0)
			return
		}
	}
}

// send copies an entry to the GPU; a freed host thread takes the next task.
func (r *pagodaRun) send(a pagoda.Action, t model.Time) {
	if !a.Release {
		task := r.offered.pop()
		r.entries[a.ID], r.left[a.ID] = task, task.Blocks
	}
	_, r.sent = r.m.Copy(true, entryBytes, t)
	r.m.At(r.sent, pagodaEntry, 0)
	if !a.Release {
		r.feedLater(t)
	}
}

// feedLater lets a host thread that has spawned take its next task once the
// spawning thread has done all that it can.
func (r *pagodaRun) feedLater(t model.Time) {
	if r.queue.len() > 0 {
		r.m.At(t, pagodaFeed, 0)
	}
}

// Event is of [model.TaskRuntime].
func (r *pagodaRun) Event(kind uint8, arg uint64, t model.Time) error {
	switch kind {
	case pagodaInput:
		task := r.copying[uint32(arg)]
		delete(r.copying, uint32(arg))
		r.offer(task)
		r.cpu(t)
	case pagodaFeed:
		r.feed(t)
	case pagodaEntry:
		r.arrive(t)
	case pagodaAlarm:
		if t == r.alarm {
			r.alarm = model.Unset
			r.cpu(t)
		}
	case pagodaRead:
		r.read(t)
	case pagodaShot:
		r.spawner.Start(r.target)
	case pagodaSeen:
		r.seen(t)
	case pagodaOutput:
		task := r.back[uint32(arg)]
		delete(r.back, uint32(arg))
		r.m.Finish(task, t)
	case pagodaLook:
		r.look(t)
	}
	return nil
}

// arrive ends the copy of an entry.
func (r *pagodaRun) arrive(t model.Time) {
	id := r.table.Arrive()
	rec := &r.entries[id].Record
	if rec.Copied == model.Unset {
		rec.Copied = t
	}
	if r.table.GPU(id).Sched {
		rec.Schedulable = t
	}
	r.look(t)
}

// read asks for a copy back: all entries sent before have arrived.
func (r *pagodaRun) read(t model.Time) {
	bytes := uint64(entryBytes)
	if r.target == pagoda.NoID {
		bytes *= uint64(r.table.Columns() * r.table.Rows())
	}
	r.m.Count("pagoda_copies_back")
	start, end := r.m.Copy(false, bytes, t)
	r.m.At(start, pagodaShot, 0)
	r.m.At(end, pagodaSeen, 0)
}

// seen ends a copy back: the outputs of the tasks that have ended are copied.
func (r *pagodaRun) seen(t model.Time) {
	r.done = r.spawner.CopiedBack(int64(t), r.done[:0])
	for _, id := range r.done {
		task := r.entries[id]
		r.entries[id] = nil
		if !r.shape.copies || task.OutBytes == 0 {
			r.m.Finish(task, t)
			continue
		}
		r.back[task.Kernel] = task
		_, end := r.m.Copy(false, task.OutBytes, t)
		r.m.At(end, pagodaOutput, uint64(task.Kernel))
	}
	r.cpu(t)
}
