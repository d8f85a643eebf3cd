package audit

import "gpureplay/model"

// chainBook checks kernels that are launched programmatically:
//
//   - chain: no more than two kernels of a stream are on the GPU.
type chainBook struct {
	a       *Auditor
	streams map[uint64][]uint32 // kernels on the GPU; nil: none are launched so
}

func newChainBook(a *Auditor) chainBook { return chainBook{a, map[uint64][]uint32{}} }

func (c *chainBook) dispatched(r *model.KernelRecord) {
	if c.streams == nil {
		return
	}
	here := append(c.streams[r.Stream], r.ID)
	if c.streams[r.Stream] = here; len(here) > 2 {
		c.a.fail("chain", r.Dispatch, "kernels %v of stream %d are on the GPU; a chain has two", here, r.Stream)
	}
}

func (c *chainBook) ended(r *model.KernelRecord) {
	here := c.streams[r.Stream]
	for i, id := range here {
		if id == r.ID {
			c.streams[r.Stream] = append(here[:i:i], here[i+1:]...)
		}
	}
}

// ahead reports whether a kernel is on the GPU with the one before it in its stream.
func (c *chainBook) ahead(kernel uint32) bool {
	for _, here := range c.streams {
		if len(here) > 1 && here[1] == kernel {
			return true
		}
	}
	return false
}
