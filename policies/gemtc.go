package policies

import (
	"fmt"

	"gpureplay/model"
	"gpureplay/trace"
)

func init() {
	register(Policy{
		Name: "gemtc", Title: "batches of tasks from one FIFO queue on the threadblocks of a SuperKernel", Source: "Pagoda paper, sections 1, 4.2 and 6 (GeMTC)",
		Doc: "A batch of tasks is copied to the device with its inputs, and a SuperKernel starts whose threadblocks are workers: each pops a task from the one " +
			"queue, one atomic operation at a time, and runs it as a threadblock. The batch ends with its longest task; then its outputs are copied and the " +
			"next batch begins. There is neither shared memory nor synchronisation for tasks.",
		Launch: "device-kernel", Admission: "hwq", Dependency: "barrier", CTA: "fifo", Tasks: true,
		Params: append([]Param{
			{"gemtc-batch", "1536", "tasks of a batch"},
			{"gemtc-workers", "0", "threadblocks of the SuperKernel per SM; 0: as many as fit"},
		}, taskParams...),
		Adjust: adjustTasks,
		Needs: func(f *Facts) string {
			switch {
			case f.TaskShared > 0:
				return "tasks of it use shared memory, which GeMTC's workers do not give"
			case f.TaskSyncs > 0:
				return "threadblocks of its tasks synchronise, for which GeMTC's workers have no barrier"
			}
			return needsTasks(f)
		},
		Compose: func(p *model.Policy, a Args) error {
			batch, err := a.integer("gemtc-batch", 1, 1<<30)
			if err != nil {
				return err
			}
			workers, err := a.integer("gemtc-workers", 0, 1<<10)
			if err != nil {
				return err
			}
			copies, err := a.taskCopies()
			p.Tasks = &gemtc{size: int(batch), perSM: int(workers), copies: copies != model.CopiesFree}
			return err
		},
	})
}

// gemtc is GeMTC. Choices:
//
//  1. The SuperKernel is launched for each batch, after the batch has been copied,
//     with the threads and registers of the batch's most demanding task.
//  2. A pop is an atomic operation in the L2; the next begins when it is done. Its
//     few other instructions are not issued.
//  3. A task of several threadblocks is that many entries of the queue.
//  4. A batch begins when it is full or when nothing more comes; it is copied in
//     one piece, with 64 bytes a task, and its outputs likewise.
//  5. The paper gives no batch size; the default is as many as Pagoda's table holds.
type gemtc struct {
	m      *model.TaskMachine
	size   int
	perSM  int
	copies bool

	queue   taskQueue
	flush   int // tasks of queue that are not to wait for a full batch
	batch   []*model.Task
	next    int // task that is popped next
	block   uint32
	left    int // threadblocks that have not ended
	bytes   uint64
	workers []*gemtcWorker
	pop     model.Time // when the queue is free
	asking  int        // workers whose pop is on its way
}

// gemtcWorker is a threadblock of the SuperKernel.
type gemtcWorker struct {
	run   *gemtc
	index int
	res   *model.Residence
}

// Events of gemtc.
const (
	gemtcCopied  = iota // the batch is on the device
	gemtcStarted        // the SuperKernel is there
	gemtcAsk            // arg: a worker that asks for a task
	gemtcPopped         // arg: a worker that has popped
	gemtcEnded          // the last task of the batch has ended
	gemtcBack           // its outputs are on the host
)

// gemtcDescriptor is the bytes of a task's description.
const gemtcDescriptor = 64

// gemtcQueue is where the queue's counter lies, apart from every address of a
// trace.
const gemtcQueue = 1 << 57

// Start is of [model.TaskRuntime].
func (r *gemtc) Start(m *model.TaskMachine) error {
	r.m = m
	return nil
}

// Window is of [model.TaskRuntime].
func (r *gemtc) Window() int { return max(1<<13, 2*r.size) }

// Limits is of [model.LimitedRuntime].
func (r *gemtc) Limits(c *model.Config) model.ResidentLimits {
	return model.ResidentLimits{CTAs: c.SM.MaxCTAs, SharedUnit: 1}
}

// Ready is of [model.TaskRuntime].
func (r *gemtc) Ready(task *model.Task, t model.Time) error {
	if task.SharedBytes > 0 || task.Sync {
		return fmt.Errorf("task %d uses shared memory or synchronises", task.Kernel)
	}
	r.queue.push(task)
	return r.begin(t)
}

// Drain is of [model.TaskRuntime].
func (r *gemtc) Drain(t model.Time) error {
	r.flush = r.queue.len()
	return r.begin(t)
}

// begin starts the next batch if none runs.
func (r *gemtc) begin(t model.Time) error {
	n := min(r.queue.len(), r.size)
	if len(r.batch) > 0 || n == 0 || n < r.size && r.flush == 0 {
		return nil
	}
	r.flush = max(0, r.flush-n)
	r.left, r.bytes, r.next, r.block = 0, 0, 0, 0
	in := uint64(n) * gemtcDescriptor
	for range n {
		k := r.queue.pop()
		k.Record.Spawn = t
		r.batch = append(r.batch, k)
		r.left += int(k.Blocks)
		if r.copies {
			in += k.InBytes
			r.bytes += k.OutBytes
		}
	}
	_, end := r.m.Copy(true, in, t)
	r.m.At(end, gemtcCopied, 0)
	return nil
}

// Event is of [model.TaskRuntime].
func (r *gemtc) Event(kind uint8, arg uint64, t model.Time) error {
	switch kind {
	case gemtcCopied:
		c := r.m.Config()
		at := t + model.Time(c.Host.LaunchLatency) + model.Time(c.KMU.DispatchLatency)
		for _, k := range r.batch {
			k.Record.Copied, k.Record.Schedulable = t, at
		}
		r.m.At(at, gemtcStarted, 0)
	case gemtcStarted:
		return r.start(t)
	case gemtcAsk:
		r.ask(int(arg), t)
	case gemtcPopped:
		return r.popped(r.workers[arg], t)
	case gemtcEnded:
		r.release()
		end := t
		if r.bytes > 0 {
			_, end = r.m.Copy(false, r.bytes, t)
		}
		r.m.At(end, gemtcBack, 0)
	case gemtcBack:
		for _, k := range r.batch {
			r.m.Finish(k, t)
		}
		r.batch = r.batch[:0]
		return r.begin(t)
	}
	return nil
}

// start puts the SuperKernel on the SMs; every worker asks for a task.
func (r *gemtc) start(t model.Time) error {
	shape := &trace.Kernel{Block: trace.Dim3{1, 1, 1}}
	for _, k := range r.batch {
		shape.Block[0] = max(shape.Block[0], k.Threads)
		shape.Registers = max(shape.Registers, k.Registers)
	}
	r.m.Config().CapRegisters(shape)
	per, limit := r.m.ResidencesPerSM(shape)
	if r.perSM > 0 {
		per = min(per, r.perSM)
	}
	if per == 0 {
		return fmt.Errorf("a worker of %d threads with %d registers each fits no SM (%s)", shape.Block[0], shape.Registers, limit)
	}
	for n := range per * r.m.SMs() {
		w := &gemtcWorker{run: r, index: n}
		var err error
		if w.res, err = r.m.Reserve(n%r.m.SMs(), shape, w); err != nil {
			return err
		}
		r.workers = append(r.workers, w)
	}
	for n := range r.workers {
		r.ask(n, t)
	}
	return nil
}

func (r *gemtc) release() {
	for _, w := range r.workers {
		w.res.Release()
	}
	r.workers = r.workers[:0]
}

// ask begins the pop of a worker; one that comes when the queue is empty is done.
func (r *gemtc) ask(worker int, t model.Time) {
	if r.next == len(r.batch) {
		return
	}
	r.asking++
	r.pop = r.m.Atomic(r.workers[worker].res.SM(), gemtcQueue, max(t, r.pop))
	r.m.At(max(r.pop, t), gemtcPopped, uint64(worker))
}

// popped gives a worker the next threadblock of the queue.
func (r *gemtc) popped(w *gemtcWorker, t model.Time) error {
	r.asking--
	if r.next == len(r.batch) { // it was emptied meanwhile
		r.endBatch(t)
		return nil
	}
	task, block := r.batch[r.next], r.block
	if r.block++; r.block == task.Blocks {
		r.next, r.block = r.next+1, 0
	}
	cta, err := w.res.OpenCTA(task, block, t)
	if err != nil {
		return err
	}
	if task.Record.FirstWarp == model.Unset {
		task.Record.FirstWarp, task.Record.Worker = t, int32(w.index)
	}
	for i := range min(w.res.Warps(), int(task.Warps())) {
		w.res.RunTask(i, cta, uint32(i), t+1)
	}
	return nil
}

// endBatch ends the batch once its last threadblock has ended and every worker
// has found the queue empty.
func (r *gemtc) endBatch(t model.Time) {
	if r.left == 0 && r.asking == 0 {
		r.m.At(t, gemtcEnded, 0)
	}
}

// ProgramEnded is of [model.Tenant]: workers run no programs.
func (w *gemtcWorker) ProgramEnded(*model.Residence, int, model.Time) {}

// WarpEnded is of [model.Tenant]: a worker waits for its whole threadblock.
func (w *gemtcWorker) WarpEnded(*model.Residence, int, model.Time) {}

// CTAEnded is of [model.Tenant]: the worker asks for the next task.
func (w *gemtcWorker) CTAEnded(_ *model.Residence, _ *model.Task, _ uint32, t model.Time) {
	r := w.run
	if r.left--; r.left == 0 {
		r.endBatch(t + 1)
		return
	}
	r.m.At(t+1, gemtcAsk, uint64(w.index))
}
