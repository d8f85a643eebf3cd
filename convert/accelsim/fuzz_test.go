package accelsim

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/trace/tracetest"
)

// seed reads the beginning of a real capture; nothing where there are none.
func seed(name string, most int) []byte {
	root := os.Getenv("REPLAY_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	text, _ := os.ReadFile(filepath.Join(root, name))
	return text[:min(len(text), most)]
}

// FuzzKernel gives the parsers of all three forms any bytes: they end with an
// error or with a trace in which every warp is whole.
func FuzzKernel(f *testing.F) {
	f.Add([]byte(oneWarp(good, "0010 00000003 1 R1 LDG 1 R2 4 2 0x10 4 0",
		"0020 ffffffff 0 UTMALDG 0 512 0x400 1 f 512 0 4 0x7000 3 128 -64 0 0")))
	f.Add([]byte(rawHeader + "1 0 0 1 0 0 0 1 0 0 1 5 9 0000 ffffffff 1 R1 MOV 0 0 0 \n"))
	f.Add(binaryOf(f, oneWarp(good, good), 1, nil))
	f.Add(seed("accelsim-atax-v5v6/atax-v5/kernel-1.traceg", 4000))
	f.Add(seed("accelsim-atax-v5v6/atax-v6/kernel-1.traceg", 4000))
	f.Add(seed("accelsim-rodinia-bfs-a100/kernel-5.traceg", 30000))
	f.Add(seed("accelsim-simpletorch-v100/traces/kernel-9.traceg", 20000))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &tracetest.Recording{}
		opt := Options{TempDir: t.TempDir(), Memory: 1}
		if err := ConvertKernel(context.Background(), strings.NewReader(string(data)), "k", r, opt); err != nil {
			return
		}
		checkWhole(t, r)
	})
}

func checkWhole(t *testing.T, r *tracetest.Recording) {
	for i := range r.Kernels {
		insts := r.Functions[r.Kernels[i].Function].Insts
		for c := range r.CTAs[i] {
			for _, w := range r.CTAs[i][c].Warps {
				mems := 0
				for _, p := range w.Path {
					if insts[p].Mem() {
						mems++
					}
				}
				if mems != len(w.Mem) || len(w.Masks) == 0 || w.Masks[0].At != 0 || len(w.Path) == 0 {
					t.Fatalf("warp %+v with %d memory instructions", w, mems)
				}
				for _, a := range w.Mem {
					if a.List != 0 && int(a.List-1+a.Count) > len(w.Lists) {
						t.Fatalf("access %+v of %d addresses", a, len(w.Lists))
					}
				}
			}
		}
	}
}

// FuzzList gives the list's parser any bytes.
func FuzzList(f *testing.F) {
	f.Add("MemcpyHtoD,0x00007fc841500000,32768\nkernel-1.traceg\n")
	f.Add("Memcpy\n\nkernel-1-ctx_0x55dfecb31820.traceg.xz\nMemcpyHtoD,0x10,\n")
	f.Fuzz(func(t *testing.T, text string) {
		folder := mapFolder{"kernelslist": text, "kernel-1.traceg": oneWarp(good)}
		_ = Convert(context.Background(), folder, "kernelslist", &tracetest.Recording{}, Options{})
	})
}
