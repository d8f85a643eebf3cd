package text

import (
	"gpureplay/trace"
	"gpureplay/trace/internal/words"
	"strconv"
	"strings"
)

// parseOp reads one host operation. "launch FUNCTION" and "spawn FUNCTION" open
// the kernel as well.
func (p *parser) parseOp(kind trace.OpKind) error {
	op := &trace.HostOp{Kind: kind, Array: trace.NoArray}
	if (kind == trace.OpLaunch || kind == trace.OpSpawn) && len(p.toks) > 1 && !p.toks[1].eq && !isIndex(p.toks[1]) {
		flags := trace.KernelFlags(0)
		if kind == trace.OpSpawn {
			flags = trace.KernelTask
		}
		id, err := p.openKernel(flags, op)
		if err != nil {
			return err
		}
		op.Kernel, op.Stream = id, p.kernel.Stream
		return p.position(p.w.Host(op))
	}
	if err := p.endKernel(); err != nil {
		return err
	}
	attrs := p.toks[1:]
	for i := 0; i < 2 && len(attrs) > 0 && !attrs[0].eq; i++ {
		ok, err := p.opPositional(op, attrs[0], i)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		attrs = attrs[1:]
	}
	for _, t := range attrs {
		if err := p.opAttr(op, t); err != nil {
			return err
		}
	}
	return p.position(p.w.Host(op))
}

func isIndex(t token) bool {
	_, err := strconv.ParseUint(t.word, 10, 32)
	return err == nil && !t.quoted
}

// opPositional takes the words of an operation that need no key: the array and
// its bytes, or the kernel, event, stream or nanoseconds.
func (p *parser) opPositional(op *trace.HostOp, t token, i int) (bool, error) {
	if !t.quoted && (t.word == "async" || t.word == "syncs") {
		return false, nil
	}
	if op.Kind.HasArray() {
		if i == 1 {
			if t.quoted || t.word[0] < '0' || t.word[0] > '9' {
				return false, nil
			}
			return true, p.u64("bytes", t.word, &op.Bytes)
		}
		id, err := p.reference("array", t, p.arrayIDs, len(p.arrays))
		if err != nil {
			return false, err
		}
		op.Array, op.Bytes = id, p.arrays[id].Bytes
		if op.Kind.IsCopy() {
			op.Addr = p.arrays[id].Base
		}
		return true, nil
	}
	if i > 0 {
		return false, nil
	}
	switch op.Kind {
	case trace.OpLaunch, trace.OpSpawn, trace.OpWaitTask:
		return true, p.u32("kernel", t.word, &op.Kernel)
	case trace.OpEventRecord, trace.OpStreamWait, trace.OpSyncEvent:
		return true, p.u64("event", t.word, &op.Event)
	case trace.OpSyncStream:
		return true, p.u64("stream", t.word, &op.Stream)
	case trace.OpHostWork:
		return true, p.i64("ns", t.word, &op.Ns)
	}
	return false, nil
}

func (p *parser) opAttr(op *trace.HostOp, t token) error {
	if !t.eq {
		switch t.word {
		case "async":
			op.Async = true
			return nil
		case "syncs":
			op.Sync = true
			return nil
		}
	}
	switch t.word {
	case "bytes":
		return p.u64(t.word, t.value, &op.Bytes)
	case "addr":
		return p.u64(t.word, t.value, &op.Addr)
	case "stream":
		return p.u64(t.word, t.value, &op.Stream)
	case "event":
		return p.u64(t.word, t.value, &op.Event)
	case "kernel":
		return p.u32(t.word, t.value, &op.Kernel)
	case "scope":
		return p.scope(t, &op.Scope)
	case "thread":
		return p.u32(t.word, t.value, &op.Thread)
	case "process":
		return p.u32(t.word, t.value, &op.Process)
	case "graph":
		return p.u32(t.word, t.value, &op.Graph)
	case "port":
		i, err := p.word(t.word, t.value, words.Port[:])
		op.Port = trace.Port(i)
		return err
	case "ns":
		return p.i64(t.word, t.value, &op.Ns)
	case "arrival":
		return p.i64(t.word, t.value, &op.ArrivalNs)
	case "in":
		return p.u64(t.word, t.value, &op.InBytes)
	case "copies":
		return p.u32(t.word, t.value, &op.InCopies)
	case "out":
		return p.u64(t.word, t.value, &op.OutBytes)
	case "deps":
		for d := range strings.SplitSeq(t.value, ",") {
			var id uint32
			if err := p.u32(t.word, d, &id); err != nil {
				return err
			}
			op.Deps = append(op.Deps, id)
		}
		return nil
	}
	if ok, err := p.recordedAttr(&op.Recorded, t); ok || err != nil {
		return err
	}
	return p.unknown(t, "bytes= addr= stream= event= kernel= scope= thread= process= graph= port= ns= arrival= "+
		"in= copies= out= deps= async syncs host= start= duration=")
}
