package samples

import (
	"context"
	"fmt"
	"io"

	"gpureplay/trace"
	"gpureplay/trace/container"
)

var _ Writer = (*container.Writer)(nil)

// Write generates the whole trace into out. Settings are name=value; parameters that are not set have their
// defaults. Equal settings give equal bytes. It returns an error for a wrong setting, or if out fails.
func (g *Generator) Write(out io.Writer, settings ...string) error {
	p, err := g.Parse(settings...)
	if err != nil {
		return err
	}
	w, err := container.NewWriter(out, container.Options{})
	if err != nil {
		return err
	}
	w.SetMeta(trace.Meta{
		Source:     "sample:" + g.Name,
		Fidelity:   trace.FidelityWarp,
		ArraysFrom: "generator",
		Attrs:      p.attrs(),
		GPU:        g.Machine,
	})
	if err := g.Generate(w, p); err != nil {
		return fmt.Errorf("sample %s: %w", g.Name, err)
	}
	return w.Close()
}

// Interruptible returns a writer to out that fails once a context is done, so
// that a generator that writes to it stops.
func Interruptible(ctx context.Context, out io.Writer) io.Writer { return interruptible{ctx, out} }

type interruptible struct {
	ctx context.Context
	out io.Writer
}

func (w interruptible) Write(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.out.Write(p)
}
