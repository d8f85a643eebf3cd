package container_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/text"
	"gpureplay/trace/tracetest"
)

// Two writers make the same bytes of the same trace.
func TestSameBytes(t *testing.T) {
	if !bytes.Equal(tracetest.Encode(t, tracetest.Vecadd), tracetest.Encode(t, tracetest.Vecadd)) {
		t.Error("two containers of one text differ")
	}
}

// The hash tells traces apart, and not zstd levels.
func TestHash(t *testing.T) {
	pack := func(lines string, opt container.Options) string {
		var out bytes.Buffer
		w, err := container.NewWriter(&out, opt)
		if err == nil {
			err = text.Parse("text", strings.NewReader(lines), w)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return tracetest.Read(t, out.Bytes()).Hash()
	}
	hash := pack(tracetest.Vecadd, container.Options{})
	if len(hash) != 32 || hash != pack(tracetest.Vecadd, container.Options{Level: 19}) {
		t.Errorf("%q depends on the level", hash)
	}
	if hash == pack(strings.Replace(tracetest.Vecadd, "x3", "x4", 1), container.Options{}) {
		t.Error("another trace has the same hash")
	}
}

func ExampleReader() {
	path := filepath.Join(os.TempDir(), "example.trace.txt")
	text := "launch k grid=2 block=64\ncta 0..1\nwarp 0..1\nload @0x1000+4 cta=256 warp=128\nexit\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err)
	}
	defer os.Remove(path)
	r, err := container.Open(path)
	if err != nil {
		panic(err)
	}
	defer r.Close()
	ctas, err := r.CTAs(0, 1) // kernel 0 from CTA 1 on
	if err != nil {
		panic(err)
	}
	var c trace.CTA
	for ctas.Next(&c) != io.EOF {
		for _, w := range c.Warps {
			a := w.Mem[0]
			fmt.Println("CTA", c.ID, "warp", w.ID, "path", w.Path, "address", a.Base, "stride", a.Stride)
		}
	}
	// Output:
	// CTA 1 warp 0 path [0 1] address 4352 stride 4
	// CTA 1 warp 1 path [0 1] address 4480 stride 4
}
