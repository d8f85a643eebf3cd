package container

import "gpureplay/trace"

// The fields of every record that is stored as rows, in the order of docs/format.md.

var metaFields = []field[trace.Meta]{
	{1, "source", codeText, "converter or generator", func(m *trace.Meta) any { return &m.Source }},
	{2, "source_version", codeText, "version of the capturing tool", func(m *trace.Meta) any { return &m.SourceVersion }},
	{3, "gpu", codeText, "captured GPU", func(m *trace.Meta) any { return &m.GPU }},
	{4, "sm_version", codePlain, "compute capability × 10", func(m *trace.Meta) any { return &m.SMVersion }},
	{5, "sms", codePlain, "SMs of the captured GPU", func(m *trace.Meta) any { return &m.SMs }},
	{6, "fidelity", codePlain, "least detailed kernel with work", func(m *trace.Meta) any {
		return (*uint8)(&m.Fidelity)
	}},
	{7, "arrays_from", codeText, "where the arrays come from", func(m *trace.Meta) any { return &m.ArraysFrom }},
}

var attrFields = []field[trace.Attr]{
	{1, "key", codeText, "", func(a *trace.Attr) any { return &a.Key }},
	{2, "value", codeText, "", func(a *trace.Attr) any { return &a.Value }},
}

var arrayFields = []field[trace.Array]{
	{1, "name", codeText, "", func(a *trace.Array) any { return &a.Name }},
	{2, "base", codeDelta, "device address of the first byte", func(a *trace.Array) any { return &a.Base }},
	{3, "bytes", codePlain, "", func(a *trace.Array) any { return &a.Bytes }},
	{4, "flags", codePlain, "1 input, 2 output", func(a *trace.Array) any { return (*uint8)(&a.Flags) }},
}

// functionRow is a function without its instructions, which follow in a table
// of their own, those of function 0 first.
type functionRow struct {
	name  string
	insts uint32
}

var functionFields = []field[functionRow]{
	{1, "name", codeText, "", func(f *functionRow) any { return &f.name }},
	{2, "insts", codePlain, "number of static instructions", func(f *functionRow) any { return &f.insts }},
}

var instFields = []field[trace.Inst]{
	{1, "pc", codeDelta, "byte offset in the function", func(i *trace.Inst) any { return &i.PC }},
	{2, "opcode", codeText, "as the source writes it", func(i *trace.Inst) any { return &i.Opcode }},
	{3, "class", codePlain, "0 other ... 14 exit", func(i *trace.Inst) any { return (*uint8)(&i.Class) }},
	{4, "space", codePlain, "0 none ... 5 texture", func(i *trace.Inst) any { return (*uint8)(&i.Space) }},
	{5, "flags", codePlain, "1 load, 2 store, 4 atomic, 8 bypass, 16 bulk", func(i *trace.Inst) any {
		return (*uint8)(&i.Flags)
	}},
	{6, "width", codePlain, "bytes per thread; 0: no memory access", func(i *trace.Inst) any { return &i.Width }},
	{7, "imm", codePlain, "first immediate", func(i *trace.Inst) any { return &i.Imm }},
	{8, "dst", codeList, "registers written", func(i *trace.Inst) any { return &i.Dst }},
	{9, "src", codeList, "registers read", func(i *trace.Inst) any { return &i.Src }},
	{10, "flat_each", codePlain, "run instead in the flat form, index plus 1; 0: itself, 4294967295: nothing",
		func(i *trace.Inst) any {
			return &i.FlatEach
		}},
	{11, "flat_last", codePlain, "run once at the end of the flat form, of a launch the end of its loop; index plus " +
		"1; 0: nothing", func(i *trace.Inst) any {
		return &i.FlatLast
	}},
}

var scopeFields = []field[trace.Scope]{
	{1, "name", codeText, "", func(s *trace.Scope) any { return &s.Name }},
	{2, "in", codePlain, "index + 1 of the scope around it; 0: none", func(s *trace.Scope) any { return &s.In }},
}

var diagFields = []field[trace.Diagnostic]{
	{1, "name", codeText, "", func(d *trace.Diagnostic) any { return &d.Name }},
	{2, "severity", codePlain, "0 info, 1 data loss, 2 error", func(d *trace.Diagnostic) any {
		return (*uint8)(&d.Severity)
	}},
	{3, "count", codePlain, "", func(d *trace.Diagnostic) any { return &d.Count }},
	{4, "help", codeText, "what it means and what to do", func(d *trace.Diagnostic) any { return &d.Help }},
}

var totalsFields = []field[trace.Totals]{
	{1, "kernels", codePlain, "", func(t *trace.Totals) any { return &t.Kernels }},
	{2, "ctas", codePlain, "", func(t *trace.Totals) any { return &t.CTAs }},
	{3, "warps", codePlain, "", func(t *trace.Totals) any { return &t.Warps }},
	{4, "warp_insts", codePlain, "", func(t *trace.Totals) any { return &t.WarpInsts }},
	{5, "thread_insts", codePlain, "", func(t *trace.Totals) any { return &t.ThreadInsts }},
	{6, "mem_insts", codePlain, "", func(t *trace.Totals) any { return &t.MemInsts }},
	{7, "host_ops", codePlain, "", func(t *trace.Totals) any { return &t.HostOps }},
	{8, "child_launches", codePlain, "", func(t *trace.Totals) any { return &t.ChildLaunches }},
	{9, "threads", codePlain, "highest host thread; 0: one thread", func(t *trace.Totals) any { return &t.Threads }},
	{10, "graphs", codePlain, "launches of graphs", func(t *trace.Totals) any { return &t.Graphs }},
}

var kernelFields = []field[trace.Kernel]{
	{1, "id", codeDelta, "dense, ascending", func(k *trace.Kernel) any { return &k.ID }},
	{2, "function", codeDelta, "", func(k *trace.Kernel) any { return &k.Function }},
	{3, "fidelity", codePlain, "0 none ... 3 warp", func(k *trace.Kernel) any { return (*uint8)(&k.Fidelity) }},
	{4, "flags", codePlain, "1 child, 2 task, 4 irregular, 8 collective, 16 programmatic", func(k *trace.Kernel) any {
		return (*uint8)(&k.Flags)
	}},
	{5, "device", codeDelta, "", func(k *trace.Kernel) any { return &k.Device }},
	{6, "grid_x", codeDelta, "CTAs", func(k *trace.Kernel) any { return &k.Grid[0] }},
	{7, "grid_y", codeDelta, "", func(k *trace.Kernel) any { return &k.Grid[1] }},
	{8, "grid_z", codeDelta, "", func(k *trace.Kernel) any { return &k.Grid[2] }},
	{9, "block_x", codeDelta, "threads", func(k *trace.Kernel) any { return &k.Block[0] }},
	{10, "block_y", codeDelta, "", func(k *trace.Kernel) any { return &k.Block[1] }},
	{11, "block_z", codeDelta, "", func(k *trace.Kernel) any { return &k.Block[2] }},
	{12, "cluster_x", codeDelta, "CTAs; 0: no cluster", func(k *trace.Kernel) any { return &k.Cluster[0] }},
	{13, "cluster_y", codeDelta, "", func(k *trace.Kernel) any { return &k.Cluster[1] }},
	{14, "cluster_z", codeDelta, "", func(k *trace.Kernel) any { return &k.Cluster[2] }},
	{15, "registers", codeDelta, "per thread", func(k *trace.Kernel) any { return &k.Registers }},
	{16, "shared_bytes", codeDelta, "per CTA", func(k *trace.Kernel) any { return &k.SharedBytes }},
	{17, "local_bytes", codeDelta, "per thread", func(k *trace.Kernel) any { return &k.LocalBytes }},
	{18, "stream", codeDelta, "", func(k *trace.Kernel) any { return &k.Stream }},
	{19, "shared_base", codeDelta, "generic window of shared memory", func(k *trace.Kernel) any { return &k.SharedBase }},
	{20, "local_base", codeDelta, "generic window of local memory", func(k *trace.Kernel) any { return &k.LocalBase }},
	{21, "host_ns", codeDelta, "recorded time + 1; 0: unknown", func(k *trace.Kernel) any {
		return recordedTime{&k.Recorded, 0}
	}},
	{22, "start_ns", codeDelta, "recorded time + 1; 0: unknown", func(k *trace.Kernel) any {
		return recordedTime{&k.Recorded, 1}
	}},
	{23, "duration_ns", codeDelta, "recorded time + 1; 0: unknown", func(k *trace.Kernel) any {
		return recordedTime{&k.Recorded, 2}
	}},
	{24, "ctas", codeDelta, "CTAs in the trace", func(k *trace.Kernel) any { return &k.CTAs }},
	{25, "warps", codeDelta, "", func(k *trace.Kernel) any { return &k.Warps }},
	{26, "warp_insts", codeDelta, "", func(k *trace.Kernel) any { return &k.WarpInsts }},
	{27, "thread_insts", codeDelta, "", func(k *trace.Kernel) any { return &k.ThreadInsts }},
	{28, "mem_insts", codeDelta, "", func(k *trace.Kernel) any { return &k.MemInsts }},
	{29, "scope", codeDelta, "index + 1; 0: none", func(k *trace.Kernel) any { return &k.Scope }},
}

var hostFields = []field[trace.HostOp]{
	{1, "kind", codePlain, "0 read ... 15 waittask", func(o *trace.HostOp) any { return (*uint8)(&o.Kind) }},
	{2, "async", codePlain, "", func(o *trace.HostOp) any { return &o.Async }},
	{3, "sync", codePlain, "", func(o *trace.HostOp) any { return &o.Sync }},
	{4, "kernel", codeDelta, "", func(o *trace.HostOp) any { return &o.Kernel }},
	{5, "array", codeDelta, "2³²-1: none", func(o *trace.HostOp) any { return &o.Array }},
	{6, "addr", codePlain, "", func(o *trace.HostOp) any { return &o.Addr }},
	{7, "bytes", codePlain, "", func(o *trace.HostOp) any { return &o.Bytes }},
	{8, "stream", codeDelta, "", func(o *trace.HostOp) any { return &o.Stream }},
	{9, "event", codeDelta, "", func(o *trace.HostOp) any { return &o.Event }},
	{10, "ns", codePlain, "zigzag; host work, or the call's own time as recorded", func(o *trace.HostOp) any {
		return &o.Ns
	}},
	{11, "host_ns", codeDelta, "recorded time + 1; 0: unknown", func(o *trace.HostOp) any {
		return recordedTime{&o.Recorded, 0}
	}},
	{12, "start_ns", codeDelta, "recorded time + 1; 0: unknown", func(o *trace.HostOp) any {
		return recordedTime{&o.Recorded, 1}
	}},
	{13, "duration_ns", codeDelta, "recorded time + 1; 0: unknown", func(o *trace.HostOp) any {
		return recordedTime{&o.Recorded, 2}
	}},
	{14, "arrival_ns", codeDelta, "zigzag", func(o *trace.HostOp) any { return &o.ArrivalNs }},
	{15, "in_bytes", codePlain, "", func(o *trace.HostOp) any { return &o.InBytes }},
	{16, "out_bytes", codePlain, "", func(o *trace.HostOp) any { return &o.OutBytes }},
	{17, "deps", codeList, "kernels", func(o *trace.HostOp) any { return &o.Deps }},
	{18, "in_copies", codePlain, "copies of a task's input; 0: one", func(o *trace.HostOp) any { return &o.InCopies }},
	{19, "scope", codeDelta, "index + 1; 0: none", func(o *trace.HostOp) any { return &o.Scope }},
	{20, "thread", codeDelta, "host thread, from 0", func(o *trace.HostOp) any { return &o.Thread }},
	{21, "process", codeDelta, "process of the thread, from 0", func(o *trace.HostOp) any { return &o.Process }},
	{22, "graph", codeDelta, "number of the graph launch, from 1; 0: none", func(o *trace.HostOp) any { return &o.Graph }},
	{23, "port", codePlain, "0 completed, 1 programmatic, 2 begun", func(o *trace.HostOp) any {
		return (*uint8)(&o.Port)
	}},
}

// blockRow is one block in the index.
type blockRow struct {
	kind   uint8  // of the first section
	bytes  uint32 // of the zstd frame
	raw    uint32 // unpacked
	crc    uint32 // CRC-32C of the frame's bytes
	rows   uint32 // of the first section
	kernel uint32 // CTA blocks: kernel of the first CTA; kernel blocks: first id
	cta    uint32 // CTA blocks: id of the first CTA
	offset int64  // in the file: the sum of the blocks before
}

var blockFields = []field[blockRow]{
	{1, "kind", codePlain, "kind of the first section", func(b *blockRow) any { return &b.kind }},
	{2, "bytes", codePlain, "length of the zstd frame", func(b *blockRow) any { return &b.bytes }},
	{3, "raw", codePlain, "length unpacked", func(b *blockRow) any { return &b.raw }},
	{4, "crc", codePlain, "CRC-32C of the frame", func(b *blockRow) any { return &b.crc }},
	{5, "rows", codePlain, "rows of the first section", func(b *blockRow) any { return &b.rows }},
	{6, "kernel", codeDelta, "first kernel", func(b *blockRow) any { return &b.kernel }},
	{7, "cta", codePlain, "first CTA", func(b *blockRow) any { return &b.cta }},
}
