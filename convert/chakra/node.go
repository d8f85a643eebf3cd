package chakra

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Type is what a node does.
type Type uint8

const (
	Invalid Type = iota
	Metadata
	MemLoad
	MemStore
	Comp
	CommSend
	CommRecv
	CommColl
	numTypes = iota
)

var typeNames = map[string]Type{
	"METADATA_NODE": Metadata, "MEM_LOAD_NODE": MemLoad, "MEM_STORE_NODE": MemStore, "COMP_NODE": Comp,
	"COMM_SEND_NODE": CommSend, "COMM_RECV_NODE": CommRecv, "COMM_COLL_NODE": CommColl,
}

// Node is one operator. Reused from one to the next.
type Node struct {
	ID             uint64
	Name           string
	Type           Type
	Deps           []uint64 // on data
	Control        []uint64 // on the operator that called it, or other order
	StartMicros    uint64
	DurationMicros uint64
	CPU            bool   // runs on the host
	Bytes          uint64 // that it moves, where it says so
}

const (
	maxDeps = 1 << 16 // of one node
	maxName = 1 << 12
)

func (n *Node) reset() { *n = Node{Deps: n.Deps[:0], Control: n.Control[:0]} }

// attribute takes an attribute that matters.
func (n *Node) attribute(name string, value uint64) {
	switch name {
	case "is_cpu_op":
		n.CPU = value != 0
	case "tensor_size", "comm_size":
		n.Bytes = value
	}
}

func (n *Node) depend(on *[]uint64, id uint64) error {
	if len(*on) == maxDeps {
		return fmt.Errorf("node %d has more than %d dependences", n.ID, maxDeps)
	}
	*on = append(*on, id)
	return nil
}

var errProto = errors.New("not a Chakra message")

// fields calls field for each field of a message.
func fields(b []byte, field func(num protowire.Number, kind protowire.Type, v uint64, bytes []byte) error) error {
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errProto
		}
		b = b[n:]
		var v uint64
		var bytes []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(b)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(b)
		case protowire.Fixed32Type:
			var w uint32
			w, n = protowire.ConsumeFixed32(b)
			v = uint64(w)
		default:
			n = protowire.ConsumeFieldValue(num, kind, b)
		}
		if n < 0 {
			return errProto
		}
		b = b[n:]
		if err := field(num, kind, v, bytes); err != nil {
			return err
		}
	}
	return nil
}

// parse reads a Node message.
func (n *Node) parse(b []byte) error {
	n.reset()
	deps := map[protowire.Number]*[]uint64{4: &n.Control, 5: &n.Deps}
	return fields(b, func(num protowire.Number, kind protowire.Type, v uint64, bytes []byte) error {
		switch {
		case num == 1 && kind == protowire.VarintType:
			n.ID = v
		case num == 2 && kind == protowire.BytesType:
			n.Name = string(bytes[:min(len(bytes), maxName)])
		case num == 3 && kind == protowire.VarintType && v < numTypes:
			n.Type = Type(v)
		case (num == 4 || num == 5) && kind == protowire.VarintType:
			return n.depend(deps[num], v)
		case (num == 4 || num == 5) && kind == protowire.BytesType: // packed
			for len(bytes) > 0 {
				id, k := protowire.ConsumeVarint(bytes)
				if k < 0 {
					return errProto
				}
				if err := n.depend(deps[num], id); err != nil {
					return err
				}
				bytes = bytes[k:]
			}
		case num == 6 && kind == protowire.VarintType:
			n.StartMicros = v
		case num == 7 && kind == protowire.VarintType:
			n.DurationMicros = v
		case num == 10 && kind == protowire.BytesType:
			return n.attr(bytes)
		case num <= 3 || num == 6 || num == 7:
			return errProto
		}
		return nil
	})
}

// attr reads an AttributeProto.
func (n *Node) attr(b []byte) error {
	name, value, known := "", uint64(0), false
	err := fields(b, func(num protowire.Number, kind protowire.Type, v uint64, bytes []byte) error {
		switch num {
		case 1:
			name = string(bytes[:min(len(bytes), 64)])
		case 7, 9, 11, 13, 27: // int32, int64, uint32, uint64, bool
			value, known = v, true
		case 15, 17: // sint32, sint64
			value, known = uint64(max(protowire.DecodeZigZag(v), 0)), true
		case 19, 21, 23, 25: // fixed
			value, known = v, true
		case 3: // double
			if f := math.Float64frombits(v); f >= 0 && f < 1<<62 {
				value, known = uint64(f), true
			}
		}
		return nil
	})
	if known {
		n.attribute(name, value)
	}
	return err
}
