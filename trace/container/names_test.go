package container_test

import (
	"bytes"
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Names that no table can hold are changed when they are written, and counted; sound ones stay.
func TestNamesAreUTF8(t *testing.T) {
	var out bytes.Buffer
	w, err := container.NewWriter(&out, container.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.SetMeta(trace.Meta{Source: "test", GPU: "a\x00b", Attrs: []trace.Attr{{Key: "k", Value: "\xff"}}})
	w.AddArray(trace.Array{Name: "\xe9t\xe9", Base: 4096, Bytes: 4})
	w.AddArray(trace.Array{Name: "été", Base: 8192, Bytes: 4})
	w.AddFunction("f\xffg")
	w.AddScope(trace.Scope{Name: "step\x00"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := container.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	p := r.Program()
	got := []string{p.Meta.GPU, p.Meta.Attrs[0].Value, p.Arrays[0].Name, p.Arrays[1].Name, p.Functions[0].Name,
		p.Scopes[0].Name}
	want := []string{"a\uFFFDb", "\uFFFD", "\uFFFDt\uFFFD", "été", "f\uFFFDg", "step\uFFFD"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
	if len(p.Diagnostics) != 1 || p.Diagnostics[0].Count != 5 {
		t.Errorf("diagnostics %+v, want 5 names changed", p.Diagnostics)
	}
}

// The writer refuses the traces that replays and readers refuse.
func TestWriterRefuses(t *testing.T) {
	for _, c := range []struct {
		want string
		ops  []trace.HostOp
	}{
		{"task 0 depends on task 0, which is not spawned before it",
			[]trace.HostOp{{Kind: trace.OpSpawn, Deps: []uint32{0}}}},
		{"task 0 depends on task 1, which is not spawned before it",
			[]trace.HostOp{{Kind: trace.OpSpawn, Deps: []uint32{1}}, {Kind: trace.OpSpawn, Kernel: 1}}},
		{"", []trace.HostOp{{Kind: trace.OpSpawn}, {Kind: trace.OpSpawn, Kernel: 1, Deps: []uint32{0}}}},
	} {
		w, err := container.NewWriter(new(bytes.Buffer), container.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.ops {
			if err == nil {
				err = w.Host(&c.ops[i])
			}
		}
		if got := message(err); got != c.want {
			t.Errorf("%v, want %q", got, c.want)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
