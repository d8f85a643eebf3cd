package table

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"

	"github.com/apache/arrow/go/v15/arrow"
)

// file is one file on its way to its final name.
type file struct {
	final, temp string
	out         *outlet
	buf         *bufio.Writer
	enc         encoder
	flush       func() error // writes its stream's buffers
	pending     chan error   // result of the record that is written behind; nil: none is
}

// encoder writes record batches of one schema in some format.
type encoder interface {
	write(arrow.Record) error
	close() error // ends the format; the underlying writer stays open
}

// createFile creates the partial file temp of final, and the folder that it lies
// in. create opens the file: os.Create, but for tests.
func createFile(final, temp, format string, sch *arrow.Schema, create func(string) (io.WriteCloser, error)) (*file,
	error) {
	f := &file{final: final, temp: temp}
	w, err := createIn(filepath.Dir(temp), f.temp, create)
	if err != nil {
		return nil, err
	}
	f.out = &outlet{w: w, hash: sha256.New()}
	f.buf = bufio.NewWriterSize(f.out, 1<<18)
	err = f.guard(func() (err error) {
		f.enc, err = encoders[format](f.buf, sch)
		return err
	})
	if err != nil {
		f.abort()
		return nil, err
	}
	return f, nil
}

// createIn makes a folder and a file in it. Another process that ends may
// remove the folder in between, while it is empty.
func createIn(dir, path string, create func(string) (io.WriteCloser, error)) (w io.WriteCloser, err error) {
	for range 5 {
		if err = os.MkdirAll(dir, 0o777); err != nil {
			err = fmt.Errorf("tables: cannot make the folder: %w", err)
		} else if w, err = create(path); err != nil {
			err = fmt.Errorf("tables: cannot create a file: %w", err)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return w, err
}

func (f *file) write(rec arrow.Record) error {
	if err := f.wait(); err != nil {
		return err
	}
	return f.guard(func() error { return f.enc.write(rec) })
}

// behind writes a record while the caller goes on, and lets go of it: one of a file at a time, and one of those
// that share the turn. A failure is the error of the next call.
func (f *file) behind(rec arrow.Record, turn sync.Locker) error {
	if err := f.wait(); err != nil {
		rec.Release()
		return err
	}
	done := make(chan error, 1)
	f.pending = done
	go func() {
		defer rec.Release()
		turn.Lock()
		defer turn.Unlock()
		done <- f.guard(func() error { return f.enc.write(rec) })
	}()
	return nil
}

// wait returns when no record is written behind.
func (f *file) wait() error {
	if f.pending == nil {
		return nil
	}
	err := <-f.pending
	f.pending = nil
	return err
}

// close writes all that is pending and closes the partial file.
func (f *file) close() error {
	if err := f.finish(); err != nil {
		return err
	}
	return f.settle()
}

// finish writes all that is pending.
func (f *file) finish() error {
	if err := f.wait(); err != nil {
		return err
	}
	if err := f.flush(); err != nil {
		return err
	}
	return f.guard(func() error {
		if err := f.enc.close(); err != nil {
			return err
		}
		return f.buf.Flush()
	})
}

// settle makes the written bytes durable, and closes the partial file.
func (f *file) settle() error {
	return f.guard(func() error {
		f.out.sync()
		return f.out.close()
	})
}

// guard runs a step of the encoder. The first failure below it (a full disk) is the error: the Parquet writer wraps
// it or panics after it.
func (f *file) guard(step func() error) (err error) {
	defer func() {
		p := recover()
		switch {
		case f.out.err != nil:
			err = fmt.Errorf("tables: writing %s: %w", f.final, f.out.err)
		case p != nil:
			panic(p)
		case errors.As(err, new(runtime.Error)): // the library's own words would say nothing to a user
			err = fmt.Errorf("tables: writing %s: the encoder of %s does not work on %s; --format chooses another", f.final,
				filepath.Ext(f.final), runtime.GOARCH)
		case err != nil:
			err = fmt.Errorf("tables: writing %s: %w", f.final, err)
		}
	}()
	return step()
}

// abort closes and removes the partial file, whatever state it is in.
func (f *file) abort() {
	_ = f.wait() // it is removed
	f.out.close()
	os.Remove(f.temp)
}

// outlet remembers the first error of the writer below, and writes nothing after it. It counts and hashes the
// written bytes.
type outlet struct {
	w     io.WriteCloser
	err   error
	bytes int64
	hash  hash.Hash
}

func (o *outlet) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.bytes += int64(n)
	o.hash.Write(p[:n])
	o.err = err
	return n, err
}

// sync makes the written bytes durable.
func (o *outlet) sync() {
	if f, ok := o.w.(interface{ Sync() error }); ok && o.err == nil && durable {
		if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) { // a pipe has nothing to keep
			o.err = err
		}
	}
}

// close closes once; a second call does nothing.
func (o *outlet) close() error {
	if o.w == nil {
		return nil
	}
	err := o.w.Close()
	if o.err == nil {
		o.err = err
	}
	o.w = nil
	return o.err
}
