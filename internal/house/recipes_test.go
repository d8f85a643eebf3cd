package house_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ARCHITECTURE.md names files, folders, packages, tests and flags: each exists.
func TestArchitectureNamesWhatThereIs(t *testing.T) {
	t.Chdir(moduleRoot(t))
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	paths, commands := 0, 0
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(string(text), -1) {
		switch name := m[1]; {
		case strings.Contains(name, "go test "):
			commands++
			checkCommand(t, name)
		case regexp.MustCompile(`^[a-z_]+(/[\w.*]+)*(\.go|\.toml|/|\*_test\.go)$`).MatchString(name):
			paths++
			checkPath(t, name)
		}
	}
	if paths < 30 || commands < 4 {
		t.Errorf("%d paths and %d commands: the text is not read as it is written", paths, commands)
	}
}

// checkPath looks for a path from the root, or for a file of a room that is named alone.
func checkPath(t *testing.T, name string) {
	t.Helper()
	for _, dir := range []string{".", "model", "model/hardware", "policies", "replay", "replay/table", "cmd/command"} {
		if found, _ := filepath.Glob(filepath.Join(dir, name)); len(found) > 0 {
			return
		}
	}
	t.Errorf("ARCHITECTURE.md names %s, which is not there", name)
}

// checkCommand looks for the package of a `go test`, the test that it names and the flag
// that it gives.
func checkCommand(t *testing.T, command string) {
	t.Helper()
	words := strings.Fields(command[strings.Index(command, "go test ")+len("go test "):])
	if strings.Contains(words[0], "PACKAGE") {
		return
	}
	files, _ := filepath.Glob(filepath.Join(words[0], "*_test.go"))
	var source []byte
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, src...)
	}
	has := func(what string) bool { return bytes.Contains(source, []byte(what)) }
	for i, w := range words[1:] {
		switch {
		case w == "-run":
			if test := words[i+2]; !regexp.MustCompile(`func Test\w*` + test).Match(source) {
				t.Errorf("%s: %s has no test %s", command, words[0], test)
			}
		case strings.HasPrefix(w, "-") && !has(`"`+w[1:]+`"`):
			t.Errorf("%s: the tests of %s have no flag %s", command, words[0], w)
		}
	}
}
