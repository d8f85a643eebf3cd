package trace_test

import (
	"bytes"
	"strings"
	"testing"

	"gpureplay/trace"
)

// Names that no table can hold are changed when they are written, and counted;
// what was sound stays.
func TestNamesAreUTF8(t *testing.T) {
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, trace.Options{})
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
	r, err := trace.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	p := r.Program()
	got := []string{p.Meta.GPU, p.Meta.Attrs[0].Value, p.Arrays[0].Name, p.Arrays[1].Name, p.Functions[0].Name, p.Scopes[0].Name}
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

// A text may begin with a byte order mark.
func TestTextWithBOM(t *testing.T) {
	const text = "\uFEFFtrace 1\narray a bytes=64\n"
	if !trace.IsText([]byte(text)) {
		t.Error("not recognised as text")
	}
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.ParseText("t", strings.NewReader(text), w); err != nil {
		t.Error(err)
	}
}

// The writer refuses what replays and readers refuse.
func TestWriterRefuses(t *testing.T) {
	for _, c := range []struct {
		want string
		ops  []trace.HostOp
	}{
		{"task 0 depends on task 0, which is not spawned before it", []trace.HostOp{{Kind: trace.OpSpawn, Deps: []uint32{0}}}},
		{"task 0 depends on task 1, which is not spawned before it", []trace.HostOp{{Kind: trace.OpSpawn, Deps: []uint32{1}}, {Kind: trace.OpSpawn, Kernel: 1}}},
		{"", []trace.HostOp{{Kind: trace.OpSpawn}, {Kind: trace.OpSpawn, Kernel: 1, Deps: []uint32{0}}}},
	} {
		w, err := trace.NewWriter(new(bytes.Buffer), trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.ops {
			if err == nil {
				err = w.Host(&c.ops[i])
			}
		}
		if got := text(err); got != c.want {
			t.Errorf("%v, want %q", got, c.want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"bfs": "bfs", "void bfs<int>(int*, int)": "bfs",
		"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1> >(int, f)": "vectorized_elementwise_kernel",
		"(anonymous namespace)::softmax(float*)": "softmax", "ampere_sgemm_128x64_tn": "ampere_sgemm_128x64_tn", "<lambda>": "<lambda>", "": "",
	} {
		if got := trace.ShortName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}
