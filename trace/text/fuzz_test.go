package text_test

import (
	"bytes"
	"strings"
	"testing"

	"gpureplay/trace/container"
	"gpureplay/trace/text"
	"gpureplay/trace/tracetest"
)

// FuzzText parses any text. The result is an error with a position, or a trace whose text says the same.
func FuzzText(f *testing.F) {
	text.LowerLimits()
	f.Add(tracetest.Vecadd)
	f.Add("launch k grid=4 block=96\ncta 0..3\nwarp 0..2\nrepeat 3\nload @0x100+4 next=64 x2\nend\nfp32 x4 mask=ff\n")
	f.Add("array a 4K\nlaunch k grid=4 block=96 fidelity=cta\ncta 0..3\ntouch a read 0..64\ncount load x7\ncount int " +
		"x1\ncount load x2")
	f.Add("array a 4K\nspawn t arrival=5 in=1K deps=0,1 syncs\nwaittask 0\nkernel t child\ncta 0\nwarp " +
		"0\ndevlaunch\nchild 3 lane=0..3 work=4 marked")
	f.Add("launch a graph=1\nrecord 1 port=begun graph=1\nlaunch b programmatic graph=1\nwait 1 stream=1 graph=1\n" +
		"launch c stream=1 graph=1\nlaunch a graph=2\nmemset addr=16 bytes=4 async graph=2\nsync\n")
	f.Fuzz(func(t *testing.T, lines string) {
		var out bytes.Buffer
		w, err := container.NewWriter(&out, container.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := text.Parse("text", strings.NewReader(lines), w); err != nil {
			if !strings.HasPrefix(err.Error(), "text:") || strings.Contains(err.Error(), "\n") {
				t.Errorf("no position, or several lines: %v", err)
			}
			return
		}
		if w.Close() != nil {
			return
		}
		r := tracetest.Read(t, out.Bytes())
		if err := container.Verify(t.Context(), r, func(err error) { t.Error(err) }); err != nil {
			t.Fatal(err)
		}
		first := tracetest.Text(t, r)
		if again := tracetest.Text(t, tracetest.FromText(t, first)); again != first {
			t.Errorf("the text changes when read again:\n%s\n%s", first, again)
		}
	})
}

// A text may begin with a byte order mark.
func TestTextWithBOM(t *testing.T) {
	const lines = "\uFEFFtrace 1\narray a bytes=64\n"
	if !text.Is([]byte(lines)) {
		t.Error("not recognised as text")
	}
	var out bytes.Buffer
	w, err := container.NewWriter(&out, container.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := text.Parse("t", strings.NewReader(lines), w); err != nil {
		t.Error(err)
	}
}
