package accelsim

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpureplay/trace"
)

// Writer takes the trace; values are copied before a call returns.
type Writer interface {
	SetMeta(trace.Meta)
	AddArray(trace.Array) uint32
	AddFunction(name string) uint32
	AddInst(function uint32, in trace.Inst) uint32
	Diagnose(trace.Diagnostic)
	Host(*trace.HostOp) error
	BeginKernel(*trace.Kernel) (uint32, error)
	WriteCTA(*trace.CTA) error
	EndKernel(trace.KernelFlags) error
}

// Options say how to convert.
type Options struct {
	TempDir   string         // for data beyond the memory limit; "": the system's
	Memory    int            // bytes to group raw captures in; 0: a default
	Irregular *regexp.Regexp // kernels marked irregular by name; nil: none
	Regular   *regexp.Regexp // kernels never marked otherwise; nil: none
}

// Folder holds the files of a capture.
type Folder interface {
	// Names returns the names of its files, with folders as prefixes.
	Names() ([]string, error)
	// Open opens a file, unpacked; fs.ErrNotExist if there is none.
	Open(name string) (io.ReadCloser, error)
}

// converter is one conversion.
type converter struct {
	ctx       context.Context
	w         Writer
	opt       Options
	folder    Folder
	n         counters
	functions map[string]*function
	statics   int // static instructions, and bytes of their text, of all functions
	texts     int
	arrays    *arrays
	ops       []trace.HostOp
	meta      trace.Meta
	versions  versions
	reader    lines
	cta       trace.CTA // whose memory the next kernel uses
}

// Convert converts the commands of the list in a folder.
func Convert(ctx context.Context, folder Folder, list string, w Writer, opt Options) error {
	if dir := path.Dir(list); list != "" && dir != "." {
		folder, list = under{folder, dir}, path.Base(list)
	}
	c := newConverter(ctx, folder, w, opt)
	commands, err := c.commands(list)
	if err != nil {
		return err
	}
	c.arrays = newArrays(commands)
	copies := false
	for i := range commands {
		cmd := &commands[i]
		if cmd.file == "" {
			copies = true
			c.ops = append(c.ops, trace.HostOp{Kind: trace.OpCopyH2D, Array: trace.NoArray, Addr: cmd.addr, Bytes: cmd.bytes})
			continue
		}
		err := c.open(cmd.file)
		if errors.Is(err, fs.ErrNotExist) && list != "" {
			return &Error{File: list, Line: cmd.line, What: cmd.file + " is not there: copy it beside the list, or take " +
				"its line out", Err: fs.ErrNotExist}
		}
		if err != nil {
			return err
		}
	}
	return c.finish(copies)
}

// ConvertKernel converts the trace of a single kernel.
func ConvertKernel(ctx context.Context, r io.Reader, name string, w Writer, opt Options) error {
	c := newConverter(ctx, nil, w, opt)
	c.arrays = newArrays(nil)
	if err := c.kernel(r, name); err != nil {
		return err
	}
	return c.finish(false)
}

func newConverter(ctx context.Context, folder Folder, w Writer, opt Options) *converter {
	return &converter{ctx: ctx, w: w, opt: opt, folder: folder, functions: map[string]*function{}}
}

// commands reads the list; without one it takes the kernels of the folder.
func (c *converter) commands(list string) ([]command, error) {
	if list == "" {
		return kernelsOf(c.folder)
	}
	r, err := c.folder.Open(list)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c.reader.reset(r, list)
	commands, err := parseList(&c.reader, &c.n)
	if err == nil && len(commands) == 0 {
		err = &Error{File: list, What: "no copy and no kernel in the list"}
	}
	return commands, err
}

// open converts the kernel in a file of the folder, which may have been packed
// since the list was written.
func (c *converter) open(name string) error {
	r, err := c.folder.Open(name)
	for i := 0; errors.Is(err, fs.ErrNotExist) && i < len(packings); i++ {
		r, err = c.folder.Open(name + packings[i])
	}
	if err != nil {
		return err
	}
	defer r.Close()
	return c.kernel(r, name)
}

// kernel converts one kernel and launches it.
func (c *converter) kernel(r io.Reader, name string) error {
	c.reader.reset(r, name)
	head, err := c.reader.peek(maxHeader)
	if err != nil {
		return err
	}
	if n := binaryHeader(head); n > 0 {
		return c.binary(r, n)
	}
	h, err := parseHeader(&c.reader)
	if err != nil {
		return err
	}
	if h.ended {
		return c.reader.ends("in its header")
	}
	k := c.newKernel(h)
	line, err := c.reader.text()
	if err == nil {
		c.reader.unread()
		if line[0] == '#' {
			if h.version < 3 {
				k.lead = 4
			}
			err = k.grouped()
		} else {
			err = k.rawLines()
		}
	}
	if err != nil && err != io.EOF {
		return err
	}
	return c.launch(k)
}

// newKernel prepares a kernel with that header.
func (c *converter) newKernel(h *header) *kernel {
	fn := c.functions[h.name]
	if fn == nil {
		fn = newFunction(c.w.AddFunction(h.name))
		c.functions[h.name] = fn
	}
	c.n[unknownHeader] += h.unknownKeys
	c.versions.add(h, &c.n)
	k := &kernel{converter: c, h: h, fn: fn, l: &c.reader, last: -1, asyncPC: -1}
	k.cta, k.indirect = c.cta, fn.indirect
	k.regular = c.opt.Regular != nil && c.opt.Regular.MatchString(h.name)
	return k
}

// launch ends a kernel and makes the host launch it.
func (c *converter) launch(k *kernel) error {
	c.cta, k.fn.indirect = k.cta, k.indirect
	if err := k.end(); err != nil {
		return err
	}
	if k.ctas > 0 {
		c.meta.Fidelity = trace.FidelityWarp
	}
	c.ops = append(c.ops, trace.HostOp{Kind: trace.OpLaunch, Kernel: k.id, Array: trace.NoArray,
		Stream: k.h.kernel.Stream})
	return nil
}

// finish writes the parts that are known only at the end.
func (c *converter) finish(copies bool) error {
	list := c.arrays.list()
	for i := range list {
		c.w.AddArray(list[i])
	}
	for i := range c.ops {
		op := &c.ops[i]
		if op.Kind == trace.OpCopyH2D && op.Bytes > 0 {
			op.Array = uint32(c.arrays.find(op.Addr))
		}
		if err := c.w.Host(op); err != nil {
			return err
		}
	}
	c.n[coarseClusters] = c.arrays.coarser
	c.n.write(c.w)
	m := &c.meta
	m.Source = "accelsim"
	m.Fidelity = max(m.Fidelity, trace.FidelityKernel)
	switch {
	case copies:
		m.ArraysFrom = "memcpy"
	case len(list) > 0:
		m.ArraysFrom = "clustered"
	}
	if n := len(c.arrays.touched); copies && n > 0 {
		m.Attrs = append(m.Attrs, trace.Attr{Key: "clustered_arrays", Value: strconv.Itoa(n)})
	}
	c.versions.write(m)
	slices.SortFunc(m.Attrs, func(a, b trace.Attr) int { return cmp.Compare(a.Key, b.Key) })
	c.w.SetMeta(*m)
	return nil
}

// versions has the versions of the tools and of the GPU that a capture names.
type versions struct {
	nvbit, tracer []string
	sm            uint32
}

func (v *versions) add(h *header, n *counters) {
	v.nvbit = appendNew(v.nvbit, h.nvbit)
	v.tracer = appendNew(v.tracer, h.tracer)
	if v.sm == 0 {
		v.sm = h.smVersion
	} else if h.smVersion != v.sm {
		n.add(mixedVersions)
	}
}

// appendNew keeps different versions in the order met, a few of them.
func appendNew(list []string, s string) []string {
	for _, t := range list {
		if t == s {
			return list
		}
	}
	if s == "" || len(list) == 8 {
		return list
	}
	return append(list, s)
}

// write puts the versions into the metadata.
func (v *versions) write(m *trace.Meta) {
	m.SMVersion = v.sm
	var parts []string
	for _, tool := range []struct {
		key, name string
		versions  []string
	}{{"tracer_version", "tracer", v.tracer}, {"nvbit_version", "NVBit", v.nvbit}} {
		if len(tool.versions) > 0 {
			parts = append(parts, tool.name+" "+tool.versions[0])
			m.Attrs = append(m.Attrs, trace.Attr{Key: tool.key, Value: strings.Join(tool.versions, ", ")})
		}
	}
	m.SourceVersion = strings.Join(parts, ", ")
}
