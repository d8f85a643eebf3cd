package command

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay/reproduce"
	"gpureplay/samples"

	"github.com/spf13/cobra"
)

// foreign are flags of other programs, and names of the tutorials, in the documents.
var foreign = []string{"--timestamp", "emptiest", "mine"}

// TestDocumentsNameCommands looks up every command line of every document: its subcommand, its flags, and the
// policies, presets, settings, generators and papers that it names. TestDocumentsRun runs the console blocks.
func TestDocumentsNameCommands(t *testing.T) {
	root, seen := (&app{}).root(), 0
	inline := regexp.MustCompile("`([^`\n]+)`")
	call := regexp.MustCompile(`^(?:\$ )?(?:replay|bin/replay|go run \./cmd/replay) (.+)`)
	eachMarkdown(t, func(path, text string) {
		var lines []string
		for line := range strings.Lines(text) {
			lines = append(lines, strings.TrimSpace(line))
		}
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			if lines = append(lines, m[1]); strings.HasPrefix(m[1], "--") {
				seen++
				checkFlag(t, path, commandsBelow(root), strings.Fields(m[1])[0])
			}
		}
		for _, line := range lines {
			if m := call.FindStringSubmatch(line); m != nil {
				seen++
				checkCall(t, path, root, strings.Fields(m[1]))
			}
		}
	})
	if seen < 150 {
		t.Errorf("only %d commands: the documents are not read as they are written", seen)
	}
}

// commandsBelow are a command and all below it.
func commandsBelow(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		all = append(all, commandsBelow(sub)...)
	}
	return all
}

// TestDocumentsCountPresets compares the number of presets that two documents state.
func TestDocumentsCountPresets(t *testing.T) {
	n := len(hardware.Presets())
	for path, words := range map[string]string{"../../README.md": "`replay presets` lists %d",
		"../../CHANGELOG.md": "%d presets"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(words, n); !strings.Contains(string(text), want) {
			t.Errorf("%s does not say %q", path, want)
		}
	}
}

func eachMarkdown(t *testing.T, f func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (len(d.Name()) > 2 && d.Name()[0] == '.' || d.Name() == "testdata" || d.Name() == "dist") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".md") {
			return nil
		}
		text, err := os.ReadFile(path)
		f(path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkCall checks the words of a command line up to the end of the command.
func checkCall(t *testing.T, path string, root *cobra.Command, words []string) {
	t.Helper()
	if end := slices.IndexFunc(words, func(w string) bool { return strings.ContainsAny(w[:1], "|>&#;") }); end >= 0 {
		words = words[:end]
	}
	c, rest, err := root.Find(words)
	if err != nil {
		t.Errorf("%s: replay %s: %v", path, strings.Join(words, " "), err)
		return
	}
	for i, w := range rest {
		switch {
		case strings.HasPrefix(w, "--set") && i+1 < len(rest) && w == "--set":
			checkValue(t, path, "--set", rest[i+1])
		case strings.HasPrefix(w, "--"):
			checkFlag(t, path, []*cobra.Command{c}, w)
		case i == 0:
			checkArgument(t, path, c.CommandPath(), w)
		}
	}
}

// checkFlag looks for a flag in some commands, and checks its value.
func checkFlag(t *testing.T, path string, in []*cobra.Command, word string) {
	t.Helper()
	name, value, _ := strings.Cut(strings.TrimRight(word, ",.:;"), "=")
	if slices.Contains(foreign, name) || name == "--help" || name == "--version" {
		return
	}
	if !slices.ContainsFunc(in, func(c *cobra.Command) bool {
		bare := strings.TrimPrefix(name, "--")
		return c.Flags().Lookup(bare) != nil || c.InheritedFlags().Lookup(bare) != nil
	}) {
		t.Errorf("%s: %s is no flag of %s", path, word, in[0].CommandPath())
		return
	}
	checkValue(t, path, name, value)
}

// checkValue checks a flag's value if it is a name; words in capitals and the tutorials' own names stand for any.
func checkValue(t *testing.T, path, flag, value string) {
	t.Helper()
	if value == "" || strings.IndexFunc(value, unicode.IsUpper) == 0 ||
		slices.ContainsFunc(foreign, func(name string) bool { return strings.Contains(value, name) }) {
		return
	}
	var err error
	switch flag {
	case "--policy", "--against":
		if value != "all" && !strings.ContainsFunc(value, unicode.IsUpper) {
			_, err = policies.Parse(value, nil)
		}
	case "--gpu":
		if !strings.HasSuffix(value, ".toml") && !strings.HasSuffix(value, ".config") { // files of the user
			_, err = hardware.FindConfig(value)
		}
	case "--set", "--sensitivity":
		if key, _, _ := strings.Cut(value, "="); key != "launch" {
			_, err = hardware.FindSettings(key)
		}
	}
	if err != nil {
		t.Errorf("%s: %s=%s: %v", path, flag, value, err)
	}
}

// checkArgument checks the first argument of the commands that take a name.
func checkArgument(t *testing.T, path, command, word string) {
	t.Helper()
	if strings.ContainsFunc(word, unicode.IsUpper) || strings.Contains(word, ".") {
		return
	}
	var err error
	switch command {
	case "replay sample":
		_, err = samples.Get(word)
	case "replay policies":
		_, err = policies.Parse(word, nil)
	case "replay reproduce":
		_, err = reproduce.Get(word)
	}
	if err != nil {
		t.Errorf("%s: %s %s: %v", path, command, word, err)
	}
}
