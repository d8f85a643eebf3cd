package command

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"text/template"

	"github.com/spf13/cobra"

	"gpureplay/policies"
)

//go:embed newpolicy
var newPolicyFiles embed.FS

// newPolicyCommand is `replay policies new`.
func (a *app) newPolicyCommand() *cobra.Command {
	dir, source := "", ""
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "write a program of your own with a new policy in it, and its test",
		Example: "  replay policies new mine -o ../mine\n  cd ../mine && go test ./... && go run . " +
			"--policy=hyperq,mine trace.zst",
		Args: exactly(1, "one name"),
		RunE: func(_ *cobra.Command, args []string) error {
			if dir == "" {
				dir = args[0]
			}
			if err := newPolicy(args[0], dir, source); err != nil {
				return err
			}
			a.done("%s: cd %s && go test ./... && go run . --policy=hyperq,%s TRACE", dir, dir, args[0])
			return nil
		},
	}
	c.Flags().StringVarP(&dir, "output", "o", "", "`DIR` to make (default NAME)")
	c.Flags().StringVar(&source, "source", "", "`DIR` of this project's source (default: the one that the working "+
		"directory is in)")
	return c
}

var policyName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
})

func newPolicy(name, dir, source string) error {
	if !policyName().MatchString(name) {
		return usagef("policies new: %q is no name of a policy: want small letters, digits and hyphens", name)
	}
	if _, err := policies.Get(name); err == nil {
		return usagef("policies new: there is a policy %s; take another name", name)
	}
	root, err := sourceRoot(source)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return fmt.Errorf("policies new: cannot make the folder: %w", err)
	}
	err = fillPolicy(name, dir, root)
	if err != nil {
		os.RemoveAll(dir)
	}
	return err
}

// sourceRoot finds the source: the folder named, or the one above the working
// directory that has its go.mod.
func sourceRoot(named string) (string, error) {
	at, err := filepath.Abs(named)
	if err != nil {
		return "", err
	}
	for {
		mod, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module gpureplay\n") {
			return at, nil
		}
		if up := filepath.Dir(at); named == "" && up != at {
			at = up
			continue
		}
		return "", errors.New("policies new: the source is not here: name its folder with --source")
	}
}

func fillPolicy(name, dir, root string) error {
	files, err := newPolicyFiles.ReadDir("newpolicy")
	if err != nil {
		return err
	}
	for _, f := range files {
		t, err := template.ParseFS(newPolicyFiles, "newpolicy/"+f.Name())
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := t.Execute(&text, struct{ Name string }{name}); err != nil {
			return err
		}
		code, err := format.Source(text.Bytes())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, strings.TrimSuffix(f.Name(), ".tmpl")), code, 0o666); err != nil {
			return fmt.Errorf("policies new: %w", err)
		}
	}
	return moduleFiles(name, dir, root)
}

// profile is the compiler's profile of the command, from the root of the source.
const profile = "cmd/replay/replay.pgo"

// moduleFiles writes go.mod, go.sum and the compiler's profile: the source's, which the new module takes from its
// folder, so that nothing need be looked up.
func moduleFiles(name, dir, root string) error {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return fmt.Errorf("policies new: %w", err)
	}
	_, rest, _ := strings.Cut(string(mod), "\n")
	text := fmt.Sprintf("module %s\n%s\nrequire gpureplay v0.0.0\n\nreplace gpureplay => %q\n", name, rest,
		filepath.ToSlash(root))
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o666); err != nil {
		return fmt.Errorf("policies new: %w", err)
	}
	for _, from := range []string{"go.sum", profile} {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(from)))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(from)), data, 0o666)
		}
		if err != nil {
			return fmt.Errorf("policies new: %w", err)
		}
	}
	return nil
}
