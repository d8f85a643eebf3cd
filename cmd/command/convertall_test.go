package command

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A folder of ranks becomes a folder of traces, one for each device. Files that are
// no captures are passed over.
func TestConvertFolder(t *testing.T) {
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "traces")
	event := func(device, at int) string {
		return fmt.Sprintf(`{"ph":"X","cat":"kernel","name":"k","ts":%d,"dur":2,"pid":%d,"tid":7,"args":{"device":%[2]d,`+
			`"stream":7,"grid":[1,1,1],"block":[32,1,1]}}`, at, device)
	}
	for name, text := range map[string]string{
		"rank0.json": `{"schemaVersion":1,"traceEvents":[` + event(0, 1) + `]}`,
		"rank1.json": `{"schemaVersion":1,"traceEvents":[` + event(0, 1) + "," + event(3, 5) + "," + event(3, 9) + `]}`,
		"notes.md":   "no capture",
	} {
		if err := os.WriteFile(filepath.Join(in, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	must(t, "convert", in, "-o", out+"/")
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if want := "[rank0.trace.zst rank1.device0.trace.zst rank1.device3.trace.zst]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// An archive of one capture is that capture; of several, -o DIR/ makes a trace of each.
func TestConvertArchive(t *testing.T) {
	dir := t.TempDir()
	archive := func(name string, files ...string) string {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, f := range files {
			text := `{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"pid":0,"tid":7,` +
				`"args":{"device":0,"stream":7,"grid":[1,1,1],"block":[32,1,1]}}]}`
			if f == "notes.md" {
				text = "no capture"
			}
			if err := w.WriteHeader(&tar.Header{Name: f, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one, two := archive("one.tar", "job/rank0.json"), archive("two.tar", "job/rank0.json", "job/rank1.json")
	target := filepath.Join(dir, "t.trace.zst")
	must(t, "convert", one, "-o", target)
	must(t, "compare", one, target)
	fails(t, 1, []string{"two.tar holds 2 captures", "job/rank0.json", "-o DIR/"}, "convert", two, "-o",
		filepath.Join(dir, "no.trace.zst"))
	out := filepath.Join(dir, "traces")
	must(t, "convert", two, "-o", out+"/")
	for _, name := range []string{"job-rank0.trace.zst", "job-rank1.trace.zst"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
	fails(t, 1, []string{"nothing in it is a capture"}, "convert", archive("none.tar", "notes.md"), "-o", target)
}
