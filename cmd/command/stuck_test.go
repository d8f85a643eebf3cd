package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/replay"
	"gpureplay/replay/table"
)

// textTrace writes a trace as text and returns its path.
func textTrace(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.txt")
	if err := os.WriteFile(path, []byte("trace 1\n"+text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// One SM for one CTA. The first kernel's CTA 0 gives back page 0, which lets kernel 1 have the SM. It waits for
// page 1, which belongs to the first kernel, whose CTA 1 waits for the SM. The guard of PPCS prevents it; without,
// the run ends with status 1 and the names of both.
const pageDeadlock = `
array P bytes=12K input output
read P
h2d P
launch a grid=2 block=32
cta 0..1
 warp 0
  load R2 <- R1 @P+4 cta=4096
  store <- R1 R2 @P+4 cta=4096
  exit
launch b grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @P+4
  load R3 <- R1 @P[0x1000]+4
  exit
d2h P
`

// Two parents wait for children in one queue, with room for one child. One of their warps waits at a barrier for a
// warp that waits.
const tightChildren = `
launch p grid=2 block=64
cta 0
 warp 0
  devlaunch
  child 1 lane=0..1 work=1 params=64 marked
  devsync
  barrier
  exit
 warp 1
  barrier
  exit
cta 1
 warp 0
  devlaunch
  child 3 lane=0 work=1 params=64 marked
  devsync
  exit
 warp 1
  exit
kernel kid grid=1 block=64 child
cta 0
 warp 0..1
  int
  exit
kernel kid grid=1 block=64 child
cta 0
 warp 0..1
  int
  exit
kernel kid grid=1 block=64 child
cta 0
 warp 0..1
  int
  exit
`

// Work that can never move ends the run with status 1 and one line that names the waits; a trace that a tight
// machine can run ends.
func TestNothingHangs(t *testing.T) {
	room := []string{"--quiet", "--gpu=gk110-ppcs", "--set", "sm.count=1", "--set", "sm.max_ctas=1", "-o", t.TempDir()}
	fails(t, 1, []string{"deadlock at cycle", "CTA 0 of kernel 1 on SM 0 waits for page", "of kernel 0", "1 to place"},
		append(room, "--policy=ppcs,guard=off", textTrace(t, pageDeadlock))...)
	must(t, append(room, "--audit", "--policy=serial,crcs,ppcs", textTrace(t, pageDeadlock))...)
	one := append(room, "--set", "kmu.entries=1", "--set", "kmu.hwqs=1")
	fails(t, 1, []string{"kernel 0 (k)", "CTA", "fits no SM", "shared memory"},
		append(one, "--policy=hyperq", textTrace(t, "launch k grid=1 block=32 shared=900000\ncta 0\n warp 0\n  exit\n"))...)
	fails(t, 1, []string{"task 0 depends on task 1"},
		append(one, "--policy=hyperq", textTrace(t, "spawn k grid=1 block=32 deps=1\ncta 0\n warp 0\n  int\nspawn k "+
			"grid=1 block=32\ncta 0\n warp 0\n  int\n"))...)
	for _, policy := range []string{"cdp", "cdp-ideal", "dtbl", "dtbl-ideal", "spawn", "spawn+dtbl"} {
		must(t, append(one, "--audit", "--policy="+policy, textTrace(t, tightChildren))...)
	}
	// An event that is never recorded holds no stream, as in CUDA.
	must(t, append(one, "--audit", "--policy=hyperq", textTrace(t, "wait 7\nlaunch k grid=1 block=32\ncta 0\n warp "+
		"0\n  exit\nrecord 7\nsyncevent 9\n"))...)
}

// The auditor's findings in all runs are one error, with exit status 1.
func TestViolationsFail(t *testing.T) {
	sound := &replay.Result{Policy: "serial"}
	if err := violations([]*replay.Result{sound}); err != nil {
		t.Errorf("no violation: %v", err)
	}
	broken := &replay.Result{
		Policy:     "crcs",
		Violations: []table.Audit{{Rule: "raw", Time: 7, What: "CTA 1 of kernel 2"}, {Rule: "war", Time: 8}},
	}
	err := violations([]*replay.Result{sound, broken})
	if err == nil {
		t.Fatal("two violations are no error")
	}
	for _, want := range []string{"2 violations", "crcs", "raw", "CTA 1 of kernel 2"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
}
