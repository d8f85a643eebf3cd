package trace_test

import (
	"bytes"
	"slices"
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
		{"task 0 depends on task 0, which is not spawned before it",
			[]trace.HostOp{{Kind: trace.OpSpawn, Deps: []uint32{0}}}},
		{"task 0 depends on task 1, which is not spawned before it",
			[]trace.HostOp{{Kind: trace.OpSpawn, Deps: []uint32{1}}, {Kind: trace.OpSpawn, Kernel: 1}}},
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
		"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, " +
			"1> >(int, f)": "vectorized_elementwise_kernel",
		"(anonymous namespace)::softmax(float*)": "softmax", "ampere_sgemm_128x64_tn": "ampere_sgemm_128x64_tn",
		"<lambda>": "<lambda>", "": "",
		"_Z6KernelP4NodePiPbS2_S2_S1_i": "Kernel", "std::enable_if<x, int>::type foo::bar<3>(int)": "bar",
		"decltype(auto) a::b<int>(c)": "b", "unsigned int": "unsigned int", "_Zbroken": "_Zbroken",
	} {
		if got := trace.ShortName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

// Functions of one template keep the first argument by which they differ, others their
// plain name; a namespace or the whole name tells apart the rest.
func TestShortNames(t *testing.T) {
	const functor = "at::native::BinaryFunctor<float, float, float, at::native::binary_internal::%sFunctor<float> >"
	elementwise := func(op string) string {
		f := strings.ReplaceAll(functor, "%s", op)
		impl := "at::native::gpu_kernel_impl_nocast<" + f + " >(at::TensorIteratorBase&, " + f + " const&)::{lambda(int)#1}"
		return "void at::native::elementwise_kernel<128, 2, " + impl + ">(int, " + impl + ")"
	}
	names := []string{
		elementwise("Mul"), elementwise("Add"), elementwise("Mul"),
		"_Z6KernelP4NodePiPbS2_S2_S1_i", "_Z7Kernel2PbS_S_S_i",
		"void softmax<float, 10>(float*)", "void softmax<float, 8>(float*)", "void softmax<c10::Half, 8>(c10::Half*)",
		"void a::scan<int>(int)", "void b::scan<int>(int)", "copy(int)", "copy(float)",
	}
	want := []string{
		"elementwise_kernel<MulFunctor>", "elementwise_kernel<AddFunctor>", "elementwise_kernel<MulFunctor>",
		"Kernel", "Kernel2",
		"softmax<float, 10>", "softmax<float, 8>", "softmax<Half, 8>", "a::scan", "b::scan", "copy<int>", "copy<float>",
	}
	if got := trace.ShortNames(names); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// No name makes the shortener fail, and different names stay different.
func FuzzShortNames(f *testing.F) {
	f.Add("void a<b<c>::d(e)::{lambda(f)#1}>(g)", "operator()<operator>>(", ">)::(<:: ,const")
	f.Add("_ZN1aIiE1bIfEEvv", "_ZN1aIiE1bIdEEvv", "x ::y*&")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if got := trace.ShortNames([]string{a, b, c}); len(got) != 3 || a == b && got[0] != got[1] {
			t.Errorf("%q of %q", got, []string{a, b, c})
		}
	})
}
