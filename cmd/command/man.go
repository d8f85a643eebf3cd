package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func init() { register((*app).manCommand) }

func (a *app) manCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:     "man -o DIR",
		Short:   "write the manual pages, one for each command",
		Example: "  replay man -o man1 && man -l man1/replay.1",
		Args:    exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return usagef("man: want the folder of the pages: -o DIR")
			}
			if err := os.MkdirAll(out, 0o777); err != nil {
				return err
			}
			n, err := writePages(cmd.Root(), out)
			if err == nil && !a.quiet {
				fmt.Fprintf(a.out, "%d pages in %s\n", n, out)
			}
			return err
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "`DIR` of the pages")
	return c
}

// writePages writes the page of a command and of those below it, and says how many.
// The generator of the command's library goes through Markdown, whose parser costs
// each start of this command a tenth of its time.
func writePages(c *cobra.Command, dir string) (n int, err error) {
	if err = os.WriteFile(filepath.Join(dir, pageName(c)+".1"), []byte(page(c)), 0o666); err != nil {
		return 0, err
	}
	for _, sub := range shown(c) {
		more, err := writePages(sub, dir)
		if n += more; err != nil {
			return n, err
		}
	}
	return n + 1, nil
}

// shown are the subcommands that help lists.
func shown(c *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(c.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() })
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// page is a command's manual page, in the macros of man(7). It has no date: pages of a
// version are the same bytes.
func page(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	var b strings.Builder
	fmt.Fprintf(&b, ".TH REPLAY 1 \"\" \"replay %s\" replay\n.nh\n", version())
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(c)), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fR\n", roff(c.UseLine()))
	long := c.Long
	if long == "" {
		long = c.Short
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", strings.ReplaceAll(roff(long), "\n\n", "\n.PP\n"))
	writeOptions(&b, "OPTIONS", c.NonInheritedFlags())
	writeOptions(&b, "OPTIONS OF EVERY COMMAND", c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLE\n.EX\n%s\n.EE\n", roff(c.Example))
	}
	var others []string
	if c.HasParent() {
		others = append(others, pageName(c.Parent()))
	}
	for _, sub := range shown(c) {
		others = append(others, pageName(sub))
	}
	for i, name := range others {
		others[i] = "\\fB" + roff(name) + "\\fR(1)"
	}
	if len(others) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(others, ", "))
	}
	return b.String()
}

func writeOptions(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "\\fB" + roff("--"+f.Name) + "\\fR"
		if f.Shorthand != "" {
			name = "\\fB" + roff("-"+f.Shorthand) + "\\fR, " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		switch {
		case value != "" && f.NoOptDefVal != "":
			name += "[=\\fI" + roff(value) + "\\fR]"
		case value != "":
			name += "=\\fI" + roff(value) + "\\fR"
		}
		if !slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", name, roff(usage))
	})
}

// roff is text as a manual page has it: its own signs escaped, also those that make a
// request of a line that begins with them.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
