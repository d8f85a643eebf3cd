package samples

import "gpureplay/trace"

// Host writes one operation of the host as it is.
func (p *Program) Host(op trace.HostOp) {
	if p.err == nil {
		p.err = p.w.Host(&op)
	}
}

// FileRead reads files into the host copies of arrays (the prelude).
func (p *Program) FileRead(arrays ...Array) { p.whole(trace.OpFileRead, false, arrays) }

// FileWrite writes the host copies of arrays to files (the postlude).
func (p *Program) FileWrite(arrays ...Array) { p.whole(trace.OpFileWrite, false, arrays) }

// CopyH2D copies whole arrays to the device; the host does not wait, as in
// figure 4(a) of the CRCS paper.
func (p *Program) CopyH2D(arrays ...Array) { p.whole(trace.OpCopyH2D, true, arrays) }

// CopyD2H copies whole arrays to the host, which does not wait.
func (p *Program) CopyD2H(arrays ...Array) { p.whole(trace.OpCopyD2H, true, arrays) }

// Put copies an array to the device while the host waits.
func (p *Program) Put(a Array) { p.whole(trace.OpCopyH2D, false, []Array{a}) }

// Get copies an array to the host, which waits for it.
func (p *Program) Get(a Array) { p.whole(trace.OpCopyD2H, false, []Array{a}) }

// Memset fills an array on the device.
func (p *Program) Memset(a Array) { p.whole(trace.OpMemset, true, []Array{a}) }

// Sync lets the host wait for everything on the device.
func (p *Program) Sync() {
	p.Host(trace.HostOp{Kind: trace.OpSyncDevice, Array: trace.NoArray})
}

func (p *Program) whole(kind trace.OpKind, async bool, arrays []Array) {
	for _, a := range arrays {
		op := trace.HostOp{Kind: kind, Async: async, Array: a.Index, Addr: a.Base, Bytes: a.Bytes()}
		if kind == trace.OpFileRead || kind == trace.OpFileWrite {
			op.Addr = 0
		}
		p.Host(op)
	}
}
