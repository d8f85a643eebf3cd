package command

import (
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
		return fmt.Sprintf(`{"ph":"X","cat":"kernel","name":"k","ts":%d,"dur":2,"pid":%d,"tid":7,"args":{"device":%[2]d,"stream":7,"grid":[1,1,1],"block":[32,1,1]}}`, at, device)
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
