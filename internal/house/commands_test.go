package house_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentsNameTests looks up every test, every pattern of `go test -run` and every target of make that a document
// names.
func TestDocumentsNameTests(t *testing.T) {
	t.Chdir(moduleRoot(t))
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	tests, seen := functionsOfTests(t), 0
	span := regexp.MustCompile("`([^`\n]+)`")
	single := regexp.MustCompile(`^(Test|Fuzz)\w+$`)
	target := regexp.MustCompile(`^make ([a-z]+)`)
	eachDocument(t, func(path, text string) {
		for _, m := range span.FindAllStringSubmatch(text, -1) {
			name := strings.ReplaceAll(m[1], `\|`, "|")
			switch to := target.FindStringSubmatch(name); {
			case strings.Contains(name, "go test ") && strings.Contains(name, "-run "):
				seen++
				checkPattern(t, path, name, tests)
			case single.MatchString(name):
				seen++
				if !matches(tests, ".", "^"+name+"$") {
					t.Errorf("%s names %s, which no package has", path, name)
				}
			case to != nil:
				seen++
				if !regexp.MustCompile(`(?m)^` + to[1] + `:`).Match(makefile) {
					t.Errorf("%s names make %s, which the Makefile lacks", path, to[1])
				}
			}
		}
	})
	if seen < 40 {
		t.Errorf("only %d names: the documents are not read as they are written", seen)
	}
}

// checkPattern looks for a test for each alternative of a command's pattern in the packages that it names.
func checkPattern(t *testing.T, path, command string, tests map[string][]string) {
	t.Helper()
	pattern, folder := "", "."
	words := strings.Fields(command)
	for i, w := range words {
		switch {
		case w == "-run" && i+1 < len(words):
			pattern = strings.Trim(words[i+1], "'")
		case strings.HasPrefix(w, "./"):
			folder = strings.TrimSuffix(strings.TrimPrefix(w, "./"), "/...")
		}
	}
	if pattern == "NAME" || pattern == "-" || pattern == "^$" {
		return
	}
	for one := range strings.SplitSeq(pattern, "|") {
		if !matches(tests, folder, one) {
			t.Errorf("%s: %s: no test under %s matches %s", path, command, folder, one)
		}
	}
}

// matches reports whether a test of a package under a folder matches a pattern.
func matches(tests map[string][]string, folder, pattern string) bool {
	re := regexp.MustCompile(pattern)
	for dir, names := range tests {
		if folder != "." && !within(dir, folder) {
			continue
		}
		for _, name := range names {
			if re.MatchString(name) {
				return true
			}
		}
	}
	return false
}

// functionsOfTests lists the tests and fuzz targets of every package, by folder.
func functionsOfTests(t *testing.T) map[string][]string {
	t.Helper()
	all, function := map[string][]string{}, regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	eachGoFile(t, func(path string, src []byte) {
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range function.FindAllSubmatch(src, -1) {
				dir := filepath.ToSlash(filepath.Dir(path))
				all[dir] = append(all[dir], string(m[1]))
			}
		}
	})
	return all
}

// libraries are the packages that a user's program imports.
var libraries = []string{".", "trace", "trace/container", "trace/text", "trace/choose", "trace/outline", "model",
	"model/hardware", "policies", "replay", "replay/analyse", "replay/reproduce", "replay/table", "convert", "samples"}

// TestLibrariesHaveExamples looks for an example in each package that a user's program imports.
func TestLibrariesHaveExamples(t *testing.T) {
	t.Chdir(moduleRoot(t))
	example, has := regexp.MustCompile(`(?m)^func Example\w*\(\)`), map[string]bool{}
	eachGoFile(t, func(path string, src []byte) {
		if strings.HasSuffix(path, "_test.go") && example.Match(src) {
			has[filepath.ToSlash(filepath.Dir(path))] = true
		}
	})
	for _, dir := range libraries {
		if !has[dir] {
			t.Errorf("package %s has no example", dir)
		}
	}
}

// eachDocument calls f for every Markdown file below the working folder, which is the module's root.
func eachDocument(t *testing.T, f func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (d.Name()[0] == '.' || d.Name() == "testdata" || d.Name() == "dist") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".md") {
			return nil
		}
		text, err := os.ReadFile(path)
		f(filepath.ToSlash(path), string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
