// Package command is the command line of replay: one file per subcommand. A
// program with policies, converters or workloads of its own imports those for
// their registrations and calls [Main].
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Exit statuses.
const (
	statusOK     = 0
	statusFailed = 1 // a fault of a file, a policy that a trace cannot feed, a failed run; an interrupt too
	statusUsage  = 2 // a flag, its value, a name that there is not, too many arguments
)

// app is one invocation of the command.
type app struct {
	in     io.Reader
	out    io.Writer // results, nothing else
	err    io.Writer // progress, notes and errors
	quiet  bool
	asJSON bool

	fullNames bool // of device functions
}

// usageError is a wrong way to call the command.
type usageError struct{ error }

// usage marks an error, if there is one, as a wrong way to call the command: a flag, its value, or an unknown name.
// Faults of files and of runs are none.
func usage(err error) error {
	if err != nil {
		return usageError{err}
	}
	return nil
}

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Main is the command as a process: it reads its arguments and streams, and ends
// with its exit status.
func Main() {
	collectLate()
	os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Run is the whole command as a function of its arguments and streams. It returns the
// exit status: 0, 1 if something failed, 2 if it was called wrongly.
func Run(args []string, in io.Reader, out, errw io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends work that does not listen
	results, messages := &checked{w: out}, &checked{w: errw}
	a := &app{in: in, out: results, err: messages}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(results)
	root.SetErr(messages)
	err := root.ExecuteContext(ctx)
	results.end()
	if err == nil && results.err != nil {
		err = fmt.Errorf("cannot write the results: %w", results.err)
	}
	err = missing(err)
	var usage usageError
	switch {
	case err == nil:
		return statusOK
	case errors.As(err, &usage):
		fmt.Fprintf(messages, "replay: %s (replay --help shows how)\n", oneLine(err))
		return statusUsage
	}
	if ctx.Err() != nil {
		err = interrupted(ctx, err)
	}
	fmt.Fprintf(messages, "replay: %s\n", oneLine(err))
	return statusFailed
}

// endings are the signals that end a command, which then tidies up. A hangup is
// one, unless whoever started the command has it outlive its terminal (nohup).
func endings() []os.Signal {
	s := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		s = append(s, syscall.SIGHUP)
	}
	return s
}

// interrupted is the error of a command that a signal ended: where it was, and its finished part. A context's own
// words say nothing to a user.
func interrupted(ctx context.Context, err error) error {
	text := oneLine(err)
	for _, end := range []string{context.Cause(ctx).Error(), context.Canceled.Error()} {
		text = strings.NewReplacer(": "+end, "", end+": ", "", end, "").Replace(text)
	}
	if text == "" {
		return errors.New("interrupted")
	}
	return errors.New("interrupted: " + text)
}

// checked is standard output or standard error: every write passes [shownText]. It keeps the first error, which
// those who print tables drop.
type checked struct {
	w    io.Writer
	err  error
	rest []byte // of a rune whose end is not written yet
}

func (c *checked) Write(p []byte) (int, error) {
	shown, rest := shownText(nil, append(c.rest, p...), coloured(c.columns(), os.LookupEnv))
	c.rest = bytes.Clone(rest)
	_, err := c.w.Write(shown)
	if c.err == nil {
		c.err = err
	}
	return len(p), err
}

// end writes the bytes of a rune that has no end.
func (c *checked) end() {
	if len(c.rest) > 0 {
		fmt.Fprintf(c.w, "\\x%x", c.rest)
	}
}

func oneLine(err error) string { return plain(strings.Join(strings.Fields(err.Error()), " ")) }

// columns is the width of the terminal that it is; 0: it is none.
func (c *checked) columns() int {
	if f, ok := c.w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// terminalWidth is the width of an output in columns; 0: it is no terminal.
func terminalWidth(out io.Writer) int {
	if t, ok := out.(interface{ columns() int }); ok {
		return t.columns()
	}
	return 0
}

// done writes the line of a command whose result is a file, unless its user requested
// quiet.
func (a *app) done(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintln(a.out, plain(fmt.Sprintf(format, args...)))
	}
}

// note writes a line for people, unless they requested quiet.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintln(a.err, plain(fmt.Sprintf(format, args...)))
	}
}

// exactly demands n arguments; the last parameter names them in the error.
func exactly(n int, what string) cobra.PositionalArgs { return between(n, n, what) }

// between takes from least to most arguments.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usagef("%s: want %s, got %d arguments", cmd.CommandPath(), what, len(args))
		}
		return nil
	}
}
