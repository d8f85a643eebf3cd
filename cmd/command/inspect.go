package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/samples"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/text"
)

func init() { register((*app).inspectCommand) }

// traceColumns are the columns that every row of a trace has.
const traceColumns = `
trace string: path of the trace
source string: format that it was made from
source_version string: version of the profiler or tracer
gpu string: GPU that it was captured on
sm_version integer: compute capability times ten; 0: unknown
fidelity string: detail of the least detailed kernel
arrays_from string: source of the arrays
functions integer: device functions
kernels integer: kernels
ctas integer: CTAs
warps integer: warps
warp_instructions integer: warp instructions
thread_instructions integer: warp instructions times their active lanes
memory_instructions integer: memory instructions
host_operations integer: operations of the host
child_launches integer: launches by the device
hash string: hash of its content
bytes integer: size of the file
grid_ctas integer: CTAs of all grids
programmatic_launches integer: kernels launched with programmatic stream serialization
graph_launches integer: launches of CUDA graphs
streams integer: streams
recorded_span_ns integer?: recorded length of a capture`

var traceRows = rowsOf("traces", "a trace", traceColumns+`
arrays integer: arrays`)

var inspectRows = rowsOf("trace_contents", "a trace with its contents", traceColumns+`
arrays array: its arrays, with array, base, bytes, input and output
scopes array: its steps and ranges, with scope, kernels and kernel_ns
kernel_list array: its kernels, as in the table trace_kernels
policies array: policies that apply
policies_without array?: policies that do not apply, each with its reason
lacks array?: sentences about the parts that it does not have
believable string: of a capture: yes, with care or no; empty for others
findings array: of a capture: the facts behind that, with name, value and believable`)

var traceKernels = rowsOf("trace_kernels", "a kernel of a trace", `
kernel integer: its number
function string: name of the device function
function_short string: the same demangled and short
grid array: CTAs in x, y and z
block array: threads of a CTA in x, y and z
registers_per_thread integer: registers of a thread
shared_bytes integer: shared memory of a CTA
stream integer: its stream
programmatic boolean: launched with programmatic stream serialization
fidelity string: detail of its records
inferred string: the part of its work that is inferred
ctas integer: CTAs in the trace
warp_instructions integer: warp instructions
memory_instructions integer: memory instructions`)

var hostOperations = rowsOf("host_operations", "an operation of the host", `
operation string: its kind
kernel integer: kernel that it launches
array string: array that it copies
address integer: device address
bytes integer: bytes that it moves
stream integer: its stream
event integer: its event
port string: of a record: the point of the kernel before it that completes the event
graph integer: number of the graph launch that it is part of; 0: none`)

func (a *app) inspectCommand() *cobra.Command {
	var asText bool
	var events int
	part := chooser{}
	c := &cobra.Command{
		Use:   "inspect TRACE",
		Short: "show the contents of a trace, its gaps, and the policies that apply",
		Example: "  replay inspect trace.zst\n  replay inspect --kernels trace.zst\n  replay inspect --kernels=/gemm/ " +
			"--from=25% trace.zst\n  replay inspect --events 20 trace.zst\n  replay inspect --text trace.zst > trace.txt",
		Args: exactly(1, "one trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if events < 0 {
				return usagef("inspect: --events=%d: want how many, from the first", events)
			}
			if part.kernels == everyKernel {
				part.kernels = ""
			}
			if cmd.Flags().Changed("kernels") && !asText && events == 0 {
				return a.listKernels(cmd.Context(), &part, args[0])
			}
			r, err := part.open(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			defer r.Close()
			switch {
			case asText:
				return text.Write(samples.Interruptible(cmd.Context(), a.out), r)
			case events > 0:
				return a.inspectEvents(r, events)
			}
			return a.inspect(args[0], r)
		},
	}
	c.Flags().BoolVar(&asText, "text", false, "the whole trace in its text form, which docs/text.md describes")
	c.Flags().IntVar(&events, "events", 0, "the first `N` operations of the host")
	part.register(c.Flags())
	list := c.Flags().Lookup("kernels")
	list.NoOptDefVal, list.Usage = everyKernel, "one line for each kernel, or for these `KERNELS`: numbers, names, "+
		"patterns (3,5-9,gemm,/regex/)"
	return c
}

// everyKernel is the value of --kernels without one.
const everyKernel = "all"

// listKernels lists the kernels of a trace, or those that are chosen, by the numbers
// that they have in it.
func (a *app) listKernels(ctx context.Context, part *chooser, path string) error {
	r, err := a.openTrace(ctx, path)
	if err != nil {
		return err
	}
	defer r.Close()
	s, err := part.selection(ctx, r)
	if err != nil {
		return err
	}
	return a.inspectKernels(r, func(kernel uint32) bool { return s == nil || s.Has(kernel) })
}

// summary is a trace's row for machines.
func summary(path string, r *container.Reader) map[string]any {
	p := r.Program()
	t := &p.Totals
	m := map[string]any{
		"trace": path, "source": p.Meta.Source, "source_version": p.Meta.SourceVersion, "gpu": p.Meta.GPU,
		"sm_version": p.Meta.SMVersion,
		"fidelity":   p.Meta.Fidelity.String(), "arrays_from": p.Meta.ArraysFrom, "arrays": len(p.Arrays),
		"functions": len(p.Functions),
		"kernels":   t.Kernels, "ctas": t.CTAs, "warps": t.Warps, "warp_instructions": t.WarpInsts,
		"thread_instructions": t.ThreadInsts,
		"memory_instructions": t.MemInsts, "host_operations": t.HostOps, "child_launches": t.ChildLaunches, "hash": r.Hash(),
		"graph_launches": t.Graphs,
	}
	if info, err := os.Stat(path); err == nil {
		m["bytes"] = info.Size()
	}
	if s, err := shapeOf(r); err == nil { // who reads the kernels meets the error
		m["grid_ctas"], m["streams"], m["recorded_span_ns"] = s.gridCTAs, s.streams, s.span()
		m["programmatic_launches"] = s.programmatic
	}
	return m
}

// addLists adds the verdict, the scopes and the kernels to the row of a trace.
func addLists(row map[string]any, r *container.Reader) (err error) {
	if err := addVerdict(row, r); err != nil {
		return err
	}
	if row["scopes"], err = scopeRows(r); err != nil {
		return err
	}
	row["kernel_list"], err = kernelRows(r, anyKernel)
	return err
}

func (a *app) inspect(path string, r *container.Reader) error {
	facts, err := policies.ProfileTrace(r, host.NotTasks)
	if err != nil {
		return err
	}
	apply, rest, err := policies.Applicable(facts, nil)
	if err != nil {
		return err
	}
	var names []string
	for _, c := range apply {
		names = append(names, c.Label)
	}
	m := summary(path, r)
	if a.asJSON {
		m["policies"], m["policies_without"], m["lacks"] = names, rest, facts.Missing()
		m["arrays"] = arrayRows(r.Program())
		if err := addLists(m, r); err != nil {
			return err
		}
		return a.printRows(inspectRows, []map[string]any{m})
	}
	for _, k := range []string{"source", "source_version", "gpu", "sm_version", "fidelity", "hash"} {
		fmt.Fprintf(a.out, "%-20s %v\n", k, m[k])
	}
	for _, at := range r.Program().Meta.Attrs {
		fmt.Fprintf(a.out, "%-20s %s\n", at.Key, at.Value)
	}
	for _, k := range []string{"kernels", "ctas", "warps", "warp_instructions", "thread_instructions",
		"memory_instructions", "host_operations", "child_launches",
		"grid_ctas", "streams", "programmatic_launches", "graph_launches"} {
		if m[k] == uint64(0) && k != "kernels" {
			continue // not recorded, or none: inspect lists below the parts that the trace lacks
		}
		fmt.Fprintf(a.out, "%-20s %s\n", k, commas(m[k]))
	}
	if ns, ok := m["recorded_span_ns"].(int64); ok {
		fmt.Fprintf(a.out, "%-20s %s ms\n", "recorded_span", milliseconds(ns))
	}
	a.inspectArrays(r.Program())
	if err := a.inspectScopes(r); err != nil {
		return err
	}
	a.printDiagnostics(r)
	if lacks := facts.Missing(); len(lacks) > 0 {
		fmt.Fprintln(a.out, "the trace lacks:")
		for _, l := range lacks {
			fmt.Fprintf(a.out, "  %s\n", l)
		}
	}
	fmt.Fprintf(a.out, "policies that apply: %s\n", strings.Join(names, ", "))
	for _, x := range reasonsOf(rest) {
		fmt.Fprintf(a.out, "  not %s: %s\n", strings.Join(x.policies, ", "), x.why)
	}
	return a.verdict(r)
}

func (a *app) inspectArrays(p *trace.Program) {
	if len(p.Arrays) == 0 {
		fmt.Fprintln(a.out, "no arrays")
		return
	}
	fmt.Fprintf(a.out, "arrays (from %s):\n", p.Meta.ArraysFrom)
	g := newGrid(a.out, "array", "base", "size", "use")
	g.right(2, 3)
	for i := range p.Arrays {
		x := &p.Arrays[i]
		use := ""
		if x.Flags&trace.ArrayInput != 0 {
			use = "input "
		}
		if x.Flags&trace.ArrayOutput != 0 {
			use += "output"
		}
		g.row(x.Name, fmt.Sprintf("%#x", x.Base), humanize.IBytes(x.Bytes), use)
	}
	g.print()
}

// arrayRows are the arrays as rows for machines.
func arrayRows(p *trace.Program) []map[string]any {
	rows := []map[string]any{}
	for i := range p.Arrays {
		x := &p.Arrays[i]
		rows = append(rows, map[string]any{"array": x.Name, "base": x.Base, "bytes": x.Bytes,
			"input": x.Flags&trace.ArrayInput != 0, "output": x.Flags&trace.ArrayOutput != 0})
	}
	return rows
}

// anyKernel is a choice of every kernel.
func anyKernel(uint32) bool { return true }

// kernelRows are the kernels as rows for machines.
func kernelRows(r *container.Reader, has func(kernel uint32) bool) ([]map[string]any, error) {
	rows := []map[string]any{}
	err := eachKernel(r, has, func(k *trace.Kernel, name string) {
		rows = append(rows, map[string]any{"kernel": k.ID, "function": name, "function_short": r.ShortName(k.Function),
			"grid": k.Grid, "block": k.Block, "registers_per_thread": k.Registers,
			"shared_bytes": k.SharedBytes, "stream": k.Stream,
			"programmatic": k.Flags&trace.KernelProgrammatic != 0, "fidelity": k.Fidelity.String(),
			"inferred": trace.InferredOf(k).String(), "ctas": k.CTAs,
			"warp_instructions": k.WarpInsts, "memory_instructions": k.MemInsts})
	})
	return rows, err
}

func eachKernel(r *container.Reader, has func(kernel uint32) bool, f func(k *trace.Kernel, name string)) error {
	var k trace.Kernel
	for id := range uint32(r.Kernels()) {
		if !has(id) {
			continue
		}
		if err := r.Kernel(id, &k); err != nil {
			return err
		}
		f(&k, r.Program().Functions[k.Function].Name)
	}
	return nil
}

func (a *app) inspectKernels(r *container.Reader, has func(kernel uint32) bool) error {
	if a.asJSON {
		rows, err := kernelRows(r, has)
		if err != nil {
			return err
		}
		return a.printRows(traceKernels, rows)
	}
	g := newGrid(a.out, "kernel", "function", "grid", "block", "regs", "shared", "stream", "CTAs", "warp insts",
		"memory insts", "inferred")
	g.right(1, 5, 6, 7, 8, 9, 10)
	err := eachKernel(r, has, func(k *trace.Kernel, name string) {
		shown := trace.ShortenMiddle(r.ShortName(k.Function), widestName)
		if a.fullNames {
			shown = trace.FullName(name)
		}
		g.row(k.ID, shown, dims(k.Grid), dims(k.Block), k.Registers, k.SharedBytes, k.Stream, k.CTAs, commas(k.WarpInsts),
			commas(k.MemInsts), trace.InferredOf(k))
	})
	if err != nil {
		return err
	}
	g.print()
	return nil
}

func dims(d trace.Dim3) string { return fmt.Sprintf("%d,%d,%d", d[0], d[1], d[2]) }

func (a *app) inspectEvents(r *container.Reader, n int) error {
	rows := []map[string]any{}
	g := newGrid(a.out, "operation", "kernel", "array", "address", "bytes", "stream", "event", "graph")
	ops := r.HostOps()
	var op trace.HostOp
	for range n {
		err := ops.Next(&op)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		array := ""
		if op.Array != trace.NoArray && int(op.Array) < len(r.Program().Arrays) {
			array = r.Program().Arrays[op.Array].Name
		}
		rows = append(rows, map[string]any{"operation": op.Kind.String(), "kernel": op.Kernel, "array": array,
			"address": op.Addr,
			"bytes":   op.Bytes, "stream": op.Stream, "event": op.Event, "port": op.Port.String(), "graph": op.Graph})
		g.row(op.Kind.String(), op.Kernel, array, fmt.Sprintf("%#x", op.Addr), op.Bytes, op.Stream, op.Event, op.Graph)
	}
	if a.asJSON {
		return a.printRows(hostOperations, rows)
	}
	g.print()
	return nil
}
