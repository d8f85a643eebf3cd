package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinksLeadSomewhere follows every link of every document to a file of the repository. Links to other sites are
// not followed.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Chdir(moduleRoot(t))
	link, seen := regexp.MustCompile(`\]\(([^)\s]+)\)`), 0
	eachDocument(t, func(path, text string) {
		for _, m := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(text, ""), -1) {
			to, _, _ := strings.Cut(m[1], "#")
			if to == "" || strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			seen++
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), to)); err != nil {
				t.Errorf("%s links to %s, which is missing", path, to)
			}
		}
	})
	if seen < 50 {
		t.Errorf("only %d links: the documents are not read as they are written", seen)
	}
}

// TestSiteHasEveryPage looks for each page of docs/ in the contents of the site that make docs builds.
func TestSiteHasEveryPage(t *testing.T) {
	t.Chdir(moduleRoot(t))
	contents, err := os.ReadFile("docs/mkdocs.yml")
	if err != nil {
		t.Fatal(err)
	}
	eachDocument(t, func(path, _ string) {
		if page, ok := strings.CutPrefix(path, "docs/"); ok && !strings.Contains(string(contents), "- "+page+"\n") {
			t.Errorf("docs/mkdocs.yml does not list %s", page)
		}
	})
}

// TestDocumentsNameFiles looks for every file and folder of the repository that a document names in a code span. The
// lab book names files of former revisions.
func TestDocumentsNameFiles(t *testing.T) {
	t.Chdir(moduleRoot(t))
	file := regexp.MustCompile("`((?:trace|model|policies|replay|convert|cmd|samples|docs|internal)/[\\w./*-]*)`")
	seen := 0
	eachDocument(t, func(path, text string) {
		if path == "docs/design/labbook.md" {
			return
		}
		for _, m := range file.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "PAPER") {
				continue
			}
			seen++
			at, err := filepath.Glob(m[1])
			here, _ := filepath.Glob(filepath.Join(filepath.Dir(path), m[1]))
			if err != nil || len(at)+len(here) == 0 {
				t.Errorf("%s names %s, which is missing", path, m[1])
			}
		}
	})
	if seen < 50 {
		t.Errorf("only %d files: the documents are not read as they are written", seen)
	}
}
