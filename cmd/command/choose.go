package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"gpureplay/internal/durable"
	"gpureplay/trace/choose"
	"gpureplay/trace/container"
)

// chooser is the flags that choose a part of a trace's work.
type chooser struct{ kernels, from, to, steps, ranges string }

func (c *chooser) register(s *pflag.FlagSet) {
	s.StringVar(&c.from, "from", "", "only work that begins from this `TIME` of the capture on: 250us, 1.5ms, or a "+
		"share of its length, 25%")
	c.registerOthers(s)
}

// registerOthers is for commands that have a --from of their own.
func (c *chooser) registerOthers(s *pflag.FlagSet) {
	s.StringVar(&c.kernels, "kernels", "", "only these `KERNELS`, with the children that they launch: numbers, "+
		"names, patterns (3,5-9,gemm,/regex/)")
	s.StringVar(&c.to, "to", "", "only work that begins before this `TIME`")
	s.StringVar(&c.steps, "steps", "", "only these `STEPS` of PyTorch's profiler (2-4: ProfilerStep#2 to #4)")
	s.StringVar(&c.ranges, "ranges", "", "only work called within these `RANGES` (NVTX, record_function): names, "+
		"patterns (forward,/regex/)")
}

// flags are those that make the same choice.
func (c *chooser) flags() (all []string) {
	for _, f := range []struct{ name, value string }{{"kernels", c.kernels}, {"from", c.from}, {"to", c.to}, {"steps",
		c.steps}, {"ranges", c.ranges}} {
		if f.value != "" {
			all = append(all, "--"+f.name+"="+f.value)
		}
	}
	return all
}

// selection finds the chosen part of a trace; nil: all of it.
func (c *chooser) selection(ctx context.Context, r *container.Reader) (*choose.Selection, error) {
	choice, err := choose.Parse(c.kernels, c.from, c.to, c.steps, c.ranges)
	if err != nil {
		return nil, usageError{err}
	}
	if choice.All() {
		return nil, nil
	}
	s, err := choose.Select(ctx, r, choice)
	if err != nil || s.All() {
		return nil, err
	}
	return s, nil
}

// open opens a trace or a capture, or the part of it that is chosen.
func (c *chooser) open(ctx context.Context, a *app, path string) (*container.Reader, error) {
	r, err := a.openTrace(ctx, path)
	if err != nil {
		return nil, err
	}
	return c.of(ctx, a, r)
}

// of returns the chosen part of a trace, as a trace in a file that is gone when it is closed. Where nothing is left
// out it returns the trace itself.
func (c *chooser) of(ctx context.Context, a *app, r *container.Reader) (*container.Reader, error) {
	s, err := c.selection(ctx, r)
	if err != nil {
		r.Close()
		return nil, err
	}
	if s == nil {
		return r, nil
	}
	defer r.Close()
	dir, done, err := durable.TempDir("", "chosen")
	if err != nil {
		return nil, err
	}
	defer done() // an open file stays readable
	path := filepath.Join(dir, "t.trace.zst")
	if err := c.write(ctx, a, r, s, path); err != nil {
		return nil, err
	}
	return container.Open(path)
}

// write makes a trace of the chosen part.
func (c *chooser) write(ctx context.Context, a *app, r *container.Reader, s *choose.Selection, path string) error {
	a.note("chosen: %s", chosen(r, s))
	return writeFile(path, func(f io.Writer) error {
		w, err := container.NewWriter(f, container.Options{})
		if err == nil {
			err = s.Write(ctx, w)
		}
		if err == nil {
			err = w.Close()
		}
		return err
	})
}

// converted lets a conversion write the trace to out: by itself if all is wanted, else by way of a file whose
// chosen part goes to out.
func (c *chooser) converted(ctx context.Context, a *app, out string, convert func(path string) error) error {
	if *c == (chooser{}) {
		return convert(out)
	}
	if err := fileName(out); err != nil {
		return err
	}
	dir, done, err := durable.TempDir(filepath.Dir(out), "whole")
	if err != nil {
		return err
	}
	defer done()
	whole := filepath.Join(dir, "t.trace.zst")
	if err := convert(whole); err != nil {
		return err
	}
	r, err := container.Open(whole)
	if err != nil {
		return err
	}
	defer r.Close()
	s, err := c.selection(ctx, r)
	if err != nil {
		return err
	}
	if s != nil {
		return c.write(ctx, a, r, s, out)
	}
	f, err := os.Open(whole)
	if err != nil {
		return err
	}
	defer f.Close()
	return writeFile(out, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}

// chosen describes the chosen part.
func chosen(r *container.Reader, s *choose.Selection) string {
	text := fmt.Sprintf("%s of %s kernels, %s of %s operations of the host", commas(int64(s.Kernels)),
		commas(int64(r.Kernels())),
		commas(s.Ops), commas(r.Program().Totals.HostOps))
	if s.Origin > 0 {
		text += fmt.Sprintf("; time 0 is %s ms of the capture", milliseconds(s.Origin))
	}
	return text
}
