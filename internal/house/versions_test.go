package house_test

import (
	"os"
	"regexp"
	"testing"
)

// One release has one version: the command's, the Python package's, the citation's and the changelog's first section.
func TestVersionsAgree(t *testing.T) {
	t.Chdir(moduleRoot(t))
	first := ""
	for _, x := range []struct{ file, line string }{
		{"cmd/command/version.go", `(?m)^const release = "(\S+)"$`},
		{"cmd/python/pyproject.toml", `(?m)^version = "(\S+)"$`},
		{"CITATION.cff", `(?m)^version: (\S+)$`},
		{"CHANGELOG.md", `(?m)\A[^#]*# Changelog[^#]*^## (\S+) \((?:unreleased|\d{4}-\d\d-\d\d)\)$`},
	} {
		text, err := os.ReadFile(x.file)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(x.line).FindSubmatch(text)
		switch {
		case m == nil:
			t.Errorf("%s states no version as %s", x.file, x.line)
		case first == "":
			first = string(m[1])
		case string(m[1]) != first:
			t.Errorf("%s has version %s, the command has %s", x.file, m[1], first)
		}
	}
}
