package accelsim

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gpureplay/internal/durable"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Exported counts the written parts of an export and the parts without a place in the format.
type Exported struct {
	Kernels   int
	WarpInsts uint64
	Lost      []trace.Diagnostic // those that counted anything
}

// loss is one named count of a part that an export leaves out.
type loss int

const (
	lostOperations loss = iota
	lostRegisters
	lostOperands
	lostAddresses
	lostClusters
	numLosses
)

var losses = [numLosses]trace.Diagnostic{
	lostOperations: {Name: "host_operation", Severity: trace.DataLoss,
		Help: "operations of the host other than launches and copies to the device, which a list has no line for"},
	lostRegisters: {Name: "other_register", Severity: trace.DataLoss,
		Help: "static instructions with predicates or uniform registers, which Accel-Sim's parser does not know; they " +
			"are left out, and with them their dependences"},
	lostOperands: {Name: "many_registers", Severity: trace.DataLoss,
		Help: "static instructions with more than one destination or four sources, which Accel-Sim's parser refuses; " +
			"the others are left out"},
	lostAddresses: {Name: "no_address", Severity: trace.DataLoss,
		Help: "memory instructions without an address in the trace; they are written as if they accessed nothing"},
	lostClusters: {Name: "cluster", Severity: trace.DataLoss,
		Help: "kernels of thread block clusters; that their CTAs run together is not written"},
}

// Most operands of an instruction that Accel-Sim's parser reads (MAX_DST and MAX_SRC in trace_parser.h).
const (
	mostDst = 1
	mostSrc = 4
)

// listName is the name of the list of an exported capture.
const listName = "kernelslist.g"

// exporter writes one capture.
type exporter struct {
	ctx    context.Context
	r      *container.Reader
	folder *durable.Folder
	sm     uint32
	n      [numLosses]uint64
	done   Exported
	names  []string // of the files
	code   [][]line // of each function, once it is used
}

// Export writes a trace as a capture in a folder: [listName], and a .traceg of tracer version 5 for each launch,
// labelled with the compute capability sm x 10. Files get their names when all are complete, the list last; files
// of an earlier export go. Export returns an error if another process writes there, if the folder has files of a
// capture that no export wrote, or if the format cannot say the trace.
func Export(ctx context.Context, r *container.Reader, dir string, sm uint32) (*Exported, error) {
	folder, err := durable.OpenFolder(dir, belongs)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	defer folder.Abort()
	x := &exporter{ctx: ctx, r: r, folder: folder, sm: sm, code: make([][]line, len(r.Program().Functions))}
	if err := x.write(); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	for i, d := range losses {
		if d.Count = x.n[i]; d.Count > 0 {
			x.done.Lost = append(x.done.Lost, d)
		}
	}
	return &x.done, nil
}

// belongs reports whether a file may be taken for one of a capture.
func belongs(name string) bool { return name == listName || strings.HasSuffix(name, ".traceg") }

func (x *exporter) write() error {
	list, err := x.commands()
	if err != nil {
		return err
	}
	if x.done.Kernels == 0 {
		return errors.New("the host launches no kernel")
	}
	if err := x.file(listName, func(w *bufio.Writer) error {
		_, err := w.WriteString(list)
		return err
	}); err != nil {
		return err
	}
	return x.folder.Commit(x.names)
}

// file fills a file of the capture.
func (x *exporter) file(name string, fill func(w *bufio.Writer) error) error {
	f, err := os.Create(filepath.Join(x.folder.Stage(), name))
	if err != nil {
		return err
	}
	x.names = append(x.names, name)
	w := bufio.NewWriterSize(f, 1<<16)
	if err = fill(w); err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// commands writes the kernels in the order of their launches and returns the list.
func (x *exporter) commands() (string, error) {
	var list strings.Builder
	for op, err := range trace.Each(x.r.HostOps()) {
		if err != nil {
			return "", err
		}
		switch op.Kind {
		case trace.OpCopyH2D:
			addr := op.Addr
			if arrays := x.r.Program().Arrays; addr == 0 && int(op.Array) < len(arrays) {
				addr = arrays[op.Array].Base
			}
			fmt.Fprintf(&list, "MemcpyHtoD,0x%016x,%d\n", addr, op.Bytes)
		case trace.OpLaunch:
			x.done.Kernels++
			name := fmt.Sprintf("kernel-%d.traceg", x.done.Kernels)
			if err := x.file(name, func(w *bufio.Writer) error { return x.kernel(w, op.Kernel) }); err != nil {
				return "", err
			}
			fmt.Fprintln(&list, name)
		case trace.OpSpawn:
			return "", fmt.Errorf("kernel %d is a narrow task, which a capture of Accel-Sim has no form for", op.Kernel)
		default:
			x.n[lostOperations]++
		}
	}
	return list.String(), nil
}

// kernel writes one kernel.
func (x *exporter) kernel(w *bufio.Writer, id uint32) error {
	var k trace.Kernel
	if err := x.r.Kernel(id, &k); err != nil {
		return err
	}
	if k.Fidelity != trace.FidelityWarp {
		return fmt.Errorf("kernel %d has no warp instructions (fidelity %v), and a capture of Accel-Sim nothing else", id,
			k.Fidelity)
	}
	if k.Cluster.Count() > 0 {
		x.n[lostClusters]++
	}
	x.header(w, &k)
	code, err := x.lines(k.Function)
	if err != nil {
		return err
	}
	for c, err := range trace.EachCTA(x.r, id) {
		if err := cmp.Or(err, x.ctx.Err()); err != nil {
			return err
		}
		at := k.Grid.At(c.ID)
		fmt.Fprintf(w, "\n#BEGIN_TB\n\nthread block = %d,%d,%d\n", at[0], at[1], at[2])
		for i := range c.Warps {
			if len(c.Warps[i].Launches) > 0 {
				return fmt.Errorf("kernel %d launches children from the device, which a capture of Accel-Sim has no form for", id)
			}
			if err := x.warp(w, &c.Warps[i], code); err != nil {
				return err
			}
		}
		if _, err := w.WriteString("\n#END_TB\n"); err != nil {
			return err
		}
	}
	return nil
}

// header writes the lines before the CTAs.
func (x *exporter) header(w *bufio.Writer, k *trace.Kernel) {
	printable := func(r rune) rune {
		if r < ' ' {
			return '_'
		}
		return r
	}
	name := strings.TrimSpace(strings.Map(printable, x.r.Program().Functions[k.Function].Name))
	if name == "" {
		name = fmt.Sprintf("kernel%d", k.ID)
	}
	g, b := k.Grid, k.Block
	fmt.Fprintf(w, "-kernel name = %s\n-kernel id = %d\n-grid dim = (%d,%d,%d)\n-block dim = (%d,%d,%d)\n", name,
		x.done.Kernels, g[0], g[1], g[2], b[0], b[1], b[2])
	fmt.Fprintf(w, "-shmem = %d\n-nregs = %d\n-binary version = %d\n-cuda stream id = %d\n", k.SharedBytes, k.Registers,
		x.sm, k.Stream)
	fmt.Fprintf(w, "-shmem base_addr = 0x%016x\n-local mem base_addr = 0x%016x\n", k.SharedBase, k.LocalBase)
	fmt.Fprint(w, "-nvbit version = none\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n")
	fmt.Fprint(w, "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [address_mode] "+
		"[mem_addresses] immediate\n")
}
