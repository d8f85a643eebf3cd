package neutral

import (
	"fmt"
	"strings"

	tables "gpureplay/replay/table/neutral"
	"gpureplay/trace"
)

// code0 reads the functions and their instructions.
func (c *converter) code0() error {
	if err := each(&c.f, &tables.Functions, func(cur *cursor[tables.FunctionRow], r *tables.FunctionRow) error {
		if err := cur.inOrder("function", r.Index, len(c.code)); err != nil {
			return err
		}
		if len(c.code) == maxRows {
			return cur.Errorf("more than %d functions", maxRows)
		}
		c.function(r.Name)
		return nil
	}, "name"); err != nil {
		return err
	}
	return each(&c.f, &tables.Instructions, func(cur *cursor[tables.InstructionRow], r *tables.InstructionRow) error {
		if int64(r.Function) >= int64(len(c.code)) {
			return cur.Errorf("function %d, but the table functions has %d", r.Function, len(c.code))
		}
		if err := cur.inOrder("instruction", r.Index, len(c.code[r.Function])); err != nil {
			return err
		}
		_, err := c.inst(r.Function, r.Inst)
		return err
	}, "function", "class")
}

func (c *converter) function(name string) uint32 {
	id := c.w.AddFunction(name)
	c.code, c.names = append(c.code, nil), append(c.names, name)
	if _, ok := c.byName[name]; !ok {
		c.byName[name] = id
	}
	return id
}

// functionOf returns the function of a kernel.
func (c *converter) functionOf(k *tables.KernelRow) (uint32, error) {
	switch {
	case k.Function != tables.None && int64(k.Function) < int64(len(c.code)):
		return k.Function, nil
	case k.Function != tables.None:
		return 0, c.kernels.Errorf("function %d, but the table functions has %d", k.Function, len(c.code))
	}
	if id, ok := c.byName[k.Name]; ok {
		return id, nil
	}
	if len(c.code) == maxRows {
		return 0, c.kernels.Errorf("more than %d functions", maxRows)
	}
	return c.function(k.Name), nil
}

func (c *converter) inst(function uint32, in trace.Inst) (uint32, error) {
	if c.insts++; c.insts > maxInsts {
		return 0, fmt.Errorf("more than %d static instructions", maxInsts)
	}
	c.code[function] = append(c.code[function], in)
	return c.w.AddInst(function, in), nil
}

// madeKey has the fields that make an instruction where a table names none.
type madeKey struct {
	function         uint32
	class            trace.Class // ClassOther, of the zero value, and width > 0: a memory access
	operation, space uint8
	width            uint32
}

// makeInst returns the instruction of a function for an access, a launch or a
// count that names none. It reads and writes no registers, so that accesses of a warp
// do not wait for one another.
func (c *converter) makeInst(k madeKey) (uint32, error) {
	if i, ok := c.made[k]; ok {
		return i, nil
	}
	in := trace.Inst{PC: 16 * uint32(len(c.code[k.function])), Opcode: strings.ToUpper(k.class.String()), Class: k.class}
	if k.class == trace.ClassLaunch {
		in.Opcode = "LAUNCH"
	}
	if k.width > 0 {
		in.Class, in.Space, in.Width = trace.ClassMemory, trace.Space(k.space), k.width
		in.Opcode = fmt.Sprintf("%s.%s.%d", tables.OperationWords[k.operation], in.Space, k.width)
		in.Flags = [...]trace.InstFlags{
			tables.OperationLoad: trace.InstLoad, tables.OperationStore: trace.InstStore,
			tables.OperationAtomic: trace.InstAtomic,
		}[k.operation]
	}
	i, err := c.inst(k.function, in)
	c.made[k] = i
	return i, err
}
