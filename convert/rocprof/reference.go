package rocprof

import (
	"cmp"
	"slices"

	"gpureplay/convert/jsonscan"
)

// reference reads the targets of records' references: agents, kernel symbols, names.
func (r *results) reference(key string) error {
	switch key {
	case "agents":
		return r.array(r.agent)
	case "kernel_symbols":
		return r.array(r.symbol)
	case "strings":
		return r.object(func(key string) error {
			if key != "buffer_records" {
				return r.s.Skip()
			}
			return r.array(r.operations)
		})
	}
	return r.s.Skip()
}

func (r *results) agent() error {
	a := agent{index: -1, gpu: gpu{values: map[string]int64{}}}
	err := r.flatten(func(path string, v int64, text []byte) {
		switch path {
		case "id.handle":
			a.handle = v
		case "type":
			a.kind = v
		case "node_id":
			a.node = v
		case "logical_node_type_id":
			a.index = v
		case "name":
			a.gpu.arch = string(text[:min(len(text), maxName)])
		case "product_name":
			a.gpu.name = string(text[:min(len(text), maxName)])
		default:
			if slices.Contains(properties, path) {
				a.gpu.values[path] = v
			}
		}
	})
	if len(r.agents) < maxAgents {
		r.agents = append(r.agents, a)
	}
	return err
}

// number numbers the GPUs.
func (r *results) number() {
	if len(r.info.GPUs) > 0 {
		return
	}
	slices.SortStableFunc(r.agents, func(a, b agent) int { return cmp.Compare(a.node, b.node) })
	for _, a := range r.agents {
		if a.kind != gpuAgent {
			r.cpus[a.handle] = true
			continue
		}
		r.device[a.handle] = uint32(len(r.info.GPUs))
		r.info.GPUs = append(r.info.GPUs, a.gpu.machine())
	}
}

func (r *results) symbol() error {
	id, registers := int64(-1), int64(0)
	var names [3]string // by preference
	err := r.flatten(func(path string, v int64, text []byte) {
		switch path {
		case "kernel_id":
			id = v
		case "arch_vgpr_count", "accum_vgpr_count":
			registers += max(v, 0)
		case "formatted_kernel_name":
			names[0] = string(text)
		case "demangled_kernel_name":
			names[1] = string(text)
		case "kernel_name":
			names[2] = string(text)
		}
	})
	if err != nil || len(r.symbols) == maxSymbols {
		return err
	}
	sym := symbol{registers: small(registers)}
	sym.name, err = r.b.Name([]byte(cmp.Or(names[0], names[1], names[2])))
	r.symbols[id] = sym
	return err
}

// operations reads the names of one kind: {"kind": "HIP_RUNTIME_API",
// "operations": ["hipInit", ...]}; the kind's number is its place in the array.
func (r *results) operations() error {
	ops := &operations{}
	err := r.s.Members(func(key string) error {
		switch key {
		case "kind":
			kind, err := r.s.Next()
			if err == nil && kind == jsonscan.String {
				ops.kind = string(r.s.Text())
				return nil
			}
			if err == nil {
				err = r.drop(kind)
			}
			return err
		case "operations":
			return r.elements(jsonscan.String, func() error {
				if name := r.s.Text(); len(ops.names) < maxSymbols {
					ops.names = append(ops.names, string(name[:min(len(name), maxName)]))
				}
				return nil
			})
		}
		return r.s.Skip()
	})
	if len(r.kinds) < maxAgents {
		r.kinds[r.nextKind] = ops
	}
	r.nextKind++
	return err
}

func (r *results) operation(kind, op int64) string {
	if ops := r.kinds[kind]; ops != nil && op >= 0 && op < int64(len(ops.names)) {
		return ops.names[op]
	}
	return ""
}
