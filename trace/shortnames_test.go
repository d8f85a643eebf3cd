package trace_test

import (
	"gpureplay/trace"
	"slices"
	"strings"
	"testing"
)

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

// A name that is too long loses its end or its middle, counted in runes.
func TestShorten(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{trace.Shorten("abcdef", 4), "abc…"}, {trace.Shorten("größe", 5), "größe"},
		{trace.ShortenMiddle("abcdef", 4), "a…ef"}, {trace.ShortenMiddle("größe", 5), "größe"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
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
