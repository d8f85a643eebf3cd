package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/internal/durable"
)

// verify and convert refuse the same traces as replay, with the same words.
func TestRefusedAlike(t *testing.T) {
	const task = "spawn k grid=1 block=32 deps=%d\ncta 0\n warp 0\n  int\nspawn k grid=1 block=32\ncta 0\n warp 0\n  int\n"
	for _, c := range []struct{ text, want string }{
		{fmt.Sprintf(task, 0), "task 0 depends on task 0, which is not spawned before it"},
		{fmt.Sprintf(task, 1), "task 0 depends on task 1, which is not spawned before it"},
		{"launch k grid=1 block=32\ncta 0\n warp 0\n  load bulk R1 @0x1000+4 n=2147483648\n",
			"2147483648 addresses, more than 2147483647"},
		{"array a bytes=64\nh2d a bytes=65\nlaunch k grid=1 block=32\n", "(a) has 64 bytes; a copy or a file of it has 65"},
		{"array a bytes=64\nread a bytes=128\nlaunch k grid=1 block=32\n", "a copy or a file of it has 128"},
		{"array a base=0x1000 bytes=64\nd2h a bytes=8 addr=0x103c\nlaunch k grid=1 block=32\n",
			"(a) lies from 0x1000 to 0x1040; its copies go from 0x103c to 0x1044"},
		{"array a base=0x1000 bytes=64\nmemset a bytes=8 addr=0xff8\nlaunch k grid=1 block=32\n", "go from 0xff8 to 0x1000"},
		{"array a bytes=64\nh2d a bytes=8 addr=0xfffffffffffffffe\n", "end behind the last address"},
		{"launch k grid=1 block=32\ncta 0\n warp 0\n  load w5 R1 @0x1000+5\n",
			"a thread accesses 5 bytes; want 1, 2 or a multiple of 4"},
		{"array a\rlaunch k\r", "lines end in carriage returns alone"},
		{"array a\x00b bytes=4\n", "holds a zero byte"},
		{"array \xe9 bytes=4\n", "the line is not UTF-8"},
	} {
		path, dir := textTrace(t, c.text), t.TempDir()
		for _, args := range [][]string{{"verify", path}, {"convert", path, "-o", filepath.Join(dir, "t.trace.zst")},
			{"--policy=hyperq", "--gpu=k20c", "-o", dir, path}} {
			fails(t, 1, []string{c.want}, args...)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%q leaves %v", c.text, left)
		}
	}
}

// A trace whose name is too long for a folder of tables is refused before another one is replayed.
func TestLongNameIsRefusedAtOnce(t *testing.T) {
	short, dir := textTrace(t, "launch k grid=1 block=32\n"), t.TempDir()
	long := filepath.Join(t.TempDir(), strings.Repeat("漢", 80)+".txt")
	if err := os.Rename(textTrace(t, "launch k grid=1 block=32\n"), long); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, []string{"is too long for a folder"}, "--policy=serial", "--gpu=k20c", "-o", dir, short, long)
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("the first trace is replayed: %v", left)
	}
}

// A killed process's files are removed by the next command that writes there, whatever it writes.
func TestLeftoversAreRemoved(t *testing.T) {
	path := textTrace(t, "launch k grid=1 block=32\n")
	run := t.TempDir()
	must(t, "--quiet", "--policy=serial", "--gpu=k20c", "-o", run, path)
	for _, args := range [][]string{
		{"sample", "vecadd", "-o", "v.trace.zst"}, {"convert", path, "-o", "c.trace.zst"}, {"report", run, "-o", "r.html"},
		{"report", run, "--figures=.", "-o", "r.html"},
	} {
		dir := t.TempDir()
		t.Chdir(dir)
		// above the largest id of a process
		name := strings.Replace(durable.Partial("x.html"), fmt.Sprintf("-%d-", os.Getpid()), "-4194999-", 1)
		if err := os.WriteFile(name, []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
		must(t, args...)
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("replay %s leaves %s", strings.Join(args, " "), name)
		}
	}
}

// Odd data is told of: waits for events that are never recorded, and arrays of one name.
func TestOddDataIsTold(t *testing.T) {
	out := must(t, "--policy=serial", "--gpu=k20c", "-o", t.TempDir(),
		textTrace(t, "array a bytes=64\narray a bytes=64\nwait 7 stream=1\nlaunch f grid=1 block=32 stream=1\nsyncevent 8\n"))
	for _, want := range []string{"event_not_recorded (info): 2 waits", "array_name_twice (info): 1 arrays"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s\ndoes not say: %s", out, want)
		}
	}
}

// Arrays of 10^18 bytes are no alarm of the auditor: neither copies with more cycles than a float64 holds, nor
// copies that take no time and push each other out of the L2.
func TestAuditOfHugeCopies(t *testing.T) {
	const twice = "array a bytes=1000000000000000000\narray b base=0x7000000000000000 bytes=1000000000000000000\nh2d " +
		"a\nh2d b\n"
	path := textTrace(t, twice+"launch f grid=1 block=32\nd2h a\n")
	must(t, "--audit", "--policy=nocopy,single-overlap", "--gpu=h100", "-o", t.TempDir(), path)
	must(t, "--audit", "--policy=nocopy,single-overlap,hyperq,serial", "--gpu=k20c", "-o", t.TempDir(), path)
}
