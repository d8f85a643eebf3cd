package text

import (
	"bufio"
	"fmt"
	"gpureplay/trace"
	"gpureplay/trace/internal/words"
	"io"
	"strconv"
	"strings"
)

// writer writes the canonical text of a trace: every value once, in the
// order program, host operations, kernels. Errors of out stay in the
// bufio.Writer until its Flush.
type writer struct {
	*bufio.Writer
	p      *trace.Program
	arrays []string   // how each array is named
	fns    []string   // how each function is named
	labels [][]string // of each function's instructions
	buf    []byte
}

// Write writes the text form of a trace. [Parse] of it gives the same trace, and Write of that the same text. It
// returns an error if r or out fails.
func Write(out io.Writer, r trace.Source) error {
	t := &writer{Writer: bufio.NewWriterSize(out, 64<<10), p: r.Program()}
	t.names()
	t.program()
	if err := t.hostOps(r); err != nil {
		return err
	}
	var k trace.Kernel
	for id := range r.Kernels() {
		if err := r.Kernel(uint32(id), &k); err != nil {
			return err
		}
		if err := t.kernel(r, &k); err != nil {
			return err
		}
	}
	return t.Flush()
}

// names decides how arrays and functions are referred to: by name, or by index
// where several have the name.
func (t *writer) names() {
	count := map[string]int{}
	for _, a := range t.p.Arrays {
		count[a.Name]++
	}
	for i, a := range t.p.Arrays {
		t.arrays = append(t.arrays, reference(a.Name, i, count[a.Name]))
	}
	clear(count)
	for _, f := range t.p.Functions {
		count[f.Name]++
	}
	for i, f := range t.p.Functions {
		t.fns = append(t.fns, reference(f.Name, i, count[f.Name]))
		tf := function{labels: map[string]uint32{}}
		labels := make([]string, len(f.Insts))
		for j := range f.Insts {
			labels[j] = tf.freeLabel(f.Insts[j].PC)
			tf.labels[labels[j]] = uint32(j)
		}
		t.labels = append(t.labels, labels)
	}
}

func reference(name string, i, count int) string {
	if count > 1 {
		return strconv.Itoa(i)
	}
	return quoteName(name)
}

func (t *writer) program() {
	m := &t.p.Meta
	fmt.Fprintf(t, "trace %d\nmeta source=%q version=%q gpu=%q sm=%d sms=%d fidelity=%s arrays=%q\n",
		trace.Version, m.Source, m.SourceVersion, m.GPU, m.SMVersion, m.SMs, m.Fidelity, m.ArraysFrom)
	for _, a := range m.Attrs {
		fmt.Fprintf(t, "attr %q %q\n", a.Key, a.Value)
	}
	for _, s := range t.p.Scopes {
		fmt.Fprintf(t, "scope %s", quoteName(s.Name))
		t.scope("in", s.In)
		t.WriteByte('\n')
	}
	for _, d := range t.p.Diagnostics {
		fmt.Fprintf(t, "diagnostic %s %s count=%d help=%q\n", quoteName(d.Name), d.Severity, d.Count, d.Help)
	}
	for _, a := range t.p.Arrays {
		fmt.Fprintf(t, "array %s base=%#x bytes=%d%s\n", quoteName(a.Name), a.Base, a.Bytes,
			words.Flags(words.ArrayFlag[:], uint8(a.Flags)))
	}
	var b strings.Builder
	for i, f := range t.p.Functions {
		fmt.Fprintf(t, "function %s\n", quoteName(f.Name))
		for j := range f.Insts {
			b.Reset()
			writeInst(&b, &f.Insts[j])
			fmt.Fprintf(t, "  %s: %s\n", t.labels[i][j], b.String())
		}
	}
}

func (t *writer) hostOps(r trace.Source) error {
	for op, err := range trace.Each(r.HostOps()) {
		if err != nil {
			return err
		}
		t.op(op)
	}
	return nil
}

func (t *writer) op(op *trace.HostOp) {
	t.WriteString(op.Kind.String())
	if op.Array != trace.NoArray {
		t.WriteString(" " + t.arrays[op.Array])
		a := &t.p.Arrays[op.Array]
		if op.Bytes == 0 && a.Bytes != 0 {
			t.WriteString(" bytes=0")
		}
		if op.Kind.IsCopy() && op.Addr == 0 && a.Base != 0 {
			t.WriteString(" addr=0x0")
		}
	}
	op = t.opObject(op)
	for _, f := range [...]struct {
		key string
		v   uint64
		hex bool
	}{{"bytes", op.Bytes, false}, {"addr", op.Addr, true}, {"kernel", uint64(op.Kernel), false},
		{"stream", op.Stream, false},
		{"event", op.Event, false}, {"in", op.InBytes, false}, {"copies", uint64(op.InCopies), false},
		{"out", op.OutBytes, false},
		{"thread", uint64(op.Thread), false}, {"process", uint64(op.Process), false},
		{"graph", uint64(op.Graph), false}} {
		switch {
		case f.v == 0:
		case f.hex:
			fmt.Fprintf(t, " %s=%#x", f.key, f.v)
		default:
			fmt.Fprintf(t, " %s=%d", f.key, f.v)
		}
	}
	if op.Port != trace.PortCompleted {
		fmt.Fprintf(t, " port=%v", op.Port)
	}
	if op.Ns != 0 {
		fmt.Fprintf(t, " ns=%d", op.Ns)
	}
	if op.ArrivalNs != 0 {
		fmt.Fprintf(t, " arrival=%d", op.ArrivalNs)
	}
	for i, d := range op.Deps {
		sep := ","
		if i == 0 {
			sep = " deps="
		}
		fmt.Fprintf(t, "%s%d", sep, d)
	}
	if op.Async {
		t.WriteString(" async")
	}
	if op.Sync {
		t.WriteString(" syncs")
	}
	t.recorded(op.Recorded)
	t.scope("scope", op.Scope)
	t.WriteByte('\n')
}

// opObject writes the object of an operation as a word without a key, and returns the operation without it.
func (t *writer) opObject(op *trace.HostOp) *trace.HostOp {
	rest := *op
	switch op.Kind {
	case trace.OpLaunch, trace.OpSpawn, trace.OpWaitTask:
		fmt.Fprintf(t, " %d", op.Kernel)
		rest.Kernel = 0
	case trace.OpEventRecord, trace.OpStreamWait, trace.OpSyncEvent:
		fmt.Fprintf(t, " %d", op.Event)
		rest.Event = 0
	case trace.OpSyncStream:
		fmt.Fprintf(t, " %d", op.Stream)
		rest.Stream = 0
	case trace.OpHostWork:
		fmt.Fprintf(t, " %d", op.Ns)
		rest.Ns = 0
	}
	return &rest
}

func (t *writer) recorded(r *trace.Recorded) {
	if r == nil {
		return
	}
	for i, v := range [...]int64{r.HostNs, r.StartNs, r.DurationNs} {
		if v >= 0 {
			fmt.Fprintf(t, " %s=%d", [...]string{"host", "start", "duration"}[i], v)
		}
	}
}

// scope writes the index of a scope that is given as index + 1.
func (t *writer) scope(key string, scope uint32) {
	if scope > 0 {
		fmt.Fprintf(t, " %s=%d", key, scope-1)
	}
}

func (t *writer) kernel(r trace.Source, k *trace.Kernel) error {
	fmt.Fprintf(t, "kernel %s id=%d grid=%v block=%v regs=%d shared=%d stream=%d", t.fns[k.Function], k.ID,
		k.Grid, k.Block, k.Registers, k.SharedBytes, k.Stream)
	if k.Cluster != (trace.Dim3{}) {
		fmt.Fprintf(t, " cluster=%v", k.Cluster)
	}
	if k.Fidelity != trace.FidelityWarp {
		fmt.Fprintf(t, " fidelity=%s", k.Fidelity)
	}
	if k.LocalBytes != 0 {
		fmt.Fprintf(t, " local=%d", k.LocalBytes)
	}
	if k.Device != 0 {
		fmt.Fprintf(t, " device=%d", k.Device)
	}
	if k.SharedBase != 0 {
		fmt.Fprintf(t, " sharedbase=%#x", k.SharedBase)
	}
	if k.LocalBase != 0 {
		fmt.Fprintf(t, " localbase=%#x", k.LocalBase)
	}
	t.WriteString(words.Flags(words.KernelFlag[:], uint8(k.Flags)))
	t.recorded(k.Recorded)
	t.scope("scope", k.Scope)
	t.WriteByte('\n')
	for c, err := range trace.EachCTA(r, k.ID) {
		if err != nil {
			return err
		}
		t.cta(k, c)
	}
	return nil
}

func (t *writer) cta(k *trace.Kernel, c *trace.CTA) {
	fmt.Fprintf(t, "cta %d", c.ID)
	if c.SM >= 0 {
		fmt.Fprintf(t, " sm=%d", c.SM)
	}
	if c.Ranges != nil && len(c.Ranges) == 0 {
		t.WriteString(" ranges=none")
	}
	t.WriteByte('\n')
	t.ranges("range", c.Ranges)
	t.ranges("touch", c.Touches)
	for _, n := range c.Counts {
		fmt.Fprintf(t, " count %s x%d\n", t.labels[k.Function][n.Inst], n.Times)
	}
	for i := range c.Warps {
		w := &c.Warps[i]
		fmt.Fprintf(t, " warp %d\n", w.ID)
		t.warp(k, w)
	}
}

func (t *writer) ranges(word string, ranges []trace.Range) {
	for _, r := range ranges {
		fmt.Fprintf(t, " %s %s %s %d..%d\n", word, t.arrays[r.Array], r.Mode, r.Lo, r.Hi)
	}
}

// warp writes the steps of a warp: a line for a run of consecutive
// instructions, for a repeated one, or for one with addresses.
func (t *writer) warp(k *trace.Kernel, w *trace.Warp) {
	code, labels := t.p.Functions[k.Function].Insts, t.labels[k.Function]
	mask := blockMask(k.Block.Count(), w.ID)
	mem, masks, launches := w.Mem, w.Masks, w.Launches
	for at := 0; at < len(w.Path); {
		i := w.Path[at]
		b := append(t.buf[:0], "  "...)
		b = append(b, labels[i]...)
		suffix := len(b)
		if len(masks) > 0 && masks[0].At == uint32(at) {
			if masks[0].Mask != mask {
				b = fmt.Appendf(b, " mask=%08x", masks[0].Mask)
			}
			mask, masks = masks[0].Mask, masks[1:]
		}
		n := 1
		if code[i].Mem() && mem[0].Count > 0 {
			b = appendAccess(b, &code[i], &mem[0], w.Lists)
			mem = mem[1:]
		} else {
			repeat := at+1 < len(w.Path) && w.Path[at+1] == i
			n = plainRun(w, code, at, mem, masks, launches, repeat)
			switch {
			case n > 1 && repeat:
				b = fmt.Appendf(b, " x%d", n)
			case n > 1:
				tail := string(b[suffix:])
				b = append(append(append(b[:suffix], ".."...), labels[w.Path[at+n-1]]...), tail...)
			}
			mem = mem[memSteps(w.Path[at:at+n], code):]
		}
		t.buf = append(b, '\n')
		t.Write(t.buf)
		at += n
		for len(launches) > 0 && launches[0].At < uint32(at) {
			t.launch(&launches[0])
			launches = launches[1:]
		}
	}
}

func memSteps(path []uint32, code []trace.Inst) (n int) {
	for _, i := range path {
		if code[i].Mem() {
			n++
		}
	}
	return n
}

// plainRun returns how many steps from at on fit on one line. They are the same instruction again (repeat), or
// consecutive ones, without addresses and with the mask and the launch requests at the ends only.
func plainRun(w *trace.Warp, code []trace.Inst, at int, mem []trace.Access, masks []trace.MaskRun,
	launches []trace.Launch, repeat bool) int {
	n := 0
	for s := at; s < len(w.Path); s++ {
		i := w.Path[s]
		if s > at {
			want := w.Path[s-1]
			if !repeat {
				want++
			}
			if i != want || len(masks) > 0 && masks[0].At == uint32(s) || len(launches) > 0 && launches[0].At < uint32(s) {
				break
			}
			if repeat && len(launches) > 0 && launches[0].At == uint32(s) {
				break
			}
		}
		if code[i].Mem() {
			if mem[0].Count > 0 {
				break
			}
			mem = mem[1:]
		}
		n++
	}
	return n
}

func appendAccess(b []byte, in *trace.Inst, a *trace.Access, lists []uint64) []byte {
	if a.List > 0 {
		sep := " @"
		for _, v := range lists[a.List-1:][:a.Count] {
			b = fmt.Appendf(b, "%s%#x", sep, v)
			sep = ","
		}
		return b
	}
	b = fmt.Appendf(b, " @%#x", a.Base)
	if a.Stride != 0 {
		b = fmt.Appendf(b, "%+d", a.Stride)
	}
	if in.Flags&trace.InstBulk != 0 {
		b = fmt.Appendf(b, " n=%d", a.Count)
	}
	return b
}

func (t *writer) launch(l *trace.Launch) {
	fmt.Fprintf(t, "   child %d lane=%d work=%d params=%d", l.Child, l.Lane, l.Workload, l.ParamBytes)
	if l.Marked {
		t.WriteString(" marked")
	}
	if l.SharedSWQ {
		t.WriteString(" shared")
	}
	t.WriteByte('\n')
}
