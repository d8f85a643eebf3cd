package accelsim

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// rawOf writes a grouped capture as the tracer would have: the lines of all
// warps interleaved, each with its CTA and warp, as the lead says.
func rawOf(t testing.TB, file string, lead rawLead, seed uint64) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(text), "#BEGIN_TB")
	var warps [][]string
	var cta, prefix string
	for in := bufio.NewScanner(strings.NewReader(body)); in.Scan(); {
		line := strings.TrimSpace(in.Text())
		if v, ok := strings.CutPrefix(line, "thread block = "); ok {
			cta = v
		} else if v, ok := strings.CutPrefix(line, "warp = "); ok {
			prefix = strings.ReplaceAll(cta, ",", " ") + " " + v
			if lead.cluster {
				prefix += " " + strings.ReplaceAll(cta, ",", " ") + " 0 0 0 0"
			}
			if lead.core {
				sm := len(cta) % 7
				prefix += fmt.Sprintf(" %d %d", sm, len(warps)%64)
			}
			warps = append(warps, nil)
		} else if line != "" && !strings.ContainsAny(line[:1], "-#cit") {
			warps[len(warps)-1] = append(warps[len(warps)-1], prefix+" "+line+" ")
		}
	}
	var b strings.Builder
	b.WriteString(head)
	rng := rand.New(rand.NewPCG(seed, 1))
	for len(warps) > 0 {
		i := rng.IntN(len(warps))
		for range 1 + rng.IntN(4) {
			if len(warps[i]) == 0 {
				break
			}
			b.WriteString(warps[i][0] + "\n")
			warps[i] = warps[i][1:]
		}
		if len(warps[i]) == 0 {
			warps[i] = warps[len(warps)-1]
			warps = warps[:len(warps)-1]
		}
	}
	return b.String()
}

func convertFile(t testing.TB, file string) *tracetest.Recording {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := &tracetest.Recording{}
	if err := ConvertKernel(context.Background(), f, filepath.Base(file), r, Options{TempDir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	return r
}

// sameExecution compares all that warps executed; the order in which static
// instructions were met may differ.
func sameExecution(t *testing.T, got, want *tracetest.Recording) {
	t.Helper()
	if len(got.Kernels) != len(want.Kernels) {
		t.Fatalf("%d kernels, want %d", len(got.Kernels), len(want.Kernels))
	}
	for i := range want.Kernels {
		if len(got.CTAs[i]) != len(want.CTAs[i]) {
			t.Fatalf("kernel %d: %d CTAs, want %d", i, len(got.CTAs[i]), len(want.CTAs[i]))
		}
		for c := range want.CTAs[i] {
			g, w := &got.CTAs[i][c], &want.CTAs[i][c]
			if g.ID != w.ID || len(g.Warps) != len(w.Warps) {
				t.Fatalf("kernel %d: CTA %d of %d warps, want %d of %d", i, g.ID, len(g.Warps), w.ID, len(w.Warps))
			}
			for j := range w.Warps {
				if g.Warps[j].ID != w.Warps[j].ID || !reflect.DeepEqual(executions(got, i, &g.Warps[j]),
					executions(want, i, &w.Warps[j])) {
					t.Fatalf("kernel %d CTA %d: warp %d differs", i, g.ID, w.Warps[j].ID)
				}
			}
		}
	}
	if !reflect.DeepEqual(got.Arrays, want.Arrays) {
		t.Errorf("arrays %+v, want %+v", got.Arrays, want.Arrays)
	}
}

// A raw capture, however its warps are interleaved and whatever its lines begin
// with, comes to the same as its grouped form, in memory or spilled.
func TestRawEqualsGrouped(t *testing.T) {
	for i, name := range []string{"accelsim-rodinia-bfs-a100/kernel-3.traceg",
		"accelsim-simpletorch-v100/traces/kernel-9.traceg", "accelsim-atax-v5v6/atax-v6/kernel-1.traceg"} {
		file := filepath.Join(tracetest.Data(t), name)
		want := convertFile(t, file)
		for _, lead := range rawLeads {
			for _, memory := range []int{0, 32 << 10} {
				text := rawOf(t, file, lead, uint64(i))
				got := &tracetest.Recording{}
				opt := Options{TempDir: t.TempDir(), Memory: memory}
				if err := ConvertKernel(context.Background(), strings.NewReader(text), "kernel.trace", got, opt); err != nil {
					t.Fatalf("%s %+v: %v", name, lead, err)
				}
				sameExecution(t, got, want)
				for _, cta := range got.CTAs[0] {
					if placed := cta.SM >= 0; placed != lead.core {
						t.Fatalf("%s %+v: CTA %d is on SM %d", name, lead, cta.ID, cta.SM)
					}
				}
				if left, _ := os.ReadDir(opt.TempDir); len(left) > 0 {
					t.Errorf("%d temporary files are left", len(left))
				}
			}
		}
	}
}

const rawHeader = `-kernel name = k
-grid dim = (2,1,1)
-block dim = (64,1,1)
-binary version = 90
-accelsim tracer version = 5

#traces format = ...
`

func TestRawPlacementAndClusters(t *testing.T) {
	r := mustConvert(t, rawHeader+
		"1 0 0 1 0 0 0 1 0 0 1 5 9 0000 ffffffff 1 R1 MOV 0 0 0 \n"+
		"0 0 0 0 0 0 0 0 0 0 0 3 8 0000 ffffffff 1 R1 MOV 0 0 0 \n"+
		"1 0 0 0 0 0 0 1 0 0 1 5 9 0000 ffffffff 1 R1 MOV 0 0 0 \n")
	if got := r.Kernels[0].Cluster; got != (trace.Dim3{2, 1, 1}) {
		t.Errorf("cluster %v", got)
	}
	if c := r.CTAs[0]; len(c) != 2 || c[0].SM != 3 || c[1].SM != 5 || len(c[0].Warps) != 1 || len(c[1].Warps) != 2 {
		t.Errorf("CTAs %+v", c)
	}
	if r.Diag("missing_warp") != 1 || r.Diag("missing_cta") != 0 {
		t.Errorf("diagnostics %+v", r.Diags)
	}
}

// Of the two lines of an asynchronous copy the first, the shared side, goes.
func TestRawAsynchronousCopy(t *testing.T) {
	r := mustConvert(t, rawHeader+
		"0 0 0 0 0000 ffffffff 0 LDGSTS.E.128 2 R3 R4 16 1 0x7f0000000400 16 0 \n"+
		"0 0 0 0 0000 ffffffff 0 LDGSTS.E.128 2 R3 R4 16 1 0x7fc000000000 16 0 \n"+
		"0 0 0 0 0010 0000000f 0 LDGSTS.E 2 R3 R4 4 1 0x7fc000001000 4 0 \n"+
		"0 0 0 0 0020 ffffffff 0 EXIT 0 0 0 \n")
	w := &r.CTAs[0][0].Warps[0]
	if len(w.Path) != 3 || len(w.Mem) != 2 || w.Mem[0].Base != 0x7fc000000000 || w.Mem[1].Base != 0x7fc000001000 {
		t.Errorf("warp %+v", w)
	}
	// 3,584 bytes between the two accesses are under the least gap.
	want := []trace.Array{{Name: "touched0", Base: 0x7fc000000000, Bytes: 0x1010, Flags: trace.ArrayInput}}
	if !reflect.DeepEqual(r.Arrays, want) || r.Diag("ldgsts_shared_operand") != 1 {
		t.Errorf("arrays %+v, diagnostics %+v", r.Arrays, r.Diags)
	}
}

func TestRawErrors(t *testing.T) {
	for line, want := range map[string]string{
		"2 0 0 0 0000 ffffffff 1 R1 MOV 0 0 0":  "kernel-1.traceg:8: CTA (2,0,0) is not in the grid",
		"0 0 0 2 0000 ffffffff 1 R1 MOV 0 0 0":  "kernel-1.traceg:8: warp 2 of a CTA of 2 warps",
		"0 0 0 0 0000 fffff":                    "neither #BEGIN_TB nor a raw instruction line",
		"hello":                                 "neither #BEGIN_TB nor a raw instruction line",
		"0 0 0 0 0000 ffffffff 1 R1 LDG 0 4 1 ": "kernel-1.traceg:8: ",
	} {
		if _, err := convertText(t, rawHeader+line+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
	// A damaged line behind good ones keeps its number through the grouping.
	_, err := convertText(t, rawHeader+"1 0 0 0 0000 ffffffff 1 R1 MOV 0 0 \n0 0 0 0 0000 ffffffff 1 R1 M\n")
	if err == nil || !strings.HasPrefix(err.Error(), "kernel-1.traceg:9: ") {
		t.Errorf("a cut line: %v", err)
	}
}

// An asynchronous copy of one line is complete when another one follows.
func TestRawAsynchronousCopyOfOneLine(t *testing.T) {
	r := mustConvert(t, rawHeader+
		"0 0 0 0 0000 ffffffff 0 LDGSTS.E 2 R3 R4 4 1 0x7fc000000000 4 0 \n"+
		"0 0 0 0 0010 ffffffff 0 LDGSTS.E 2 R3 R4 4 1 0x7fc000001000 4 0 \n")
	w := &r.CTAs[0][0].Warps[0]
	if len(w.Path) != 2 || len(w.Mem) != 2 || w.Mem[0].Base != 0x7fc000000000 || w.Mem[1].Base != 0x7fc000001000 {
		t.Errorf("warp %+v", w)
	}
}
