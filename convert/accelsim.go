package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"gpureplay/convert/accelsim"
)

func init() {
	Register(Format{
		Name:  "accelsim",
		Title: "Accel-Sim (NVBit) captures: kernelslist.g, .traceg, .trace, .tracez, packed, in folders and tar archives",
		Reads: []Capture{
			{Give: "`kernelslist.g`, a folder, an archive, or one trace file", Fidelity: "warp", Order: "order of the list",
				Dependences: "streams", Placement: "with the raw `.trace`"},
		},
		Sniff:   sniffAccelsim,
		Convert: convertAccelsim,
	})
}

func sniffAccelsim(in *Input) bool {
	if !in.IsDir() {
		return accelsim.Recognise(in.Head()) != accelsim.Unknown
	}
	names, err := accelsimFolder{in: in}.Names()
	if err != nil {
		return false
	}
	_, ok, _ := accelsim.ListOf(names)
	return ok
}

func convertAccelsim(ctx context.Context, in *Input, w Writer, opt Options) error {
	if opt.Device > 0 {
		return fmt.Errorf("no activity of device %d; an Accel-Sim capture is of one device, 0", opt.Device)
	}
	o := accelsim.Options{TempDir: opt.TempDir, Memory: opt.Memory, Irregular: opt.Irregular, Regular: opt.Regular}
	folder := accelsimFolder{ctx, in}
	if in.IsDir() {
		names, err := folder.Names()
		if err != nil {
			return err
		}
		list, _, err := accelsim.ListOf(names)
		if err != nil {
			return err
		}
		return convertAccelsimList(ctx, folder, list, w, o)
	}
	kind := accelsim.Recognise(in.Head())
	if kind == accelsim.ListFile && in.Path() != "" {
		return convertAccelsimList(ctx, folder, filepath.Base(in.Path()), w, o)
	}
	if kind == accelsim.ListFile {
		return errors.New("a list names files beside it: give its path instead of its text")
	}
	r, err := in.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	if kind == accelsim.Archive {
		return accelsim.ConvertArchive(ctx, r, w, o)
	}
	return accelsim.ConvertKernel(ctx, r, path.Base(filepath.ToSlash(in.Name())), w, o)
}

// convertAccelsimList converts the kernels of a folder.
func convertAccelsimList(ctx context.Context, f accelsimFolder, list string, w Writer, opt accelsim.Options) error {
	if names, err := f.Names(); err == nil {
		f.in.Expect(f.bytes(names))
	}
	return accelsim.Convert(ctx, f, list, w, opt)
}

// accelsimFolder is the folder that an input lies in.
type accelsimFolder struct {
	ctx context.Context
	in  *Input
}

// tracesFolder is where the tracer's scripts put the files of a run.
const tracesFolder = "traces"

// Names returns the names of the folder's files, then those in its traces.
func (f accelsimFolder) Names() ([]string, error) {
	names, err := filesIn(f.in.Folder())
	if err != nil {
		return nil, err
	}
	inner, err := filesIn(filepath.Join(f.in.Folder(), tracesFolder))
	if err != nil {
		return names, nil // most have none
	}
	for _, name := range inner {
		names = append(names, tracesFolder+"/"+name)
	}
	return names, nil
}

// filesIn returns the names of a folder's files.
func filesIn(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Open opens a file of the folder, unpacked.
func (f accelsimFolder) Open(name string) (io.ReadCloser, error) {
	return f.in.Sibling(f.ctx, filepath.FromSlash(name))
}

// bytes is the size of those files that belong to a capture.
func (f accelsimFolder) bytes(names []string) (sum int64) {
	for _, name := range names {
		if accelsim.Recognised(name) {
			if info, err := os.Stat(filepath.Join(f.in.Folder(), name)); err == nil {
				sum += info.Size()
			}
		}
	}
	return sum
}
