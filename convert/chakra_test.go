package convert

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"gpureplay/convert/chakra"
	"gpureplay/trace"
)

type chakraOp struct {
	id, kind, start, ran uint64
	name                 string
	cpu                  bool
	bytes                uint64
	deps                 []uint64
	packed               bool
}

// chakraStory: a host operator between two device ones (1 -> 2 -> 3), a fork (3 -> 4, 3 -> 5), a join (4, 5 -> 6),
// a remote load, a cycle (8 <-> 9), a duplicate and a dependence on an operator that does not exist. The join
// stands first in the file.
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

func chakraProto() string {
	meta := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "\x0a\x06schema")
	out := append(binary.AppendUvarint(nil, uint64(len(meta))), meta...)
	for i := range chakraStory {
		m := chakraStory[i].message()
		out = append(binary.AppendUvarint(out, uint64(len(m))), m...)
	}
	return string(out)
}

func chakraText() string {
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

func TestChakraFormsAgree(t *testing.T) {
	for form, text := range map[string]string{"proto": chakraProto(), "json": chakraText()} {
		r := convertText(t, "", text) // detected, too
		r.check(t)
		var got []string
		for _, op := range r.ops {
			switch op.Kind {
			case trace.OpLaunch:
				got = append(got, fmt.Sprintf("%s on %d at %d", r.functions[r.kernels[op.Kernel].Function].Name, op.Stream,
					op.Recorded.StartNs))
			case trace.OpStreamWait:
				got = append(got, fmt.Sprintf("%d waits for %d", op.Stream, op.Event))
			case trace.OpCopyH2D:
				got = append(got, fmt.Sprintf("load of %d on %d at %d", op.Bytes, op.Stream, op.Recorded.StartNs))
			}
		}
		// Events are places in the file, from 0. The first gemm is place 1; the
		// second follows it through the host operator.
		want := []string{
			"gemm on 0 at 0", "gemm on 0 at 10000", "relu on 0 at 20000", "1 waits for 3", "load of 4096 on 1 at 20000",
			"0 waits for 5", "allreduce on 0 at 30000", "a on 2 at 40000", "b on 2 at 41000",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", form, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for name, n := range map[string]uint64{"host_operator": 1, "missing_dependence": 1, "duplicate_operator": 1,
			"cyclic_dependence": 2} {
			if r.diag(name) != n {
				t.Errorf("%s: %s: %d, want %d", form, name, r.diag(name), n)
			}
		}
	}
}

// A graph as simulators read it, and as PyTorch's captures are: caller 1 calls 2 and 3, which depend on it by
// control, and depends on data of 2; 3 depends on data of
// 2. Caller 4 calls 5 and closes no circle. No circle is left, and the one control dependence that closes one is
// left out.
func TestChakraWorkloadGraph(t *testing.T) {
	r := convertText(t, "", `{"workload_graph": [
		{"Id": 5, "Name": "all_reduce", "NodeType": 7, "is_cpu_op": false, "runtime": 7, "comm_size": 64, "ctrl_deps": `+
		`[4], "data_deps": [3]},
		{"Id": 1, "Name": "caller", "NodeType": 4, "is_cpu_op": true, "data_deps": [2]},
		{"Id": 2, "Name": "first", "NodeType": 4, "is_cpu_op": false, "runtime": 5, "ctrl_deps": [1]},
		{"Id": 3, "Name": "second", "NodeType": 4, "is_cpu_op": 0, "runtime": 6, "ctrl_deps": [1], "data_deps": [2]},
		{"Id": 4, "Name": "caller", "NodeType": 4, "is_cpu_op": 1, "data_deps": [3]}]}`)
	r.check(t)
	var got []string
	for _, op := range r.ops {
		if op.Kind == trace.OpLaunch {
			k := &r.kernels[op.Kernel]
			got = append(got, fmt.Sprintf("%s on %d for %d", r.functions[k.Function].Name, op.Stream, k.Recorded.DurationNs))
		}
	}
	if want := "first on 0 for 5000; second on 0 for 6000; all_reduce on 0 for 7000"; strings.Join(got, "; ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "; "), want)
	}
	if r.diag("cyclic_dependence") != 0 || r.diag("control_circle") != 1 || r.flagged(trace.KernelCollective) != 1 {
		t.Errorf("%v", r.diags)
	}
}

func TestChakraMalformed(t *testing.T) {
	whole := chakraProto()
	for name, c := range map[string]struct{ text, err string }{
		"cut short":    {whole[:len(whole)-4], "cut short"},
		"huge message": {"\x02\x0a\x00\xff\xff\xff\xff\x7f", "where a message has at most"},
		"no message":   {"", "no message"},
		"other fields": {"\x02\x0a\x00\x02\x0a\x00", "message 2: not a Chakra message"},
		"JSON number":  {`{"id": -3, "type": "COMP_NODE", "ctrlDeps": []}`, "offset"},
	} {
		if _, err := tryText(t, "chakra", c.text); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %s", name, err, c.err)
		}
	}
}

func FuzzChakra(f *testing.F) {
	f.Add(chakraProto())
	f.Add(chakraText())
	f.Fuzz(func(t *testing.T, text string) {
		chakra.IsProto([]byte(text))
		if r, err := tryText(t, "chakra", text); err == nil {
			r.check(t)
		}
	})
}
