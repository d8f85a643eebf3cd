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
	"gpureplay/trace"
)

// isFolder reports whether -o names a folder: one that there is, or one to make.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return strings.HasSuffix(path, "/") || err == nil && info.IsDir()
}

// convertAll makes a trace in the folder out of each device of each capture.
func (a *app) convertAll(ctx context.Context, input, out string, w wanted) error {
	inputs, err := capturesOf(input, w.format)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	taken := map[string]string{}
	for _, in := range inputs {
		name := captureName(in)
		if before, ok := taken[name]; ok {
			return fmt.Errorf("%s and %s would both become %s: convert one of them by itself", before, in, name)
		}
		taken[name] = in
		if err := a.convertDevices(ctx, in, filepath.Join(out, name), w); err != nil {
			return err
		}
	}
	return nil
}

// convertDevices converts a capture's devices: NAME.trace.zst if there is one, else
// NAME.device0.trace.zst and so on.
func (a *app) convertDevices(ctx context.Context, in, stem string, w wanted) error {
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
	r, err := trace.Open(path)
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

// capturesOf returns the input, or, of a folder that is no capture itself, its
// files that are.
func capturesOf(input, from string) ([]string, error) {
	info, err := os.Stat(input)
	if err != nil || !info.IsDir() || from != "" {
		return []string{input}, nil // the converter says what is wrong
	}
	whole, err := convert.Open(input, nil)
	if err != nil {
		return nil, err
	}
	if _, err := convert.Detect(whole); err == nil || !errors.Is(err, convert.ErrUnknown) {
		return []string{input}, nil
	}
	entries, err := os.ReadDir(input)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		path := filepath.Join(input, e.Name())
		in, err := convert.Open(path, nil)
		if err != nil || in.IsDir() {
			continue
		}
		if _, err := convert.Detect(in); err == nil {
			list = append(list, path)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no file of this folder is a capture that a converter recognises", input)
	}
	return list, nil
}

// captureName is the name of a capture's file without the endings of its format.
func captureName(path string) string {
	name := filepath.Base(path)
	for _, suffix := range []string{".gz", ".zst", ".xz", ".json", ".csv", ".sqlite", ".db", ".rpd", ".pt.trace"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}
