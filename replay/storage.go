package replay

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dustin/go-humanize"

	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Storage is an assumption about the files of a capture, which records none. Data of the first copy of an array has
// been read from storage, and the last written data is written out.
type Storage struct {
	Reads, Writes         int    // arrays
	BytesRead, BytesWrite uint64 // of their files
	last                  uint32 // kernel whose arrays are taken to be written out
	copiedBack            bool   // those that the program copies back are
}

// AssumeStorage gives a trace's program the file accesses of [Storage]. Files of arrays that are copied before the
// first kernel are read side by side, before the copies. It returns an error if the trace has file accesses of its
// own.
func AssumeStorage(r *container.Reader) (*Storage, error) {
	s := &Storage{}
	ops, err := hostOps(r)
	if err != nil {
		return nil, err
	}
	arrays := r.Program().Arrays
	known := func(op *trace.HostOp) bool { return int(op.Array) < len(arrays) }
	var all, early []trace.HostOp
	seen, launched, lastLaunch := map[uint32]bool{}, false, -1
	for i := range ops {
		op := &ops[i]
		switch {
		case op.Kind == trace.OpFileRead || op.Kind == trace.OpFileWrite:
			return nil, errors.New("the trace has file accesses of its own: leave --io out")
		case op.Kind == trace.OpLaunch:
			launched, lastLaunch = true, i
		case op.Kind == trace.OpCopyH2D && known(op) && op.Bytes > 0 && !seen[op.Array]:
			seen[op.Array] = true
			read := trace.HostOp{Kind: trace.OpFileRead, Array: op.Array, Bytes: op.Bytes}
			if s.Reads, s.BytesRead = s.Reads+1, s.BytesRead+op.Bytes; launched {
				all = append(all, read)
			} else {
				early = append(early, read)
			}
		}
		all = append(all, *op)
	}
	outputs, err := s.outputs(r, ops[lastLaunch+1:])
	if err != nil {
		return nil, err
	}
	for _, a := range outputs {
		bytes := arrays[a].Bytes
		if !s.copiedBack {
			all = append(all, trace.HostOp{Kind: trace.OpCopyD2H, Array: a, Addr: arrays[a].Base, Bytes: bytes})
		}
		s.Writes, s.BytesWrite = s.Writes+1, s.BytesWrite+bytes
	}
	if len(outputs) > 0 && !s.copiedBack {
		all = append(all, trace.HostOp{Kind: trace.OpSyncDevice, Array: trace.NoArray})
	}
	for _, a := range outputs {
		all = append(all, trace.HostOp{Kind: trace.OpFileWrite, Array: a, Bytes: arrays[a].Bytes})
	}
	r.Assume(append(early, all...))
	return s, nil
}

// outputs are the arrays that the program copies back behind its last kernel; where a
// capture has no such copies, those that the last kernel that writes any writes.
func (s *Storage) outputs(r *container.Reader, behind []trace.HostOp) (all []uint32, err error) {
	for i := range behind {
		if op := &behind[i]; op.Kind == trace.OpCopyD2H && int(op.Array) < len(r.Program().Arrays) &&
			!slices.Contains(all, op.Array) {
			all = append(all, op.Array)
		}
	}
	if s.copiedBack = len(all) > 0; s.copiedBack {
		return all, nil
	}
	for k := int64(r.Program().Totals.Kernels) - 1; k >= 0 && len(all) == 0; k-- {
		s.last = uint32(k)
		if all, err = writtenBy(r, s.last); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// hostOps are all operations of a trace's program.
func hostOps(r *container.Reader) (all []trace.HostOp, err error) {
	ops := r.HostOps()
	for {
		var op trace.HostOp
		if err := ops.Next(&op); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, op)
	}
}

// writtenBy are the arrays that a kernel writes, ascending.
func writtenBy(r *container.Reader, kernel uint32) (all []uint32, err error) {
	var k trace.Kernel
	if err := r.Kernel(kernel, &k); err != nil {
		return nil, err
	}
	insts := r.Program().Functions[k.Function].Insts
	found := map[uint32]bool{}
	for c, err := range trace.EachCTA(r, kernel) {
		if err != nil {
			return nil, err
		}
		for _, t := range slices.Concat(c.Ranges, c.Touches) {
			if t.Mode&trace.Write != 0 {
				found[t.Array] = true
			}
		}
		for i := range c.Warps {
			w := &c.Warps[i]
			for in, a := range w.Accesses(insts) {
				if in.Space == trace.SpaceGlobal && in.Mode()&trace.Write != 0 {
					markArrays(r.Program().Arrays, w, a, found)
				}
			}
		}
	}
	for a := range found {
		all = append(all, a)
	}
	slices.Sort(all)
	return all, nil
}

// markArrays marks the arrays that an access's addresses lie in.
func markArrays(arrays []trace.Array, w *trace.Warp, a *trace.Access, found map[uint32]bool) {
	for addr := range a.Addresses(w.Lists) {
		for n := range arrays {
			if x := &arrays[n]; addr-x.Base < x.Bytes {
				found[uint32(n)] = true
				break
			}
		}
	}
}

// Assumption is the assumption as a sentence.
func (s *Storage) Assumption() string {
	read := "no copy to the device is recorded, so that nothing is taken to be read from storage"
	if s.Reads > 0 {
		read = fmt.Sprintf("the first copies of %d arrays (%s) are taken to have been read from storage", s.Reads,
			humanize.IBytes(s.BytesRead))
	}
	switch {
	case s.Writes == 0:
		return read + "; no kernel is known to write anything"
	case s.copiedBack:
		return fmt.Sprintf("%s, and the %d arrays that are copied back last (%s) to be written out; the capture does "+
			"not say so", read, s.Writes, humanize.IBytes(s.BytesWrite))
	}
	return fmt.Sprintf("%s, and the %d arrays that kernel %d writes, the last to write any (%s), to be copied back "+
		"and written out; the capture does not say so", read, s.Writes, s.last, humanize.IBytes(s.BytesWrite))
}
