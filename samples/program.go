package samples

import (
	"fmt"

	"gpureplay/trace"
)

// Program writes a whole program in its own order: arrays and code first, then the host's operations. The first
// error of the writer sticks: later calls do nothing, and [Program.Err] returns it.
type Program struct {
	Memory

	w       Writer
	blocks  map[trace.Dim3]*Block // by their threads
	pending []job                 // kernels with an id that are not written, in order of id
	err     error
}

// job is a kernel to be written: a small value, since a level of a program may
// have millions of children.
type job struct {
	kernel *trace.Kernel
	ctas   uint32 // of a grid in x; 0: the kernel's own grid
	body   func(b *Block)
}

// NewProgram returns an empty program.
func NewProgram(w Writer) *Program {
	return &Program{Memory: *NewMemory(w), w: w, blocks: map[trace.Dim3]*Block{}}
}

// Err returns the first error of the writer.
func (p *Program) Err() error { return p.err }

// Code starts the code of a device function.
func (p *Program) Code(name string) *Code {
	return &Code{Function: p.w.AddFunction(name), w: p.w}
}

// Launch lets the host launch a kernel on k.Stream: body records each CTA. The
// CTAs run in ascending order, and then the child kernels that they requested.
func (p *Program) Launch(k trace.Kernel, body func(b *Block)) {
	id := p.kernel(k, body)
	p.Host(trace.HostOp{Kind: trace.OpLaunch, Kernel: id, Array: trace.NoArray, Stream: k.Stream})
}

// Spawn lets the host spawn a task and returns its id. op gives arrival, bytes and dependences.
func (p *Program) Spawn(k trace.Kernel, op trace.HostOp, body func(b *Block)) uint32 {
	k.Flags |= trace.KernelTask
	op.Kind, op.Array = trace.OpSpawn, trace.NoArray
	op.Kernel = p.kernel(k, body)
	p.Host(op)
	return op.Kernel
}

// Child gives an id to a child kernel, for a [trace.Launch] of the CTA that is being recorded, and writes it after
// the kernels that have an id already. The body runs then, so it must keep its own copies.
func (p *Program) Child(k trace.Kernel, body func(b *Block)) uint32 {
	return p.ChildOf(&k, 0, body)
}

// ChildOf is [Program.Child] of a kernel that many children share, which must
// not change any more: ctas is the child's own grid in x, 0 the shared one.
func (p *Program) ChildOf(shared *trace.Kernel, ctas uint32, body func(b *Block)) uint32 {
	shared.Flags |= trace.KernelChild
	p.pending = append(p.pending, job{shared, ctas, body})
	return p.w.NextKernel() + uint32(len(p.pending)-1)
}

// kernel writes a kernel and all its descendants, and returns its id.
func (p *Program) kernel(k trace.Kernel, body func(b *Block)) uint32 {
	first := p.w.NextKernel()
	p.pending = append(p.pending, job{kernel: &k, body: body})
	for len(p.pending) > 0 && p.err == nil {
		next := p.pending[0]
		p.pending[0] = job{}
		p.pending = p.pending[1:]
		p.err = p.write(&next)
	}
	p.pending = nil
	return first
}

func (p *Program) write(j *job) error {
	k := *j.kernel
	if j.ctas > 0 {
		k.Grid = trace.Dim3{j.ctas, 1, 1}
	}
	if k.Grid.Count() == 0 || k.Grid.Count() > 1<<31 || k.Block.Count() == 0 || k.Block.Count() > 1024 {
		panic(fmt.Sprintf("samples: grid %v of blocks %v", k.Grid, k.Block))
	}
	if _, err := p.w.BeginKernel(&k); err != nil {
		return err
	}
	b := p.blocks[k.Block]
	if b == nil {
		b = newBlock(k.Block)
		p.blocks[k.Block] = b
	}
	b.Grid = k.Grid
	for id := range uint32(k.Grid.Count()) {
		b.start(id)
		j.body(b)
		if err := p.w.WriteCTA(b.finish()); err != nil {
			return err
		}
	}
	return p.w.EndKernel(k.Flags)
}
