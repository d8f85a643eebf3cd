package convert

import (
	"context"
	"fmt"
	"io"
	"os"

	"gpureplay/internal/durable"
	"gpureplay/trace/container"
)

// Run converts the input into a trace file at target; from is the name of its format, "" to detect it. The file
// appears under its name only when it is complete: until then it is written beside it. On a failure nothing is left
// and an older file of that name stays as it was.
func Run(ctx context.Context, in *Input, from, target string, opt Options) error {
	switch info, err := os.Stat(target); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: is a folder; name a file to write the trace to", target)
	case err == nil && in.isFile(info):
		return fmt.Errorf("%s: is the capture itself; name another file to write the trace to", target)
	}
	return durable.Write(target, func(out io.Writer) error { return write(ctx, in, from, out, opt) })
}

// write converts into a trace on out.
func write(ctx context.Context, in *Input, from string, out io.Writer, opt Options) error {
	w, err := container.NewWriter(out, container.Options{})
	if err != nil {
		return err
	}
	if err := Convert(ctx, in, from, w, opt); err != nil {
		return err
	}
	return w.Close()
}
