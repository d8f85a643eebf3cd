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
