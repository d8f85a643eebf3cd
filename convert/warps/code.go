package warps

import (
	"encoding/binary"
	"fmt"

	"gpureplay/trace"
)

// MaxInsts is the largest number of static instructions of one function.
const MaxInsts = 1 << 20

// Code numbers the static instructions of one function: each different one gets
// an index when it is first seen.
type Code struct {
	add   func(trace.Inst) uint32
	known map[string]uint32
	key   []byte
}

// NewCode returns an empty function body whose instructions go to add.
func NewCode(add func(trace.Inst) uint32) *Code {
	return &Code{add: add, known: map[string]uint32{}}
}

// Index returns the index of the instruction.
func (c *Code) Index(in *trace.Inst) (uint32, error) {
	k := binary.LittleEndian.AppendUint32(c.key[:0], in.PC)
	k = binary.LittleEndian.AppendUint32(k, in.Width)
	k = binary.LittleEndian.AppendUint64(k, in.Imm)
	k = append(k, byte(in.Class), byte(in.Space), byte(in.Flags), byte(len(in.Dst)))
	for _, r := range in.Dst {
		k = binary.LittleEndian.AppendUint16(k, uint16(r))
	}
	for _, r := range in.Src {
		k = binary.LittleEndian.AppendUint16(k, uint16(r))
	}
	k = append(append(k, 0xff), in.Opcode...)
	c.key = k
	if i, ok := c.known[string(k)]; ok {
		return i, nil
	}
	if len(c.known) == MaxInsts {
		return 0, fmt.Errorf("a function with more than %d different instructions", MaxInsts)
	}
	i := c.add(*in)
	c.known[string(k)] = i
	return i, nil
}
