//go:build unix

package hostile

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var build struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(build.dir)
	os.Exit(code)
}

// built returns the command, which the first call builds.
func built(t *testing.T) string {
	t.Helper()
	build.once.Do(func() {
		if build.dir, build.err = os.MkdirTemp("", "hostile"); build.err == nil {
			var out []byte
			out, build.err = exec.Command("go", "build", "-o", filepath.Join(build.dir, "replay"),
				"gpureplay/cmd/replay").CombinedOutput()
			if build.err != nil {
				build.err = fmt.Errorf("%w: %s", build.err, out)
			}
		}
	})
	if build.err != nil {
		t.Fatal(build.err)
	}
	return filepath.Join(build.dir, "replay")
}

// start prepares a command in a folder, without a cache of captures.
func start(command, dir string, args ...string) *exec.Cmd {
	c := exec.Command(command, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "REPLAY_CACHE=off")
	return c
}

func run(t *testing.T, command, dir string, args ...string) (string, error) {
	t.Helper()
	out, err := start(command, dir, args...).CombinedOutput()
	return string(out), err
}

// kineto is a capture of 4,000 kernels.
func kineto() string {
	var b strings.Builder
	b.WriteString(`{"deviceProperties":[{"id":0,"name":"NVIDIA A100","numSms":108,"computeMajor":8,"computeMinor":0}],` +
		`"traceEvents":[`)
	for i := range 4000 {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%d,"dur":3,`+
			`"args":{"correlation":%d}},`, 10*i, i)
		fmt.Fprintf(&b, `{"ph":"X","cat":"kernel","name":"k%d","pid":0,"tid":7,"ts":%d,"dur":5,"args":{"correlation":%d,`+
			`"device":0,"stream":7,"grid":[%d,1,1],"block":[128,1,1],"registers per thread":16}}`, i%9, 10*i+4, i, 1+i%50)
	}
	return b.String() + "]}"
}

// job is a command that is killed. It finds the inputs in the folder above its own.
type job struct {
	name string
	args []string
}

var jobs = []job{
	{"convert", []string{"convert", "../capture.json", "-o", "out.trace.zst"}},
	{"replay", []string{"--policy=serial,hyperq", "--gpu=k20c", "--tables=runs,kernels,ctas,memory", "-o", "out",
		"../t.trace.zst"}},
	{"sweep", []string{"sweep", "-o", "out", "../sweep.toml"}},
	{"export", []string{"export", "-o", "out", "../t.trace.zst"}},
	{"export traceg", []string{"export", "--format=traceg", "--sm=35", "-o", "out", "../t.trace.zst"}},
	{"report", []string{"report", "../tables", "-o", "out.html"}},
	{"timeline", []string{"timeline", "../tables", "-o", "out.perfetto"}},
	{"sample", []string{"sample", "hsp", "--param=kernels=2", "-o", "out.trace.zst"}},
}

// inputs writes the files that the jobs read.
func inputs(t *testing.T, command, dir string) {
	t.Helper()
	for name, text := range map[string]string{"capture.json": kineto(), "sweep.toml": "traces = 't.trace.zst'\n" +
		"gpus = ['k20c']\npolicies = ['serial', 'hyperq']\ntables = ['runs', 'kernels']\n[set]\nkmu.hwqs = [1, 32]\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"sample", "hsp", "--param=kernels=2", "-o", "t.trace.zst"},
		{"--quiet", "--policy=serial", "--gpu=k20c", "--tables=runs,kernels,ctas", "-o", "tables", "t.trace.zst"}} {
		if out, err := run(t, command, dir, args...); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
}

// hidden reports files that have no final name: partial ones, and files of commits.
func hidden(path string) bool { return strings.HasPrefix(path, ".") || strings.Contains(path, "/.") }

// A command that is killed at any moment leaves whole files, or none, under final names. The same command then
// succeeds, and leaves the files of one that was never killed, and no others.
func TestKilledCommands(t *testing.T) {
	command, top, r := built(t), t.TempDir(), random(3)
	inputs(t, command, top)
	wants, lasts := make([]map[string]string, len(jobs)), make([]time.Duration, len(jobs))
	hit := 0
	for n := range *kills {
		i := n % len(jobs)
		dir := filepath.Join(top, fmt.Sprint(n))
		work := func() {
			began := time.Now()
			if out, err := run(t, command, dir, jobs[i].args...); err != nil {
				t.Fatalf("%s: %v\n%s", jobs[i].name, err, out)
			}
			lasts[i] = time.Since(began)
		}
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if wants[i] == nil {
			work()
			wants[i] = tree(t, dir)
			os.RemoveAll(dir)
			os.Mkdir(dir, 0o777)
		}
		c := start(command, dir, jobs[i].args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(r.Int64N(int64(lasts[i]))), func() { c.Process.Signal(syscall.SIGKILL) })
		if c.Wait() != nil {
			hit++
		}
		what := fmt.Sprintf("seed %d, kill %d: %s", *seed, n, jobs[i].name)
		for path, data := range tree(t, dir) {
			if want, ok := wants[i][path]; !hidden(path) && (!ok || data != want) {
				t.Errorf("%s: %s is there with %d bytes, want %d", what, path, len(data), len(want))
			}
		}
		work()
		if got := tree(t, dir); !maps.Equal(got, wants[i]) {
			t.Errorf("%s: after the next run %v, want %v", what, slices.Sorted(maps.Keys(got)),
				slices.Sorted(maps.Keys(wants[i])))
		}
		os.RemoveAll(dir)
	}
	t.Logf("seed %d: %d commands, %d of them killed before their end", *seed, *kills, hit)
}
