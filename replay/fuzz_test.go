package replay

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/trace/container"
	"gpureplay/trace/text"
)

// many are counts that make a text long to run and nothing else.
var many = regexp.MustCompile(`(x|\.\.|grid=|block=|work=|,)\s*[0-9]{4,}`)

// FuzzPolicies runs any text under a policy that applies to it, on a small machine, with the auditor: it ends
// without breaking a rule, or gives the reason for its failure in one line.
func FuzzPolicies(f *testing.F) {
	f.Add("array P bytes=8K input output\nread P\nh2d P\nlaunch a grid=3 block=64\ncta 0..2\n warp 0..1\n  load R2 "+
		"<- R1 @P+4 cta=4096\n  barrier\n  store <- R1 R2 @P+4 lane=8\n  exit\nlaunch b grid=1 block=32\ncta 0\n warp "+
		"0\n  load R2 <- R1 @P+4\n  exit\nd2h P\n", uint8(0))
	f.Add("launch p grid=2 block=64\ncta 0\n warp 0\n  devlaunch\n  child 1 lane=0..1 work=1 params=64 marked\n  "+
		"devsync\n  barrier\n  exit\n warp 1\n  barrier\n  exit\nkernel kid grid=1 block=64 child\ncta 0\n warp 0..1\n  "+
		"int\n  exit\n", uint8(1))
	f.Add("spawn t grid=1 block=64 arrival=5 in=1K out=1K\ncta 0\nwarp 0..1\nint x3\nbarrier\nspawn u grid=2 "+
		"block=32 deps=0\ncta 0..1\nwarp 0\nfp32\nwaittask 0\n", uint8(2))
	f.Add("launch f grid=4 block=32\nrecord 3 stream=1\nlaunch g grid=4 block=32 fidelity=cta stream=1\ncta "+
		"0..3\ncount load x7\ncount int x1\nwait 3 stream=2\nsync\n", uint8(3))
	cfg, err := hardware.Preset("gk110-ppcs")
	if err != nil {
		f.Fatal(err)
	}
	cfg.SM.Count, cfg.SM.MaxCTAs, cfg.KMU.Entries, cfg.KMU.HWQs, cfg.Host.StorageMBs = 2, 2, 3, 2, 1e6
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		r := fuzzed(t, text)
		if r == nil {
			return
		}
		facts, err := policies.ProfileTrace(r, host.NotTasks)
		if err != nil {
			t.Fatal(err)
		}
		apply, _, err := policies.Applicable(facts, nil)
		if err != nil || len(apply) == 0 {
			return
		}
		c := apply[int(which)%len(apply)]
		results, err := Run(t.Context(),
			&Job{Trace: r, Name: "t", Config: cfg, Choices: []*policies.Choice{c}, Alone: true, Audit: true, MaxCycles: 1 << 17})
		if err != nil {
			if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "runtime error") {
				t.Errorf("%s: %v", c.Label, err)
			}
			return
		}
		for _, v := range results[0].Violations {
			t.Errorf("%s: cycle %d, %s: %s", c.Label, v.Time, v.Rule, v.What)
		}
	})
}

// fuzzed makes a trace of a text; nil: it is none, or long. A trace that the writer takes is sound.
func fuzzed(t *testing.T, lines string) *container.Reader {
	t.Helper()
	if len(lines) > 4096 || many.MatchString(lines) {
		return nil
	}
	var out bytes.Buffer
	w, err := container.NewWriter(&out, container.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := text.Parse("text", strings.NewReader("trace 1\n"+strings.TrimPrefix(lines, "trace 1\n")),
		w); err != nil ||
		w.Close() != nil {
		return nil
	}
	r, err := container.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err == nil {
		err = container.Verify(t.Context(), r, func(err error) { t.Error(err) })
	}
	if err != nil {
		t.Fatalf("the writer took what the reader refuses: %v", err)
	}
	return r
}
