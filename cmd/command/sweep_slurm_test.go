package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// asCommand makes the test's executable the command itself, for programs that start it by its path.
const asCommand = "REPLAY_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	if os.Getenv(cacheVariable) == "" {
		os.Setenv(cacheVariable, "off") // tests leave nothing in the user's cache
	}
	if os.Getenv("GOGC") == "" { // after its first collection a command sets 50 for small live data, as between tests
		os.Setenv("GOGC", "400")
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}

// fakeSbatch keeps each script that it is handed, with its arguments, and answers
// as sbatch --parsable does.
const fakeSbatch = `#!/bin/sh
n=$(ls "$FAKE_JOBS" | grep -c sh$)
cat >"$FAKE_JOBS/$n.sh"
echo "$@" >"$FAKE_JOBS/$n.args"
echo "$((7000 + n));cluster"
`

// fakeSlurm puts the fake on the PATH and returns the folder of its jobs.
func fakeSlurm(t *testing.T) string {
	t.Helper()
	bin, jobs := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "sbatch"), []byte(fakeSbatch), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("FAKE_JOBS", jobs)
	t.Setenv(asCommand, "1")
	return jobs
}

// task runs a script as a node would, and returns whether it succeeded.
func task(t *testing.T, script string, index int) bool {
	t.Helper()
	cmd := exec.Command("bash", script)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", index))
	out, err := cmd.CombinedOutput()
	if len(out) > 0 {
		t.Errorf("task %d said %s instead of writing its log", index, out)
	}
	return err == nil
}

// The array's tasks run each just their cell. The next job merges the same tables as a sweep on one machine.
func TestSweepBySlurm(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	jobs := fakeSlurm(t)
	file := sweepFolder(t, "traces = '*.trace.zst'\ngpus = 'gk110-ppcs'\npolicies = ['serial', 'ppcs']\ntables = "+
		"'metrics'\n[slurm]\noptions = ['--partition=long', '--mem=1G']\n")
	dir := filepath.Join(t.TempDir(), `it's 100 %j "out" $HOME`)
	must(t, "sweep", "--quiet", "--cells=1", "-o", dir, file) // finished before

	script := must(t, "sweep", "--launcher=slurm", "--dry-run", "-o", dir, file)
	for _, want := range []string{"#SBATCH --array=0,2-3\n", "#SBATCH --partition=long\n", "#SBATCH --mem=1G\n",
		"--cells=\"$SLURM_ARRAY_TASK_ID\"", "--collect"} {
		if !strings.Contains(script, want) {
			t.Errorf("the script lacks %q:\n%s", want, script)
		}
	}
	if out, err := exec.Command("bash", "-n", "-c", script).CombinedOutput(); err != nil {
		t.Errorf("bash: %s", out)
	}
	if handed, _ := filepath.Glob(filepath.Join(jobs, "*")); len(handed) > 0 {
		t.Errorf("a dry run called sbatch: %v", handed)
	}

	out := must(t, "sweep", "--launcher=slurm", "-o", dir, file)
	if want := "array job 7000: 3 tasks for 3 cells; job 7001 merges"; !strings.HasPrefix(out, want) {
		t.Errorf("it says %q, want %q", out, want)
	}
	if args, _ := os.ReadFile(filepath.Join(jobs, "1.args")); string(args) != "--parsable --dependency=afterany:7000\n" {
		t.Errorf("the second job was handed over with %q", args)
	}
	cells := func() int {
		all, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", "cells", "[0-9a-f]*"))
		return len(all)
	}
	array, collect := filepath.Join(jobs, "0.sh"), filepath.Join(jobs, "1.sh")
	for i, index := range []int{3, 0} {
		if !task(t, array, index) || cells() != 2+i {
			t.Fatalf("task %d: %d cells, want %d", index, cells(), 2+i)
		}
	}
	if task(t, collect, 0) {
		t.Error("the merging job succeeded without one of the cells")
	}
	log, err := os.ReadFile(filepath.Join(dir, "slurm", "collect.log"))
	if err != nil || !strings.Contains(string(log), "cell 2, small on gk110-ppcs under serial: is not finished") {
		t.Errorf("the log of the merging job: %v\n%s", err, log)
	}
	if !task(t, array, 2) || !task(t, collect, 0) {
		t.Error("the last task or the merging job failed")
	}
	os.RemoveAll(filepath.Join(dir, "slurm"))
	local := filepath.Join(t.TempDir(), "out")
	must(t, "sweep", "--quiet", "-o", local, file)
	sameFiles(t, "by Slurm", sweepContents(t, dir), sweepContents(t, local))

	// Nothing is left to hand over.
	must(t, "sweep", "--launcher=slurm", "-o", dir, file)
	if handed, _ := filepath.Glob(filepath.Join(jobs, "*.sh")); len(handed) != 2 {
		t.Errorf("sbatch was handed %v", handed)
	}
	// A grid that has changed meanwhile: no task takes an index for another cell.
	writeSweep(t, filepath.Dir(file), "traces = '*.trace.zst'\ngpus = 'gk110-ppcs'\npolicies = ['ppcs', "+
		"'serial']\ntables = 'metrics'\n")
	if task(t, array, 0) {
		t.Error("a task ran in a grid that is not its own")
	}
	log, _ = os.ReadFile(filepath.Join(dir, "slurm", "0.log"))
	if !strings.Contains(string(log), "has changed since") {
		t.Errorf("its log: %s", log)
	}
}

// A grid of more cells than an array has tasks gives each several; sbatch that
// refuses, or is not there, is one clear line.
func TestSweepBySlurmAtItsLimits(t *testing.T) {
	file := sweepFolder(t, "traces = '*.trace.zst'\ngpus = 'gk110-ppcs'\npolicies = 'serial'\n[set]\nkmu.hwqs = { "+
		"from = 1, to = 1250, step = 1 }\n")
	script := must(t, "sweep", "--launcher=slurm", "--dry-run", "-o", "nowhere", file)
	for _, want := range []string{"--array=0-833\n",
		`--cells="$((SLURM_ARRAY_TASK_ID * 3))-$((SLURM_ARRAY_TASK_ID * 3 + 2))"`} {
		if !strings.Contains(script, want) {
			t.Errorf("the script lacks %q:\n%s", want, script)
		}
	}
	if _, err := os.Stat("nowhere"); err == nil {
		t.Error("a dry run has made a folder")
	}
	writeSweep(t, filepath.Dir(file), "traces = '*.trace.zst'\ngpus = 'gk110-ppcs'\npolicies = 'serial'\n")
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	dir := filepath.Join(t.TempDir(), "out")
	fails(t, 1, []string{"sbatch", "not found"}, "sweep", "--launcher=slurm", "-o", dir, file)
	for answer, want := range map[string]string{"echo no such partition >&2; exit 1": "no such partition",
		"echo done": "no job id"} {
		if err := os.WriteFile(filepath.Join(bin, "sbatch"), []byte("#!/bin/sh\n"+answer+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		fails(t, 1, []string{"sbatch", want}, "sweep", "--launcher=slurm", "-o", dir, file)
	}
	fails(t, 2, []string{"--cells"}, "sweep", "--launcher=slurm", "--cells=3", "-o", dir, file)
}
