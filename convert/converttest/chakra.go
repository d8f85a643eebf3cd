package converttest

import (
	"encoding/binary"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

type chakraOp struct {
	id, kind, start, ran uint64
	name                 string
	cpu                  bool
	bytes                uint64
	deps                 []uint64
	packed               bool
}

// chakraStory has a host operator between two device ones (1 -> 2 -> 3), a fork (3 -> 4, 3 -> 5) and a join
// (4, 5 -> 6), which stands first in the file. It also has a remote load, a cycle (8 <-> 9), a duplicate, and a
// dependence on an operator that does not exist.
var chakraStory = []chakraOp{
	{id: 6, kind: 7, name: "allreduce", start: 40, ran: 9, deps: []uint64{4, 5}, packed: true},
	{id: 1, kind: 4, name: "gemm", start: 10, ran: 5},
	{id: 2, kind: 4, name: "aten::mm", cpu: true, start: 12, deps: []uint64{1}},
	{id: 3, kind: 4, name: "gemm", start: 20, ran: 5, deps: []uint64{2}},
	{id: 4, kind: 4, name: "relu", start: 30, ran: 1, deps: []uint64{3}},
	{id: 5, kind: 2, name: "load", start: 30, ran: 2, bytes: 4096, deps: []uint64{3, 99}},
	{id: 8, kind: 4, name: "a", start: 50, deps: []uint64{9}},
	{id: 9, kind: 4, name: "b", start: 51, deps: []uint64{8}},
	{id: 1, kind: 4, name: "again"},
}

func (o *chakraOp) message() []byte {
	b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), o.id)
	b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), o.name)
	b = protowire.AppendVarint(protowire.AppendTag(b, 3, protowire.VarintType), o.kind)
	var ids []byte
	for _, d := range o.deps {
		if o.packed {
			ids = protowire.AppendVarint(ids, d)
			continue
		}
		b = protowire.AppendVarint(protowire.AppendTag(b, 5, protowire.VarintType), d)
	}
	if o.packed {
		b = protowire.AppendBytes(protowire.AppendTag(b, 4, protowire.BytesType), ids)
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, 6, protowire.VarintType), o.start)
	b = protowire.AppendVarint(protowire.AppendTag(b, 7, protowire.VarintType), o.ran)
	cpu := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "is_cpu_op")
	cpu = protowire.AppendVarint(protowire.AppendTag(cpu, 27, protowire.VarintType), protowire.EncodeBool(o.cpu))
	size := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "tensor_size")
	size = protowire.AppendVarint(protowire.AppendTag(size, 13, protowire.VarintType), o.bytes)
	for _, a := range [][]byte{cpu, size} {
		b = protowire.AppendBytes(protowire.AppendTag(b, 10, protowire.BytesType), a)
	}
	return b
}

// ChakraProto is the story in Chakra's binary form.
func ChakraProto() string {
	meta := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "\x0a\x06schema")
	out := append(binary.AppendUvarint(nil, uint64(len(meta))), meta...)
	for i := range chakraStory {
		m := chakraStory[i].message()
		out = append(binary.AppendUvarint(out, uint64(len(m))), m...)
	}
	return string(out)
}

// ChakraText is the story as JSON.
func ChakraText() string {
	names := []string{"", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE", "COMM_SEND_NODE",
		"COMM_RECV_NODE", "COMM_COLL_NODE"}
	var b strings.Builder
	b.WriteString(`{"attr": [{"name": "schema", "stringVal": "1"}]}` + "\n")
	for _, o := range chakraStory {
		deps := strings.ReplaceAll(strings.Trim(fmt.Sprintf("%q", fmt.Sprint(o.deps)), `"[]`), " ", `", "`)
		if deps != "" {
			deps = `"` + deps + `"`
		}
		fmt.Fprintf(&b, `{"id": "%d", "name": %q, "type": %q, "dataDeps": [%s], "startTimeMicros": "%d", `+
			`"durationMicros": "%d",
			"attr": [{"name": "is_cpu_op", "boolVal": %v}, {"name": "tensor_size", "uint64Val": "%d"}]}`+"\n",
			o.id, o.name, names[o.kind], deps, o.start, o.ran, o.cpu, o.bytes)
	}
	return b.String()
}
