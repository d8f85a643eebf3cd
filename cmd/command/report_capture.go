package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"gpureplay/model/host"
	"gpureplay/policies"
)

// captureTables is the folder of the tables that report makes of a capture or a trace.
const captureTables = "replay-out"

// tablesOf returns the folder of tables that report reads. A capture or a trace is
// replayed first: a capture as recorded and as its program says, a trace under its
// default policy.
func (a *app) tablesOf(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("no such folder: %s; replay or sweep with -o %s first", path, path)
	case info.IsDir() && !isCapture(ctx, path):
		return path, nil
	}
	r, err := a.openTrace(ctx, path)
	if err != nil {
		return "", err
	}
	facts, err := policies.FactsOf(r, host.NotTasks)
	r.Close()
	if err != nil {
		return "", err
	}
	args, inner := []string{"-o", captureTables, path}, &app{in: a.in, out: a.out, err: a.err}
	if a.quiet || a.asJSON {
		inner.out, args = io.Discard, append(args, "--quiet")
	}
	if facts.Starts > 0 {
		args = append(args, "--policy=captured,hyperq")
	}
	return captureTables, inner.nested(ctx, args)
}

// nested runs another command of the tool.
func (a *app) nested(ctx context.Context, args []string) error {
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	err := root.ExecuteContext(ctx)
	var wrong usageError
	if errors.As(err, &wrong) { // the user did not write these arguments
		return wrong.error
	}
	return err
}
