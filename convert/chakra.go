package convert

import (
	"context"
	"fmt"
	"io"
	"math"

	"gpureplay/convert/chakra"
	"gpureplay/trace"
)

func init() {
	Register(Format{
		Name:  "chakra",
		Title: "Chakra execution trace (MLCommons): .et protobuf, or JSON",
		Reads: []Capture{
			{Give: "`.et` protobuf, or JSON: nodes one after another, or `workload_graph`",
				Fidelity: "none: operators have no grid", Order: "an order that respects dependences",
				Dependences: "control and data dependences, as events", Placement: "no"},
		},
		Sniff:   func(in *Input) bool { return chakra.IsJSON(in.Head()) || chakra.IsProto(in.Head()) },
		Convert: convertChakra,
	})
}

// chakraGraph is the graph of operators.
//
// A trace has streams and events, not dependences between operators, so each operator of the device becomes a
// launch (or a copy) that waits for its dependences:
//
//  1. It goes to the stream of a dependence that has no successor there yet, or to a new stream; it waits for the
//     events of its other dependences.
//  2. Operators of the host and metadata are transparent: their dependences pass to the operators behind them.
//  3. Operators are issued in an order that respects dependences, ready ones in the order of the file. Dependences
//     on data come first; one on control counts only where it closes no circle (chakragraph.go).
//  4. A load from or store to remote memory is a copy; a communication is a kernel, like a computation, with the
//     flag collective. No operator has a grid.
type chakraGraph struct {
	w         Writer
	opt       Options
	nodes     []chakraNode
	index     map[uint64]uint32
	deps      []uint32 // of all nodes, as indices
	functions map[string]uint32
	flags     []trace.KernelFlags // by function
	first     uint64              // earliest start, micros
	timed     bool
	counts    struct {
		host, missing, duplicate, cyclic, circular, dropped uint64
	}
}

type chakraNode struct {
	function        uint32
	kind            chakra.Type
	device          bool
	followed        bool // an operator follows on its stream
	start, duration uint64
	bytes           uint64
	ids             []uint64 // its dependences, until linked: on data, then on control
	data            uint32   // of ids
	first, count    uint32   // in deps, of those that count
	linked, all     uint32   // those on data, and with those on control that do not count
	stream          uint32
	through         []uint32 // device operators that it stands for, if of the host
}

const (
	maxChakraNodes   = 1 << 20
	maxChakraDeps    = 1 << 25
	maxChakraThrough = 64 // dependences that a host operator passes on
)

func convertChakra(ctx context.Context, in *Input, w Writer, opt Options) error {
	f, err := in.Read(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	g := &chakraGraph{w: w, opt: opt, index: map[uint64]uint32{}, functions: map[string]uint32{}, first: math.MaxUint64}
	read := chakra.ReadProto
	if chakra.IsJSON(in.Head()) {
		read = chakra.ReadJSON
	}
	if err := g.read(f, read); err != nil {
		return err
	}
	if err := g.issue(); err != nil {
		return err
	}
	w.SetMeta(trace.Meta{Source: "chakra"})
	diagnose(w, "host_operator", trace.Info, g.counts.host,
		"operators of the host and metadata; they are left out, and dependences pass through them")
	diagnose(w, "missing_dependence", trace.DataLoss, g.counts.missing,
		"dependences on operators that the capture does not have; they are left out")
	diagnose(w, "duplicate_operator", trace.Error, g.counts.duplicate, "operators whose id another has; they are left out")
	diagnose(w, "cyclic_dependence", trace.Error, g.counts.cyclic,
		"operators that depend on each other in a circle; they are issued last, without these dependences")
	diagnose(w, "control_circle", trace.Info, g.counts.circular,
		"dependences on control (the calling operator) that close a circle with those on data; they are left out")
	diagnose(w, "dependence_dropped", trace.DataLoss, g.counts.dropped,
		"dependences beyond the 64 that a host operator passes on; they are left out")
	return nil
}

func (g *chakraGraph) read(f io.Reader, read func(io.Reader, func(*chakra.Node) error) error) error {
	links := 0
	return read(f, func(n *chakra.Node) error {
		if _, taken := g.index[n.ID]; taken {
			g.counts.duplicate++
			return nil
		}
		if links += len(n.Deps) + len(n.Control); len(g.nodes) == maxChakraNodes || links > maxChakraDeps {
			return fmt.Errorf("more than %d operators or %d dependences", maxChakraNodes, maxChakraDeps)
		}
		g.index[n.ID] = uint32(len(g.nodes))
		node := chakraNode{
			kind: n.Type, device: !n.CPU && n.Type >= chakra.MemLoad,
			start: n.StartMicros, duration: n.DurationMicros, bytes: n.Bytes,
			ids: append(append([]uint64(nil), n.Deps...), n.Control...), data: uint32(len(n.Deps)),
		}
		if node.device {
			f, ok := g.functions[n.Name]
			if !ok {
				f = g.w.AddFunction(n.Name)
				g.functions[n.Name] = f
				g.flags = append(g.flags, g.opt.flags(n.Name))
			}
			node.function = f
			g.first = min(g.first, n.StartMicros)
			g.timed = g.timed || n.StartMicros > 0
		} else {
			g.counts.host++
		}
		g.nodes = append(g.nodes, node)
		return nil
	})
}

// issue writes the operators in an order that respects dependences; those in a
// circle come last.
func (g *chakraGraph) issue() error {
	g.link()
	streams := uint32(0)
	issued := make([]bool, len(g.nodes))
	for _, i := range g.order() {
		issued[i] = true
		if err := g.write(i, issued, &streams); err != nil {
			return err
		}
	}
	for i := range g.nodes {
		if issued[i] {
			continue
		}
		g.counts.cyclic++
		issued[i] = true
		if err := g.write(uint32(i), issued, &streams); err != nil {
			return err
		}
	}
	return nil
}

// through returns the issued operators of the device that a node depends on,
// without repeats.
func (g *chakraGraph) through(n *chakraNode, issued []bool) []uint32 {
	var out []uint32
	seen := map[uint32]bool{}
	add := func(d uint32) {
		if !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	for _, d := range g.deps[n.first : n.first+n.count] {
		switch dep := &g.nodes[d]; {
		case !issued[d] || dep == n:
		case dep.device:
			add(d)
		default:
			for _, t := range dep.through {
				add(t)
			}
		}
	}
	return out
}

func (g *chakraGraph) write(i uint32, issued []bool, streams *uint32) error {
	n := &g.nodes[i]
	deps := g.through(n, issued)
	if !n.device {
		if len(deps) > maxChakraThrough {
			g.counts.dropped += uint64(len(deps) - maxChakraThrough)
			deps = deps[len(deps)-maxChakraThrough:]
		}
		n.through = deps
		return nil
	}
	placed := false
	for _, d := range deps {
		if dep := &g.nodes[d]; !dep.followed && !placed {
			n.stream, dep.followed, placed = dep.stream, true, true
		}
	}
	if !placed {
		n.stream = *streams
		*streams++
	}
	for _, d := range deps {
		if g.nodes[d].stream == n.stream {
			continue // the stream keeps this order
		}
		wait := trace.HostOp{Kind: trace.OpStreamWait, Stream: uint64(n.stream), Event: uint64(d), Array: trace.NoArray}
		if err := g.w.Host(&wait); err != nil {
			return err
		}
	}
	if err := g.operator(n); err != nil {
		return err
	}
	record := trace.HostOp{Kind: trace.OpEventRecord, Stream: uint64(n.stream), Event: uint64(i), Array: trace.NoArray}
	return g.w.Host(&record)
}

// operator writes the copy or launch itself.
func (g *chakraGraph) operator(n *chakraNode) error {
	const most = math.MaxInt64 / 1000
	times := trace.Recorded{HostNs: -1, StartNs: -1, DurationNs: int64(min(n.duration, most) * 1000)}
	if g.timed {
		times.StartNs = int64(min(n.start-g.first, most) * 1000)
	}
	op := trace.HostOp{Stream: uint64(n.stream), Array: trace.NoArray, Recorded: &times}
	switch n.kind {
	case chakra.MemLoad:
		op.Kind, op.Async, op.Bytes = trace.OpCopyH2D, true, n.bytes
	case chakra.MemStore:
		op.Kind, op.Async, op.Bytes = trace.OpCopyD2H, true, n.bytes
	default:
		id, err := g.w.BeginKernel(&trace.Kernel{Function: n.function, Fidelity: trace.FidelityNone,
			Stream: uint64(n.stream), Recorded: &times})
		if err != nil {
			return err
		}
		flags := g.flags[n.function]
		if n.kind >= chakra.CommSend {
			flags |= trace.KernelCollective
		}
		if err := g.w.EndKernel(flags); err != nil {
			return err
		}
		op.Kind, op.Kernel = trace.OpLaunch, id
	}
	return g.w.Host(&op)
}
