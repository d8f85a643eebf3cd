package convert

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gpureplay/internal/nearest"
	"gpureplay/trace"
)

// Format is one foreign format.
type Format struct {
	Name    string    // as --from= takes it
	Title   string    // one line: which tool, which file
	Reads   []Capture // kinds of input, for docs/formats.md
	Sniff   func(*Input) bool
	Convert func(context.Context, *Input, Writer, Options) error
}

// Capture is one kind of input of a format and the contents of its trace, in words.
type Capture struct {
	Give        string // the file or folder to give
	Fidelity    string // of its kernels
	Order       string // where the order and times of host operations come from
	Dependences string // between operations
	Placement   string // of CTAs on SMs
}

// Writer takes the trace.
type Writer = trace.Sink

// Options are those that all formats share.
type Options struct {
	Device     int            // which device of a capture of several; -1: the one with the most kernels
	AllowEmpty bool           // a profiler's capture may have no kernel; else that is [ErrNoActivity]
	Partial    bool           // keep the complete records of JSON that was cut short
	TempDir    string         // for data beyond the memory limit; "": the system's
	Memory     int            // bytes to sort in; 0: a default
	Irregular  *regexp.Regexp // kernels whose names match are marked irregular; nil: none by name
	Regular    *regexp.Regexp // and these are not, whatever the capture shows; Irregular goes first

	// Progress, if not nil, is told now and then how many bytes of the capture
	// have been read, as they lie on disk, of how many in all (0: unknown).
	Progress func(done, total int64)
}

// flags returns the flags of a kernel of that name.
func (o *Options) flags(name string) trace.KernelFlags {
	if o.Irregular != nil && o.Irregular.MatchString(name) {
		return trace.KernelIrregular
	}
	return 0
}

var formats []Format

// Register adds a format. It panics if the name is taken or something is
// missing: that is a bug.
func Register(f Format) {
	if f.Name == "" || f.Title == "" || len(f.Reads) == 0 || f.Sniff == nil || f.Convert == nil {
		panic("convert: incomplete format " + f.Name)
	}
	for _, g := range formats {
		if g.Name == f.Name {
			panic("convert: two formats named " + f.Name)
		}
	}
	formats = append(formats, f)
	slices.SortFunc(formats, func(a, b Format) int { return strings.Compare(a.Name, b.Name) })
}

// Names returns the names of all formats, sorted.
func Names() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// Lookup returns the format of that name; the error lists those that there are.
func Lookup(name string) (Format, error) {
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, nearest.Unknown("format", name, Names())
}

// ErrUnknown says that no format, or more than one, recognises an input.
var ErrUnknown = errors.New("format not recognised")

// Detect returns the format that recognises the input. It returns [ErrUnknown], wrapped,
// where none or more than one does, and another error where it could not look.
func Detect(in *Input) (Format, error) {
	if !in.IsDir() && len(in.Head()) == 0 && in.Packed() {
		return Format{}, fmt.Errorf("%s: %w: its packed stream holds nothing, or is cut short; copy the file again",
			in.Name(), ErrUnknown)
	}
	if !in.IsDir() && len(in.Head()) == 0 {
		return Format{}, fmt.Errorf("%s: %w: the file is empty", in.Name(), ErrUnknown)
	}
	var found []Format
	for _, f := range formats {
		if f.Sniff(in) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if err := in.until().Err(); err != nil {
			return Format{}, err
		}
		if err := outOfFiles(); err != nil {
			return Format{}, fmt.Errorf("%s: %w", in.Name(), err)
		}
		if why := explain(in); why != nil {
			return Format{}, fmt.Errorf("%s: %w: %w", in.Name(), ErrUnknown, why)
		}
		return Format{}, fmt.Errorf("%s: %w; --from= forces one of %s", in.Name(), ErrUnknown, strings.Join(Names(), ", "))
	}
	var names []string
	for _, f := range found {
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("%s: %w: it looks like %s; choose with --from=", in.Name(), ErrUnknown,
		strings.Join(names, " and "))
}

// Convert detects the format of the input (or takes the one named) and writes
// its trace to w, which it leaves open. Errors name the input.
func Convert(ctx context.Context, in *Input, from string, w Writer, opt Options) error {
	f, err := Format{}, error(nil)
	if from == "" {
		f, err = Detect(in)
	} else {
		f, err = Lookup(from)
	}
	if err != nil {
		return err
	}
	in.progress = opt.Progress
	if err := f.Convert(ctx, in, w, opt); err != nil {
		return fmt.Errorf("%s: %w", in.Name(), err)
	}
	return nil
}
