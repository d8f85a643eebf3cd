package chakra_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpureplay/convert/chakra"
	"gpureplay/convert/converttest"
	"gpureplay/trace"
)

func TestChakraFormsAgree(t *testing.T) {
	for form, text := range map[string]string{"proto": converttest.ChakraProto(), "json": converttest.ChakraText()} {
		r := converttest.Text(t, "", text) // detected, too
		r.Check(t)
		var got []string
		for _, op := range r.Ops {
			switch op.Kind {
			case trace.OpLaunch:
				got = append(got, fmt.Sprintf("%s on %d at %d", r.Functions[r.Kernels[op.Kernel].Function].Name, op.Stream,
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
			if r.Diag(name) != n {
				t.Errorf("%s: %s: %d, want %d", form, name, r.Diag(name), n)
			}
		}
	}
}

// A graph as simulators read it, and as PyTorch's captures are: caller 1 calls 2 and 3, which depend on it by
// control, and depends on data of 2; 3 depends on data of
// 2. Caller 4 calls 5 and closes no circle. No circle is left, and the one control dependence that closes one is
// left out.
func TestChakraWorkloadGraph(t *testing.T) {
	r := converttest.Text(t, "", `{"workload_graph": [
		{"Id": 5, "Name": "all_reduce", "NodeType": 7, "is_cpu_op": false, "runtime": 7, "comm_size": 64, "ctrl_deps": `+
		`[4], "data_deps": [3]},
		{"Id": 1, "Name": "caller", "NodeType": 4, "is_cpu_op": true, "data_deps": [2]},
		{"Id": 2, "Name": "first", "NodeType": 4, "is_cpu_op": false, "runtime": 5, "ctrl_deps": [1]},
		{"Id": 3, "Name": "second", "NodeType": 4, "is_cpu_op": 0, "runtime": 6, "ctrl_deps": [1], "data_deps": [2]},
		{"Id": 4, "Name": "caller", "NodeType": 4, "is_cpu_op": 1, "data_deps": [3]}]}`)
	r.Check(t)
	var got []string
	for _, op := range r.Ops {
		if op.Kind == trace.OpLaunch {
			k := &r.Kernels[op.Kernel]
			got = append(got, fmt.Sprintf("%s on %d for %d", r.Functions[k.Function].Name, op.Stream, k.Recorded.DurationNs))
		}
	}
	if want := "first on 0 for 5000; second on 0 for 6000; all_reduce on 0 for 7000"; strings.Join(got, "; ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "; "), want)
	}
	if r.Diag("cyclic_dependence") != 0 || r.Diag("control_circle") != 1 || r.Flagged(trace.KernelCollective) != 1 {
		t.Errorf("%v", r.Diags)
	}
}

func TestChakraMalformed(t *testing.T) {
	whole := converttest.ChakraProto()
	for name, c := range map[string]struct{ text, err string }{
		"cut short":    {whole[:len(whole)-4], "cut short"},
		"huge message": {"\x02\x0a\x00\xff\xff\xff\xff\x7f", "where a message has at most"},
		"no message":   {"", "no message"},
		"other fields": {"\x02\x0a\x00\x02\x0a\x00", "message 2: not a Chakra message"},
		"JSON number":  {`{"id": -3, "type": "COMP_NODE", "ctrlDeps": []}`, "offset"},
	} {
		if _, err := converttest.TryText(t, "chakra", c.text); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %s", name, err, c.err)
		}
	}
}

// A head that ends anywhere is read to its end, and not beyond.
func TestIsProtoOfHeads(t *testing.T) {
	text := converttest.ChakraProto()
	for n := range len(text) {
		if got := chakra.IsProto(slices.Clip([]byte(text[:n]))); got && n < 20 {
			t.Errorf("%d bytes are Chakra's", n)
		}
	}
	if !chakra.IsProto([]byte(text)) {
		t.Error("the whole is not Chakra's")
	}
}

func FuzzChakra(f *testing.F) {
	f.Add(converttest.ChakraProto())
	f.Add(converttest.ChakraText())
	f.Fuzz(func(t *testing.T, text string) {
		chakra.IsProto([]byte(text))
		if r, err := converttest.TryText(t, "chakra", text); err == nil {
			r.Check(t)
		}
	})
}
