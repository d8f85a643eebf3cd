package scratch

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"gpureplay/model"
	"gpureplay/policies"
	"gpureplay/trace"
)

type log struct{}

func (log) Kernel(r *model.KernelRecord) { fmt.Printf("kernel %d arrive %d dispatch %d first %d last %d end %d insts %d\n", r.ID, r.Arrive, r.Dispatch, r.FirstCTA, r.LastCTA, r.End, r.WarpInsts) }
func (log) CTA(r *model.CTARecord)       {}
func (log) Stage(r *model.StageRecord)   { fmt.Printf("stage %d %d-%d %dB\n", r.Stage, r.Start, r.End, r.Bytes) }
func (log) Launch(*model.LaunchRecord)   {}
func (log) Page(*model.PageRecord)       {}
func (log) Task(*model.TaskRecord)       {}
func (log) Sample(*model.SampleRecord)   {}

func build(ctas, warps, n int) *trace.Reader {
	w, _ := trace.NewWriter(io.Discard, trace.Options{})
	fn := w.AddFunction("k")
	ld := w.AddInst(fn, trace.Inst{PC: 0, Opcode: "LDG", Class: trace.ClassMemory, Space: trace.SpaceGlobal, Flags: trace.InstLoad, Width: 4, Dst: []trace.Reg{1}, Src: []trace.Reg{2}})
	add := w.AddInst(fn, trace.Inst{PC: 16, Opcode: "FADD", Class: trace.ClassFP32, Dst: []trace.Reg{3}, Src: []trace.Reg{1, 3}})
	ia := w.AddInst(fn, trace.Inst{PC: 32, Opcode: "IADD", Class: trace.ClassInt, Dst: []trace.Reg{2}, Src: []trace.Reg{2}})
	st := w.AddInst(fn, trace.Inst{PC: 48, Opcode: "STG", Class: trace.ClassMemory, Space: trace.SpaceGlobal, Flags: trace.InstStore, Width: 4, Src: []trace.Reg{3, 2}})
	ex := w.AddInst(fn, trace.Inst{PC: 64, Opcode: "EXIT", Class: trace.ClassExit})
	w.Host(&trace.HostOp{Kind: trace.OpCopyH2D, Bytes: 1 << 20, Array: trace.NoArray})
	w.Host(&trace.HostOp{Kind: trace.OpLaunch, Kernel: 0})
	w.BeginKernel(&trace.Kernel{Function: fn, Fidelity: trace.FidelityWarp, Grid: trace.Dim3{uint32(ctas), 1, 1}, Block: trace.Dim3{uint32(32 * warps), 1, 1}, Registers: 16})
	for c := range ctas {
		cta := trace.CTA{ID: uint32(c)}
		for i := range warps {
			tw := trace.Warp{ID: uint32(i), Masks: []trace.MaskRun{{0, ^uint32(0)}}}
			for j := range n {
				tw.Path = append(tw.Path, ld, add, ia, ia, ia, ia)
				tw.Mem = append(tw.Mem, trace.Access{Base: uint64(((c*warps+i)*n + j) * 128), Stride: 4, Count: 32})
			}
			tw.Path = append(tw.Path, st, ex)
			tw.Mem = append(tw.Mem, trace.Access{Base: 1<<32 + uint64((c*warps+i)*128), Stride: 4, Count: 32})
			cta.Warps = append(cta.Warps, tw)
		}
		w.WriteCTA(&cta)
	}
	w.EndKernel(0)
	return w.Memory()
}

func run(t *testing.T, r *trace.Reader, preset, pol string, obs model.Observer) *model.Summary {
	cfg, err := model.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := policies.Parse(pol, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, c, err := cs[0].Build(cfg)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(r, model.Options{Config: c, Policy: p, Observer: obs})
	if err != nil {
		t.Fatal(err)
	}
	t0 := time.Now()
	s, err := m.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	d := time.Since(t0)
	fmt.Printf("%s cycles %d insts %d in %v: %.2f M/s events %d\n", preset, s.Cycles, s.WarpInsts, d, float64(s.WarpInsts)/d.Seconds()/1e6, s.Events)
	fmt.Printf("%+v\n", s.Memory[:3])
	return s
}

func TestOne(t *testing.T) {
	run(t, build(1, 1, 2), "rtx3070", "serial", log{})
	run(t, build(1000, 8, 20), "rtx3070", "serial", log{})
	run(t, build(5000, 8, 50), "a100", "hyperq", log{})
}
