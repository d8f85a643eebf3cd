package convert

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gpureplay/trace"
)

// Run converts the input into a trace file at target; from is the name of its
// format, "" to detect it. The file appears under its name only when it is
// complete: until then it is written beside it, and if anything fails nothing
// is left and an older file of that name stays as it was.
func Run(ctx context.Context, in *Input, from, target string, opt Options) error {
	switch info, err := os.Stat(target); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: is a folder; name a file to write the trace to", target)
	case err == nil && in.isFile(info):
		return fmt.Errorf("%s: is the capture itself; name another file to write the trace to", target)
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".replay-convert-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", target, err)
	}
	err = write(ctx, in, from, f, opt)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// write converts into a trace on out.
func write(ctx context.Context, in *Input, from string, out io.Writer, opt Options) error {
	w, err := trace.NewWriter(out, trace.Options{})
	if err != nil {
		return err
	}
	if err := Convert(ctx, in, from, w, opt); err != nil {
		return err
	}
	return w.Close()
}
