package command

import (
	"os"
	"path/filepath"
	"testing"

	"gpureplay/trace/tracetest"
)

// How many runs go on at once changes neither a byte that is printed nor one of the tables.
func TestJobsChangeNothing(t *testing.T) {
	dir := t.TempDir()
	overlap, nested := filepath.Join(dir, "hsp.trace.zst"), filepath.Join(dir, "bfs.trace.zst")
	capture, other := filepath.Join(dir, "capture.trace.zst"), filepath.Join(dir, "other.trace.zst")
	must(t, "sample", "hsp", "--param=n=64", "--param=kernels=4", "-o", overlap)
	must(t, "sample", "dp-bfs", "--param=scale=8", "-o", nested)
	for _, path := range []string{capture, other} {
		data := tracetest.Encode(t, "meta gpu=k20c fidelity=kernel\nlaunch a grid=1 block=32 fidelity=kernel ns=400 "+
			"host=0 start=1000 duration=1000\n"+
			"sync\nwork 500\nlaunch b grid=1 block=32 fidelity=kernel ns=400 host=2500 start=3500 duration=1000\n")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"--policy=serial,hyperq,crcs,ppcs", "--tables=runs,kernels", overlap},
		{"--policy=ppcs", "--sensitivity=launch", "--tables=runs", overlap},
		{"--policy=offline-search,cdp", "--tables=runs", nested},
		{"explain", overlap},
		{"explain", "--json", overlap},
		{"what-if", capture},
		{"correlate", capture, other},
	} {
		t.Run(args[0]+" "+filepath.Base(args[len(args)-1]), func(t *testing.T) {
			var printed, dirs [2]string
			for i, jobs := range []string{"1", "5"} {
				dirs[i] = t.TempDir()
				t.Chdir(dirs[i]) // replays write replay-out
				printed[i] = must(t, append(args, "--jobs="+jobs)...)
			}
			if printed[0] != printed[1] {
				t.Errorf("five at once:\n%s\none:\n%s", printed[1], printed[0])
			}
			one, five := filepath.Join(dirs[0], "replay-out"), filepath.Join(dirs[1], "replay-out")
			if _, err := os.Stat(one); err == nil { // it writes tables
				sameFiles(t, "five at once", sweepContents(t, five), sweepContents(t, one))
			}
		})
	}
}
