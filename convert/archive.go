package convert

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"gpureplay/internal/durable"
)

// Archives of captures (the ranks of a job, the tables of a run) are unpacked to a
// folder, which is then read as any other. An archive that is a capture itself, as
// Accel-Sim's, has its own format.

// Bounds of an archive; a larger one is unpacked by hand. Captures of text shrink to a
// twentieth or a fiftieth.
const (
	maxArchiveFiles = 1 << 16
	maxArchiveRatio = 200      // bytes unpacked for one of the archive
	anyArchiveBytes = 64 << 20 // that a small archive may have in any case
)

const zipMagic = "PK\x03\x04"

// IsArchive reports whether the input is a tar, packed or not, or a zip file.
func IsArchive(in *Input) bool {
	if in.IsDir() {
		return false
	}
	if isZip(in) {
		return true
	}
	_, err := tar.NewReader(bytes.NewReader(in.Head())).Next()
	return err == nil && len(in.Head()) >= 512
}

func isZip(in *Input) bool { return bytes.HasPrefix(in.Head(), []byte(zipMagic)) }

// Unpack writes the regular files of an archive under a folder, one at a time; links and devices are passed over.
// Unpack returns an error for a name that leads out of the folder, and where the files would take more than
// [maxArchiveRatio] times the archive or nine tenths of the free disk; the caller removes the written files.
func Unpack(ctx context.Context, in *Input, dir string) error {
	u := newUnpacker(in, dir)
	each := u.tar
	if isZip(in) {
		each = u.zip
	}
	if err := each(ctx, in); err != nil {
		return fmt.Errorf("%s: %w", in.Name(), err)
	}
	return nil
}

// unpacker counts the written files and bytes.
type unpacker struct {
	dir   string
	files int
	left  int64
	why   string // the bound of left
}

func newUnpacker(in *Input, dir string) *unpacker {
	u := &unpacker{dir: dir, left: max(anyArchiveBytes, maxArchiveRatio*in.Size())}
	u.why = fmt.Sprintf("it holds more than %d MiB, over %d times its size", u.left>>20, maxArchiveRatio)
	if free, ok := durable.Free(filepath.Dir(dir)); ok {
		u.within(free)
	}
	return u
}

// within bounds the bytes by nine tenths of a free disk.
func (u *unpacker) within(free uint64) {
	if most := free / 10 * 9; most < uint64(u.left) {
		u.left = int64(most)
		u.why = fmt.Sprintf("it holds more than %d MiB, nine tenths of the free disk at %s", u.left>>20,
			filepath.Dir(u.dir))
	}
}

// full is the error of an archive beyond its bound.
func (u *unpacker) full() error {
	return fmt.Errorf("%s: unpack it by hand and give the folder", u.why)
}

func (u *unpacker) tar(ctx context.Context, in *Input) error {
	f, err := in.Read(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("the tar is cut short; copy the file again: %w", err)
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := u.file(h.Name, r); err != nil {
			return err
		}
	}
}

func (u *unpacker) zip(ctx context.Context, in *Input) error {
	if in.Path() == "" || in.Packed() {
		return errors.New("a zip archive is read in place: give the file itself")
	}
	f, err := in.OpenFile(ctx, in.Path())
	if err != nil {
		return err
	}
	defer f.Close()
	plain, ok := f.(plainFile)
	if !ok {
		return errors.New("a zip archive is read in place: give the file itself")
	}
	r, err := zip.NewReader(plain, in.Size())
	if err != nil {
		return fmt.Errorf("the zip archive is damaged or cut short: %w", err)
	}
	stated := uint64(0)
	for _, h := range r.File {
		if stated += min(h.UncompressedSize64, math.MaxInt64); stated > uint64(u.left) { // before anything is written
			return u.full()
		}
	}
	for _, h := range r.File {
		if !h.Mode().IsRegular() {
			continue
		}
		one, err := h.Open()
		if err == nil {
			err = u.file(h.Name, reader{ctx, one})
			one.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// file writes one file.
func (u *unpacker) file(name string, from io.Reader) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) || len(name) > math.MaxInt16 {
		return fmt.Errorf("it holds a file %q, which would not lie within a folder: unpack it by hand",
			name[:min(len(name), 200)])
	}
	if u.files++; u.files > maxArchiveFiles {
		return fmt.Errorf("it holds more than %d files: unpack it and give the folder", maxArchiveFiles)
	}
	path := filepath.Join(u.dir, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		return fmt.Errorf("it holds %q, which cannot be unpacked: %w", name, errors.Unwrap(err))
	}
	n, err := io.Copy(f, io.LimitReader(from, u.left+1))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if u.left -= n; err == nil && u.left < 0 {
		return u.full()
	}
	if err != nil {
		err = fmt.Errorf("%q of it: %w", name, err)
	}
	return err
}

// CapturesIn returns the captures under a folder, as paths within it: files and
// folders that a format recognises. Within such a folder nothing else is one.
//
// CapturesIn returns an error where a folder cannot be read, where this process cannot open
// another file, and at the end of ctx.
func CapturesIn(ctx context.Context, dir string) (list []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		if !d.IsDir() && !d.Type().IsRegular() {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		in, err := Open(path, nil)
		if err == nil {
			_, err = Detect(in.Until(ctx))
		}
		if isOutOfFiles(err) {
			return err
		}
		if err != nil {
			return nil // a file that cannot be opened is no capture
		}
		name, err := filepath.Rel(dir, path)
		if list = append(list, name); err == nil && d.IsDir() {
			return filepath.SkipDir
		}
		return err
	})
	return list, err
}
