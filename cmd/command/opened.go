package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"gpureplay/convert"
	"gpureplay/internal/durable"
	"gpureplay/trace/container"
	"gpureplay/trace/text"
)

// isTrace reports whether a file is a trace, by its content, and no capture.
func isTrace(ctx context.Context, path string) bool {
	in, err := convert.Open(path, nil)
	if err != nil {
		return false
	}
	if container.Is(in.Head()) {
		return true
	}
	_, err = convert.Detect(in.Until(ctx))
	return errors.Is(err, convert.ErrUnknown) && text.Is(in.Head())
}

// openTrace opens a trace, or the trace that the converters make of a capture. The cache
// keeps that trace for the next command. A file that is neither is an error.
func (a *app) openTrace(ctx context.Context, path string) (*container.Reader, error) {
	if info, err := os.Stat(path); err != nil || isTrace(ctx, path) || info.IsDir() && isTables(path) {
		return container.Open(path)
	}
	c, done, err := captureOf(ctx, path, "", "")
	defer done()
	if err != nil {
		return nil, err
	}
	in, err := convert.Open(c.path, nil)
	if err != nil {
		return nil, err
	}
	format, err := convert.Detect(in.Until(ctx))
	if errors.Is(err, convert.ErrUnknown) && !in.IsDir() {
		return container.Open(path) // its error says which files are traces
	}
	in.Call(c.name)
	kept := cached(path, c.path != path || slices.Contains(oneFile, format.Name))
	if r, err := container.Open(kept); kept != "" && err == nil {
		touch(kept)
		a.note("%s: converted before; %s is its trace", path, kept)
		return r, nil
	}
	return a.converted(ctx, in, path, kept)
}

// converted makes the trace of a capture, in the cache or, where there is none, in a file
// that is gone when it is closed.
func (a *app) converted(ctx context.Context, in *convert.Input, path, kept string) (*container.Reader, error) {
	to := kept
	if kept == "" || os.MkdirAll(filepath.Dir(kept), 0o777) != nil {
		dir, done, err := durable.TempDir("", "converted")
		if err != nil {
			return nil, err
		}
		defer done() // an open file stays readable
		to = filepath.Join(dir, "t.trace.zst")
	}
	bar := a.progress(1)
	err := convert.Run(ctx, in, "", to, convert.Options{Device: -1, Progress: bar.bytes("reading " + path)})
	bar.close()
	if err != nil {
		return nil, err
	}
	if to == kept {
		prune(filepath.Dir(kept), kept)
		a.note("%s: converted; %s is its trace", path, kept)
	} else {
		a.note("%s: converted for this command; replay convert keeps the trace", path)
	}
	return container.Open(to)
}
