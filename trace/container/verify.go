package container

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"gpureplay/trace"
	"io"
)

// Verify checks every checksum and every structural rule of a trace, and reports each fault as one error. It
// returns an error if there was any, or if ctx ended before.
func Verify(ctx context.Context, r *Reader, report func(error)) error {
	v := &verifier{ctx: ctx, r: r, rules: newRules(), report: report}
	v.blocks()
	if v.problems == 0 {
		v.hostOps()
		v.kernels()
		if err := v.rules.finish(&r.prog); err != nil {
			v.problem(err)
		}
		v.totals()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if v.problems > 0 {
		return fmt.Errorf("the trace has %d problems", v.problems)
	}
	return nil
}

type verifier struct {
	ctx      context.Context
	r        *Reader
	rules    *rules
	report   func(error)
	problems int
	sums     trace.Totals
}

func (v *verifier) problem(err error) {
	v.problems++
	if v.report != nil {
		v.report(err)
	}
}

// blocks checks the bytes of every block and the hash of their contents.
func (v *verifier) blocks() {
	f := &frame{}
	sum := sha256.New()
	for i := range v.r.index {
		if v.ctx.Err() != nil {
			return
		}
		raw, err := v.r.readFrame(f, &v.r.index[i])
		if err != nil {
			v.problem(err)
			continue
		}
		sum.Write(raw)
	}
	if v.problems == 0 && [32]byte(sum.Sum(nil)) != v.r.loc.hash {
		v.problem(errors.New("the hash of the contents differs; make the trace again"))
	}
}

func (v *verifier) hostOps() {
	for op, err := range trace.Each(v.r.HostOps()) {
		if err != nil {
			v.problem(err)
			return
		}
		v.sums.Add(op)
		if err := v.rules.op(op); err != nil {
			v.problem(err)
		}
	}
}

func (v *verifier) kernels() {
	var k trace.Kernel
	var c trace.CTA
	for id := range v.r.Kernels() {
		if v.ctx.Err() != nil {
			return
		}
		err := v.r.Kernel(uint32(id), &k)
		if err == nil {
			err = v.rules.begin(&k, len(v.r.prog.Functions))
		}
		if err == nil {
			err = v.ctas(&k, &c)
		}
		if err != nil {
			v.problem(err)
		}
		v.sums.Kernels++
	}
}

// ctas checks the CTAs of a kernel and its counts.
func (v *verifier) ctas(k *trace.Kernel, c *trace.CTA) error {
	cur, err := v.r.CTAs(k.ID, 0)
	if err != nil {
		return err
	}
	var counts trace.Kernel
	insts := v.r.prog.Functions[k.Function].Insts
	for {
		err := cur.Next(c)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = v.ctx.Err()
		}
		if err != nil {
			return err
		}
		if err := v.rules.cta(insts, c, &counts); err != nil {
			return err
		}
		for i := range c.Warps {
			w := &c.Warps[i]
			v.sums.ChildLaunches += uint64(len(w.Launches))
			if err := checkAccesses(insts, w); err != nil {
				return fmt.Errorf("kernel %d, CTA %d, warp %d: %w", k.ID, c.ID, w.ID, err)
			}
		}
	}
	v.sums.CTAs += uint64(counts.CTAs)
	v.sums.Warps += counts.Warps
	v.sums.WarpInsts += counts.WarpInsts
	v.sums.ThreadInsts += counts.ThreadInsts
	v.sums.MemInsts += counts.MemInsts
	if counts.CTAs != k.CTAs || counts.Warps != k.Warps || counts.WarpInsts != k.WarpInsts ||
		counts.ThreadInsts != k.ThreadInsts || counts.MemInsts != k.MemInsts {
		return fmt.Errorf("kernel %d: its record counts %d CTAs, %d warps, %d warp and %d memory instructions; it holds "+
			"%d, %d, %d and %d",
			k.ID, k.CTAs, k.Warps, k.WarpInsts, k.MemInsts, counts.CTAs, counts.Warps, counts.WarpInsts, counts.MemInsts)
	}
	return nil
}

func checkAccesses(insts []trace.Inst, w *trace.Warp) error {
	mem, masks, mask := w.Mem, w.Masks, uint32(0)
	for at, i := range w.Path {
		if len(masks) > 0 && masks[0].At == uint32(at) {
			mask, masks = masks[0].Mask, masks[1:]
		}
		if insts[i].Width == 0 {
			continue
		}
		if _, _, err := canonicalAccess(&insts[i], mask, mem[0], w.Lists); err != nil {
			return fmt.Errorf("step %d (%s): %w", at, insts[i].Opcode, err)
		}
		mem = mem[1:]
	}
	return nil
}

func (v *verifier) totals() {
	if v.sums != v.r.prog.Totals {
		v.problem(fmt.Errorf("the program counts %+v; the trace holds %+v", v.r.prog.Totals, v.sums))
	}
}
