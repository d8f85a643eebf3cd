package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gpureplay/convert"
	"gpureplay/internal/durable"
	"gpureplay/replay"
	"gpureplay/trace/container"
)

// isFolder reports whether -o names a folder: one that there is, or one to make.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return strings.HasSuffix(path, "/") || err == nil && info.IsDir()
}

// convertAll makes a trace in the folder out of each device of each capture.
func (a *app) convertAll(ctx context.Context, input, out string, w wanted) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	list, done, err := capturesOf(ctx, input, w.format, out)
	defer done()
	if err != nil {
		return err
	}
	taken := map[string]string{}
	for _, c := range list {
		name := c.traceName()
		if before, ok := taken[name]; ok {
			return fmt.Errorf("%s and %s would both become %s: convert one of them by itself", before, c.name, name)
		}
		taken[name] = c.name
		if err := a.convertDevices(ctx, c, filepath.Join(out, name), w); err != nil {
			return err
		}
	}
	return nil
}

// convertOne makes a trace out of the only capture of an input.
func (a *app) convertOne(ctx context.Context, input, out string, w wanted) error {
	c, done, err := captureOf(ctx, input, w.format, filepath.Dir(out))
	defer done()
	if err != nil {
		return err
	}
	return a.convert(ctx, c, out, w)
}

// convertDevices converts a capture's devices: NAME.trace.zst if there is one, else
// NAME.device0.trace.zst and so on.
func (a *app) convertDevices(ctx context.Context, in capture, stem string, w wanted) error {
	target := stem + ".trace.zst"
	if err := a.convert(ctx, in, target, w); err != nil || w.Device >= 0 {
		return err
	}
	first, others, err := devicesOf(target)
	if err != nil || len(others) == 0 {
		return err
	}
	named := func(device string) string { return stem + ".device" + device + ".trace.zst" }
	if err := os.Rename(target, named(first)); err != nil {
		return err
	}
	a.done("%s: device %s, now %s", target, first, named(first))
	for _, d := range others {
		if w.Device, err = strconv.Atoi(d); err != nil {
			return err
		}
		if err := a.convert(ctx, in, named(d), w); err != nil {
			return err
		}
	}
	return nil
}

// devicesOf returns the device of a trace, and the others of its capture.
func devicesOf(path string) (own string, others []string, err error) {
	r, err := container.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer r.Close()
	for _, at := range r.Program().Meta.Attrs {
		switch at.Key {
		case "device":
			own = at.Value
		case convert.DevicesAttr:
			others = strings.Fields(at.Value)
		}
	}
	return own, slices.DeleteFunc(others, func(d string) bool { return d == own }), nil
}

// capture is an input: its path, its name in messages, and its name within the given folder or archive.
type capture struct{ path, name, within string }

// captureOf returns the only capture of an input. done is to be called at the end.
func captureOf(ctx context.Context, input, format, beside string) (capture, func(), error) {
	list, done, err := capturesOf(ctx, input, format, beside)
	if err != nil {
		return capture{}, done, err
	}
	if n := len(list); n > 1 {
		return capture{}, done, fmt.Errorf("%s holds %d captures (%s, %s, ...): convert -o DIR/ makes a trace of each; "+
			"or give one of them", input, n, list[0].within, list[1].within)
	}
	return list[0], done, nil
}

// capturesOf returns the input, or the captures in a folder or an archive that is none itself. done is to be called
// at the end: an archive is unpacked until then, in the folder beside.
func capturesOf(ctx context.Context, input, format, beside string) (list []capture, done func(), err error) {
	done = func() {}
	itself := []capture{{input, input, filepath.Base(input)}}
	if input == "-" {
		return itself, done, nil
	}
	in, err := convert.Open(input, nil)
	if err != nil {
		return itself, done, nil // the converter reports the fault
	}
	if f, err := convert.Detect(in.Until(ctx)); !errors.Is(err, convert.ErrUnknown) || format == f.Name && format != "" {
		return itself, done, nil
	}
	dir := input
	switch {
	case in.IsDir() && format == "":
	case convert.IsArchive(in):
		if dir, done, err = durable.TempDir(beside, "unpacked"); err != nil {
			return nil, done, err
		}
		if err := convert.Unpack(ctx, in, dir); err != nil {
			return nil, done, err
		}
	default:
		return itself, done, nil
	}
	names, err := convert.CapturesIn(ctx, dir)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s: nothing in it is a capture that a converter recognises", input)
	}
	for _, name := range names {
		list = append(list, capture{filepath.Join(dir, name), filepath.Join(input, name), name})
	}
	return list, done, err
}

// traceName is the name of a capture without the endings of its format.
func (c *capture) traceName() string {
	return replay.TraceName(strings.ReplaceAll(filepath.ToSlash(c.within), "/", "-"))
}
