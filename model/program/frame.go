package program

import (
	"math/bits"
	"slices"

	"gpureplay/trace"
)

// Stack is the program that a warp is in, and those that it returns to.
type Stack struct {
	Frame
	Callers []Frame
	entered uint32 // programs so far
}

// Frame is a program and how far a warp is in it.
type Frame struct {
	Code       *Code
	Path       []uint32
	PC         int
	MaskAt     int    // where the next of masks begins, or the path ends; 0: not looked up
	Regs       []Time // per register: ready time · 2, + 1 if it comes from memory
	Mask       uint32
	Lanes      uint32 // how many
	nextMask   int
	Mem        []trace.Access
	NextMem    int
	Lists      []uint64
	masks      []trace.MaskRun
	Launches   []trace.Launch
	NextLaunch int
	inline     *inliner  // makes more of the program
	rest       *counting // so does this; both nil: this is all
	Number     uint32    // which of the programs that its warp has entered
}

// NewFrame returns the program of a warp of the trace, at its beginning.
func NewFrame(c *Code, w *trace.Warp) Frame {
	if c.flat {
		w = c.withoutLaunches(w)
	}
	return Frame{Code: c, Path: w.Path, masks: w.Masks, Mem: w.Mem, Lists: w.Lists, Launches: w.Launches, Mask: ^uint32(0)}
}

// ChangeMask sets the mask of the next instruction.
func (f *Frame) ChangeMask() {
	for f.nextMask < len(f.masks) && int(f.masks[f.nextMask].At) <= f.PC {
		f.Mask = f.masks[f.nextMask].Mask
		f.nextMask++
	}
	f.Lanes = uint32(bits.OnesCount32(f.Mask))
	f.MaskAt = len(f.Path)
	if f.nextMask < len(f.masks) {
		f.MaskAt = min(f.MaskAt, int(f.masks[f.nextMask].At))
	}
}

// refill makes the next instructions of an inlined body, and reports whether
// there are any.
func (f *Frame) refill() (bool, error) {
	in := f.inline
	if in == nil {
		return f.rest != nil && f.rest.refill(f), nil
	}
	f.Path, f.masks, f.Mem, f.Lists, f.Launches = f.Path[:0], f.masks[:0], f.Mem[:0], f.Lists[:0], f.Launches[:0]
	f.PC, f.nextMask, f.MaskAt, f.NextMem, f.NextLaunch = 0, 0, 0, 0, 0
	for in.step < in.most && len(f.Path) < chunkSteps {
		if err := in.iterate(f); err != nil {
			return false, err
		}
		in.step++
	}
	if in.step == in.most {
		in.finish(f)
	}
	return len(f.Path) > 0, nil
}

// rewind goes to the beginning of instructions that have just been made.
func (f *Frame) rewind() { f.PC, f.nextMask, f.MaskAt, f.NextMem, f.NextLaunch = 0, 0, 0, 0, 0 }

// Next brings a warp to its next instruction: more of a program that is made in parts, or
// the program that called one that has ended. It reports whether there is one.
func (s *Stack) Next(u *Library) (bool, error) {
	for s.PC >= len(s.Path) {
		more, err := s.refill()
		if more || err != nil {
			return more, err
		}
		n := len(s.Callers)
		if n == 0 {
			return false, nil
		}
		u.inlined(&s.Frame)
		s.Frame = s.Callers[n-1]
		s.Callers = s.Callers[:n-1]
	}
	return true, nil
}

// Begin has a warp run a program that returns to none.
func (s *Stack) Begin(f Frame) {
	s.Callers, s.Frame = s.Callers[:0], f
	s.entered++
	s.Number = s.entered
}

// enter goes to a program that returns to the one before.
func (s *Stack) enter(f Frame) {
	s.Callers = append(s.Callers, s.Frame)
	s.Frame = f
	s.entered++
	s.Number = s.entered
}

// Of returns the frame of a program that the warp is in or returns to, by its number; nil: it
// has ended, and its registers may be another's.
func (s *Stack) Of(number uint32) *Frame {
	if s.Number == number {
		return &s.Frame
	}
	for i := range s.Callers {
		if s.Callers[i].Number == number {
			return &s.Callers[i]
		}
	}
	return nil
}

// Call has a warp run the bodies of refused requests before it goes on, one function
// after another.
func (s *Stack) Call(u *Library, reqs []trace.Launch) error {
	u.made = u.made[:0]
	for i := range reqs {
		r := &reqs[i]
		if r.Workload == 0 {
			continue
		}
		if err := u.tr.Kernel(r.Child, &u.kernel); err != nil {
			return err
		}
		cursor, err := u.tr.CTAs(r.Child, 0)
		if err != nil {
			return err
		}
		u.inlinerOf(u.kernel.Function).add(r, &u.kernel, cursor)
	}
	for _, in := range slices.Backward(u.made) {
		s.enter(in.frame)
		if _, err := s.refill(); err != nil {
			return err
		}
	}
	return nil
}

// inlinerOf returns the inliner of a function for the call that is being made.
func (u *Library) inlinerOf(fn uint32) *inliner {
	for _, in := range u.made {
		if in.fn == fn {
			return in
		}
	}
	in := u.takeInliner()
	c := u.Code(fn)
	in.fn, in.step, in.most, in.lanes = fn, 0, 0, in.lanes[:0]
	f := &in.frame
	f.Code, f.inline, f.Mask = c, in, ^uint32(0)
	f.Regs = slices.Grow(f.Regs[:0], c.Count)[:c.Count]
	clear(f.Regs)
	u.made = append(u.made, in)
	return in
}

// Insert has a warp execute code that the trace does not have before it goes on; reqs
// are the requests of the launch instruction in it. !ok: it has no such instruction.
func (s *Stack) Insert(u *Library, fn *trace.Function, tw *trace.Warp, reqs []trace.Launch) (ok bool) {
	in := u.takeInliner()
	in.step, in.most, in.lanes = 0, 0, in.lanes[:0]
	f := in.frame
	f.Code = u.foreignCode(fn)
	f.inline, f.Mask = in, ^uint32(0)
	f.Path, f.masks = append(f.Path[:0], tw.Path...), append(f.masks[:0], tw.Masks...)
	f.Mem, f.Lists = append(f.Mem[:0], tw.Mem...), append(f.Lists[:0], tw.Lists...)
	f.Launches = append(f.Launches[:0], reqs...)
	f.rewind()
	f.Regs = slices.Grow(f.Regs[:0], f.Code.Count)[:f.Code.Count]
	clear(f.Regs)
	if len(reqs) > 0 {
		at := slices.IndexFunc(f.Path, func(i uint32) bool { return f.Code.Ops[i].Class == trace.ClassLaunch })
		if at < 0 {
			return false
		}
		for i := range f.Launches {
			f.Launches[i].At = uint32(at)
		}
	}
	s.enter(f)
	return true
}
