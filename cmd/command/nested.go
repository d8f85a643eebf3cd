package command

import (
	"context"
	"errors"
)

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
