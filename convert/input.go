package convert

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gpureplay/convert/unpack"
)

// headBytes is how much of a file formats may look at to recognise it.
const headBytes = 64 << 10

// Input is a capture: a file, a folder, or standard input. Packed files (gzip,
// zstd, xz, by content) are unpacked on the way.
type Input struct {
	path   string
	name   string // its name in messages; "": the path
	dir    bool
	head   []byte
	packed bool
	stream *stream // standard input
	size   int64
	ctx    context.Context // ends detection early; nil: nothing does

	progress func(done, total int64) // nil: none
	done     int64                   // bytes read as they lie on disk
	expected int64                   // bytes to read; 0: unknown
}

// stream is an input that can be read once only.
type stream struct {
	r    *bufio.Reader
	used bool
}

// Open finds the capture at path; "-" is stdin. It returns an error if there is no such file, or if it cannot be
// unpacked.
func Open(path string, stdin io.Reader) (*Input, error) {
	if path == "-" {
		in := &Input{path: "standard input", stream: &stream{r: bufio.NewReaderSize(stdin, headBytes)}}
		head, err := in.stream.r.Peek(headBytes)
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return in, in.unpackHead(head)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	in := &Input{path: path, dir: info.IsDir(), size: info.Size()}
	if in.dir {
		_, err = os.ReadDir(path) // formats pass over unreadable folders
		return in, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: neither a file nor a folder; pipes are read from standard input with -", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return nil, err
	}
	return in, in.unpackHead(head[:n])
}

// unpackHead keeps the beginning of the unpacked input.
func (in *Input) unpackHead(raw []byte) error {
	r, packed, err := unpack.Reader(bufio.NewReader(bytes.NewReader(raw)))
	if err != nil {
		return fmt.Errorf("%s: %w", in.path, err)
	}
	defer r.Close()
	text, _, err := unpack.Text(bufio.NewReader(r))
	if err != nil {
		return fmt.Errorf("%s: %w", in.path, err)
	}
	in.packed = packed
	in.head = make([]byte, headBytes)
	n, _ := io.ReadFull(text, in.head) // a packed head may end early
	in.head = in.head[:n]
	return nil
}

// Name is the input's name in messages.
func (in *Input) Name() string {
	if in.name != "" {
		return in.name
	}
	return in.path
}

// Call sets the input's name in messages, for an unpacked copy at another path.
func (in *Input) Call(name string) { in.name = name }

// Until lets the end of ctx end the detection of the format early.
func (in *Input) Until(ctx context.Context) *Input {
	in.ctx = ctx
	return in
}

// until is the context of the detection.
func (in *Input) until() context.Context {
	if in.ctx == nil {
		return context.Background()
	}
	return in.ctx
}

// Path is where the input lies; "" for standard input.
func (in *Input) Path() string {
	if in.stream != nil {
		return ""
	}
	return in.path
}

// IsDir reports whether the input is a folder.
func (in *Input) IsDir() bool { return in.dir }

// Packed reports whether the file is compressed.
func (in *Input) Packed() bool { return in.packed }

// Size is the size of the file as it lies on disk, in bytes; 0 for folders and
// standard input.
func (in *Input) Size() int64 { return in.size }

// Head returns the first bytes of the unpacked file, at most 64 KiB; nothing
// for a folder.
func (in *Input) Head() []byte { return in.head }

// Has reports whether a folder has an entry of that name.
func (in *Input) Has(name string) bool {
	if !in.dir {
		return false
	}
	_, err := os.Stat(filepath.Join(in.path, name))
	return err == nil
}

// Folder is the folder that holds the capture's files: the input itself, or the
// folder that the input lies in.
func (in *Input) Folder() string {
	if in.dir {
		return in.path
	}
	return filepath.Dir(in.path)
}

// Read opens the unpacked file. A file can be read more than once, standard
// input only once. Reading stops with the context's error once it is done.
func (in *Input) Read(ctx context.Context) (io.ReadCloser, error) {
	if in.dir {
		return nil, errors.New("a folder, not a file")
	}
	if in.stream == nil {
		return in.OpenFile(ctx, in.path)
	}
	if in.stream.used {
		return nil, errors.New("this format is read more than once: give a file, not standard input")
	}
	in.stream.used = true
	return in.open(ctx, in.stream.r, nil)
}

// OpenFile opens a file of the capture, unpacked by content; its bytes count as progress. It returns an error if the
// file cannot be opened or unpacked.
func (in *Input) OpenFile(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := in.open(ctx, f, f)
	if err != nil {
		f.Close()
	}
	return r, err
}

// open reads raw as unpacked UTF-8; f is the file behind it, or nil.
func (in *Input) open(ctx context.Context, raw io.Reader, f *os.File) (io.ReadCloser, error) {
	unpacked, packed, err := unpack.Reader(bufio.NewReaderSize(counter{in, raw}, 256<<10))
	if err != nil {
		return nil, err
	}
	text, changed, err := unpack.Text(bufio.NewReaderSize(unpacked, 256<<10))
	if err != nil {
		unpacked.Close()
		return nil, err
	}
	if packed || changed || f == nil {
		return file{reader{ctx, text}, unpacked, f}, nil
	}
	return plainFile{file{reader{ctx, text}, unpacked, f}}, nil
}

// Expect says that so many bytes are going to be read. Where no format says so,
// it is the size of the file.
func (in *Input) Expect(bytes int64) { in.expected = bytes }

// counter tells the input's progress.
type counter struct {
	in *Input
	r  io.Reader
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.in.done += int64(n)
	if c.in.progress != nil {
		c.in.progress(c.in.done, max(c.in.expected, c.in.size))
	}
	return n, err
}

// isFile reports whether the input is that file.
func (in *Input) isFile(info os.FileInfo) bool {
	own, err := os.Stat(in.Path())
	return in.stream == nil && err == nil && os.SameFile(own, info)
}

// reader ends with the context.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

type file struct {
	reader
	unpacker io.Closer
	f        *os.File // nil: standard input
}

// Close frees the unpacker and closes the file.
func (f file) Close() error {
	err := f.unpacker.Close()
	if f.f == nil {
		return err
	}
	if closeErr := f.f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// plainFile is a file that is not packed: it can be read at any offset.
type plainFile struct{ file }

// ReadAt reads as [io.ReaderAt] says.
func (f plainFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.f.ReadAt(p, off)
}

// Size is the size of the file in bytes.
func (f plainFile) Size() (int64, error) {
	info, err := f.f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Sibling opens a file of the capture's folder, unpacked; it is fs.ErrNotExist
// if there is none, or if the input has no folder.
func (in *Input) Sibling(ctx context.Context, name string) (io.ReadCloser, error) {
	if in.stream != nil {
		return nil, fs.ErrNotExist
	}
	return in.OpenFile(ctx, filepath.Join(in.Folder(), name))
}
