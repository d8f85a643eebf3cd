package replay_test

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/samples/samplestest"
	_ "gpureplay/samples/tasks"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// audited replays a trace under all policies that apply, with the auditor.
func audited(t testing.TB, r *container.Reader, as host.AsTasks, flags map[string]string) []*replay.Result {
	t.Helper()
	cfg, err := hardware.Preset("titanx-maxwell")
	if err != nil {
		t.Fatal(err)
	}
	f, err := policies.ProfileTrace(r, as)
	if err != nil {
		t.Fatal(err)
	}
	choices, _, err := policies.Applicable(f, flags)
	if err != nil {
		t.Fatal(err)
	}
	results, err := replay.Run(context.Background(), &replay.Job{Trace: r, Name: "t", Config: cfg, Choices: choices,
		Audit: true, AsTasks: as})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range results {
		for _, v := range x.Violations {
			t.Errorf("%s: %s at %d: %s", x.Policy, v.Rule, v.Time, v.What)
		}
	}
	return results
}

// Every workload under every policy, with arrivals, several threadblocks and
// scarce resources of Pagoda, breaks no rule, and all tasks end.
func TestTasksAudited(t *testing.T) {
	scarce := map[string]string{"pagoda-rows": "2", "pagoda-executors": "9", "pagoda-shared": "16384",
		"pagoda-barriers": "2",
		"pagoda-mtbs":     "1", "gemtc-batch": "7", "pagoda-batch-size": "9"}
	for _, w := range [][]string{
		{"tasks-mb", "side=16", "iterations=40", "blocks=3"}, {"tasks-fb", "width=200", "taps=9", "blocks=2"},
		{"tasks-conv", "side=24", "rate=200000"},
		{"tasks-dct", "side=40", "blocks=3"}, {"tasks-mm", "n=32", "sizes=irregular"}, {"tasks-slud", "tiles=5"},
		{"tasks-bf", "width=200"}, {"tasks-3des", "min-bytes=64", "max-bytes=2000"},
		{"tasks-mpe", "side=24", "iterations=40", "width=200", "taps=9", "n=44", "min-bytes=64", "max-bytes=2000",
			"threads=256"},
	} {
		settings := w[1:]
		if w[0] != "tasks-slud" {
			settings = append(settings, "tasks=40")
		}
		r := samplestest.Trace(t, w[0], settings...)
		for _, flags := range []map[string]string{nil, scarce} {
			results := audited(t, r, host.NotTasks, flags)
			if len(results) < 5 {
				t.Errorf("%s: %d policies apply", w[0], len(results))
			}
			for _, x := range results {
				if n := extra(x, "tasks"); n < 20 {
					t.Errorf("%s under %s: %g tasks ended", w[0], x.Policy, n)
				}
				if p50, p99 := extra(x, "task_latency_p50_cycles"), extra(x, "task_latency_p99_cycles"); p50 <= 0 || p99 < p50 {
					t.Errorf("%s under %s: latency p50 %g, p99 %g", w[0], x.Policy, p50, p99)
				}
			}
		}
	}
}

// Code with a barrier that a task's path avoids needs none of GeMTC's workers.
func TestBarriersOffThePath(t *testing.T) {
	results := audited(t, samplestest.Trace(t, "tasks-mm", "tasks=20", "n=16", "threads=64", "tiles=device"),
		host.NotTasks, nil)
	for _, x := range results {
		if x.Policy == "gemtc" {
			return
		}
	}
	t.Error("gemtc does not apply")
}

// An input that takes longer than the launch behind it: a task can be scheduled
// once both are there.
func TestInputsSlowerThanLaunches(t *testing.T) {
	kernel := "cta 0\n warp 0\n  int x300 R2 <- R2\n  exit\n"
	audited(t, tracetest.FromText(t, "spawn a grid=1 block=32 in=1000000\n"+kernel+
		"spawn b grid=1 block=32 in=1000000 out=64\n"+kernel), host.NotTasks, nil)
}

func extra(r *replay.Result, name string) float64 {
	for _, m := range r.Run.Extra {
		if m.Name == name {
			return m.Value
		}
	}
	return 0
}

// Launches run as tasks: independent ones pass each other, launches in one stream do not, and joins of streams
// hold.
func TestLaunchesAsTasks(t *testing.T) {
	kernel := "cta 0\n warp 0\n  int x300 R2 <- R2\n  exit\n"
	text := "launch a grid=1 block=32 stream=1\n" + kernel + "launch b grid=1 block=32 stream=1\n" + kernel +
		"record 7 stream=1\nwait 7 stream=2\nlaunch c grid=1 block=32 stream=2\n" + kernel + "sync\n"
	cycles := map[host.AsTasks]model.Time{}
	for _, as := range []host.AsTasks{host.TasksIndependent, host.TasksInStreams} {
		for _, x := range audited(t, tracetest.FromText(t, text), as, nil) {
			if n := extra(x, "tasks"); n != 3 {
				t.Errorf("%v, %s: %g tasks", as, x.Policy, n)
			}
			if x.Policy == "pthreads" {
				cycles[as] = x.Run.Cycles
			}
		}
		if !strings.Contains(as.Assumption(), "run as a narrow task") {
			t.Errorf("%v: assumption %q", as, as.Assumption())
		}
	}
	if a, b := cycles[host.TasksIndependent], cycles[host.TasksInStreams]; b < 3*a-3 {
		t.Errorf("three tasks take %d cycles side by side and %d one after another on 20 cores", a, b)
	}
}

// A profiler capture, whose kernels have durations and no instructions.
func TestCapturedDurationsAsTasks(t *testing.T) {
	text := "launch a grid=4 block=256 duration=50000 fidelity=kernel\nlaunch b grid=2 block=64 duration=20000 " +
		"fidelity=kernel\nsync\n"
	for _, x := range audited(t, tracetest.FromText(t, text), host.TasksIndependent, nil) {
		if x.Run.Cycles < 50000 || x.Run.Cycles > 50000+150000 {
			t.Errorf("%s: %d cycles for kernels of 50 and 20 us", x.Policy, x.Run.Cycles)
		}
	}
}

// BenchmarkTasks replays very many tasks; the heap must not grow with them.
func BenchmarkTasks(b *testing.B) {
	const n = 1_000_000
	r := samplestest.Trace(b, "tasks-mb", "tasks="+strconv.Itoa(n), "side=8", "iterations=4", "threads=32", "inputs=4")
	cfg, err := hardware.Preset("titanx-maxwell")
	if err != nil {
		b.Fatal(err)
	}
	for _, policy := range []string{"pagoda", "hyperq", "gemtc", "pthreads"} {
		b.Run(policy, func(b *testing.B) {
			choices, err := policies.Parse(policy, nil)
			if err != nil {
				b.Fatal(err)
			}
			var mem runtime.MemStats
			for b.Loop() {
				results, err := replay.Run(context.Background(), &replay.Job{Trace: r, Name: "t", Config: cfg, Choices: choices})
				if err != nil || extra(results[0], "tasks") != n {
					b.Fatal(err)
				}
			}
			runtime.ReadMemStats(&mem)
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
			b.ReportMetric(float64(mem.HeapSys)/1e6, "heap-MB")
		})
	}
}
