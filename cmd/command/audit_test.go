package command

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// The auditor keeps a book for touched pages only. A trace whose arrays claim a terabyte ends with the same
// sentence as without the auditor.
func TestAuditOfHugeArray(t *testing.T) {
	const text = `array a base=0x100000 bytes=1024G input
h2d a
launch k grid=1 block=32
cta 0
range a read 0..1099511627776
warp 0
load R1 @0x100000+4
exit
d2h a
`
	dir := t.TempDir()
	path := filepath.Join(dir, "huge.txt")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fails(t, 1, []string{"crcs", "pages", "host.page_bytes"}, "--audit", "--policy=crcs", "--gpu=gk110-ppcs", "-o",
		filepath.Join(dir, "out"), path)
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 1000 {
		t.Errorf("%d MiB allocated", got)
	}
}

// Kernels without a grid are a CTA each, and no violation.
func TestAuditOfKernelsWithoutAGrid(t *testing.T) {
	trace := textTrace(t, "launch a fidelity=none start=10 duration=50\nlaunch b start=100 duration=50\n")
	must(t, "--audit", "--policy=captured,hyperq,serial", "-o", t.TempDir(), trace)
}
