package accelsim_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// The counts are those that the captures' notices state.
func TestCaptures(t *testing.T) {
	want := map[string]trace.Totals{
		"bfs":       {Kernels: 16, CTAs: 128, WarpInsts: 159_509, MemInsts: 38_584},
		"backprop":  {Kernels: 33, CTAs: 1169, WarpInsts: 79_040, MemInsts: 9745},
		"vectoradd": {Kernels: 1, CTAs: 196, WarpInsts: 26_601, MemInsts: 4689},
	}
	for _, c := range captures[:3] {
		t.Run(c.name, func(t *testing.T) {
			r := tracetest.Read(t, converted(t, c.path))
			if err := container.Verify(t.Context(), r, func(err error) { t.Error(err) }); err != nil {
				t.Fatal(err)
			}
			got, want := r.Program().Totals, want[c.name]
			if got.Kernels != want.Kernels || got.CTAs != want.CTAs || got.WarpInsts != want.WarpInsts ||
				got.MemInsts != want.MemInsts {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

// A capture survives the text form: the same text again, and the same contents
// down to the last byte.
func TestCaptureAsText(t *testing.T) {
	for _, c := range captures[:3] {
		t.Run(c.name, func(t *testing.T) {
			r := tracetest.Read(t, converted(t, c.path))
			text := tracetest.Text(t, r)
			path := filepath.Join(t.TempDir(), "trace.txt")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			again, err := container.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if tracetest.Text(t, again) != text {
				t.Error("the text changes")
			}
			if again.Hash() != r.Hash() {
				t.Errorf("the contents change: %s, %s", r.Hash(), again.Hash())
			}
		})
	}
}

// A trace is smaller than the same capture as .traceg.xz, as the tracer writes it (xz -1, each kernel on its own).
func TestSmallerThanXZ(t *testing.T) {
	xz, err := exec.LookPath("xz")
	if err != nil {
		t.Skip("there is no xz program here")
	}
	for _, c := range captures[:3] {
		t.Run(c.name, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(filepath.Dir(tracetest.Data(t, c.path)), "*.traceg"))
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			packed := 0
			for _, f := range files {
				out, err := exec.Command(xz, "-1", "-c", "-k", f).Output()
				if err != nil {
					t.Fatal(err)
				}
				packed += len(out)
			}
			file := converted(t, c.path)
			t.Logf("%d bytes, %d as .traceg.xz", len(file), packed)
			if len(file)*4 > packed {
				t.Errorf("%d bytes, more than a quarter of %d", len(file), packed)
			}
		})
	}
}
