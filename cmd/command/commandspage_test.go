package command

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestCommandsPage writes docs/commands.md from the commands' own help.
func TestCommandsPage(t *testing.T) {
	t.Setenv("REPLAY_DATA", "") // the default of --data
	const path = "../../docs/commands.md"
	var b strings.Builder
	b.WriteString("# Commands\n\nGenerated from the commands' help by `go test ./cmd/command -run CommandsPage " +
		"-update`.\n\n" +
		"Exit status: 1 for bad input, a failed run or an interrupt; 2 for wrong usage.\n")
	root := (&app{}).root()
	commandPage(&b, root)
	b.WriteString("\nEvery command also has these flags:\n")
	flagTable(&b, root.PersistentFlags())
	for _, c := range shown(root) {
		if c.Name() != "help" && c.Name() != "completion" {
			commandPage(&b, c)
			for _, sub := range shown(c) {
				commandPage(&b, sub)
			}
		}
	}
	want := b.String()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s is not the commands' help (%v): go test ./cmd/command -run CommandsPage -update", path, err)
	}
}

// commandPage writes the section of a command: its text, its flags and its examples.
func commandPage(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n```text\n%s\n\n%s\n```\n", c.CommandPath(), c.UseLine(), cmp.Or(c.Long, c.Short))
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && c.PersistentFlags().Lookup(f.Name) == nil {
			flags.AddFlag(f)
		}
	})
	flagTable(b, flags)
	if c.Example != "" {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", strings.ReplaceAll(strings.TrimPrefix(c.Example, "  "), "\n  ", "\n"))
	}
}

// flagTable writes a row for each flag.
func flagTable(b *strings.Builder, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString("\n| flag | meaning | default |\n| --- | --- | --- |\n")
	flags.VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		name, preset := "--"+f.Name, f.DefValue
		if value != "" {
			name += "=" + value
		}
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if slices.Contains([]string{"0", "false", "[]"}, preset) {
			preset = ""
		}
		usage = strings.ReplaceAll(strings.Join(strings.Fields(usage), " "), "|", `\|`)
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, usage, preset)
	})
}
