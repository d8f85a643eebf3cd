package accelsim

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/klauspost/compress/zstd"

	"gpureplay/convert/unpack"
)

// spool keeps the files of an archive, packed, in one temporary file, so that
// they can be opened in any order.
type spool struct {
	f     *os.File
	out   *bufio.Writer
	size  int64
	names []string
	at    map[string]extent
	zstd  *zstd.Decoder // of the file that is open
	busy  bool          // it is in use
}

// extent is where a packed file lies in the spool.
type extent struct {
	off, size int64
	own       bool // packed by the spool, not in the archive
}

// maxMembers bounds the files of an archive, whose names are held in memory.
const maxMembers = 1 << 22

// ConvertArchive converts the capture in a tar archive.
func ConvertArchive(ctx context.Context, r io.Reader, w Writer, opt Options) error {
	s, err := newSpool(opt.TempDir)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.addAll(ctx, tar.NewReader(r)); err != nil {
		return err
	}
	list, ok, err := ListOf(s.names)
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("the archive has no list (kernelslist.g) and no kernel trace")
	}
	return Convert(ctx, s, list, w, opt)
}

// under is a folder of a folder.
type under struct {
	Folder
	dir string
}

// Open opens a file of the folder.
func (u under) Open(name string) (io.ReadCloser, error) { return u.Folder.Open(path.Join(u.dir, name)) }

// newSpool returns an empty spool with its file in dir.
func newSpool(dir string) (*spool, error) {
	f, err := tempFile(dir)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		discard(f)
		return nil, err
	}
	return &spool{f: f, out: bufio.NewWriterSize(f, 256<<10), at: map[string]extent{}, zstd: z}, nil
}

// tempFile returns a file that goes with the process.
func tempFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "replay-accelsim-*")
	if err != nil {
		return nil, fmt.Errorf("temporary file (set TMPDIR to a folder with room): %w", err)
	}
	_ = os.Remove(f.Name()) // where an open file cannot be removed, discard does it
	return f, nil
}

// tempReader is a temporary file that is read.
type tempReader struct{ *os.File }

// discard closes a temporary file.
func discard(f *os.File) {
	_ = f.Close()
	_ = os.Remove(f.Name())
}

func (s *spool) close() {
	s.zstd.Close()
	discard(s.f)
}

// spoolWindow is how far back the spool's packing looks.
const spoolWindow = 512 << 10

// addAll adds the kernels and lists of an archive.
func (s *spool) addAll(ctx context.Context, r *tar.Reader) error {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(spoolWindow))
	if err != nil {
		return err
	}
	defer z.Close()
	in := bufio.NewReaderSize(nil, 64<<10)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the archive: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		name := path.Clean(h.Name)
		base := path.Base(name)
		if h.Typeflag != tar.TypeReg || !isKernelFile(base) && !isList(base) {
			continue
		}
		if len(s.names) == maxMembers {
			return fmt.Errorf("an archive of more than %d files", maxMembers)
		}
		in.Reset(r)
		if err := s.add(name, in, z); err != nil {
			return fmt.Errorf("%s in the archive: %w", base, err)
		}
	}
}

// add appends one file.
func (s *spool) add(name string, r *bufio.Reader, z *zstd.Encoder) error {
	head, err := r.Peek(6)
	if err != nil && err != io.EOF {
		return err
	}
	own := !unpack.Packed(head)
	if !own {
		_, err = r.WriteTo(s.out)
	} else {
		z.Reset(s.out)
		if _, err = r.WriteTo(z); err == nil {
			err = z.Close()
		}
	}
	if err == nil {
		err = s.out.Flush()
	}
	if err != nil {
		return err
	}
	end, err := s.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, again := s.at[name]; !again {
		s.names = append(s.names, name)
	}
	s.at[name] = extent{s.size, end - s.size, own} // tar: the last of a name counts
	s.size = end
	return nil
}

// Names returns the names of the files in the order of the archive.
func (s *spool) Names() ([]string, error) { return s.names, nil }

// Open opens a file, unpacked.
func (s *spool) Open(name string) (io.ReadCloser, error) {
	e, ok := s.at[path.Clean(name)]
	if !ok {
		return nil, fs.ErrNotExist
	}
	part := io.NewSectionReader(s.f, e.off, e.size)
	if !e.own || s.busy {
		r, _, err := unpack.Reader(bufio.NewReaderSize(part, 64<<10))
		return r, err
	}
	s.busy = true
	return &spooled{s}, s.zstd.Reset(part)
}

// spooled is a file that the spool packed; one is open at a time.
type spooled struct{ s *spool }

func (f *spooled) Read(p []byte) (int, error) { return f.s.zstd.Read(p) }

// Close lets the next file be opened cheaply.
func (f *spooled) Close() error {
	f.s.busy = false
	return nil
}
