package house_test

import (
	"regexp"
	"strings"
	"testing"
)

// sizes are the limits of documents in words, tables and code counted; README also has lines.
const (
	mostOfOne = 6000
	mostOfAll = 45000 // outside generated parts
)

// wholePage marks a page that a test writes whole.
var wholePage = regexp.MustCompile(`(?m)^(Generated|Written) from `)

// TestDocumentsAreShort counts the words of every document, and all words that people wrote.
func TestDocumentsAreShort(t *testing.T) {
	t.Chdir(moduleRoot(t))
	all, made := 0, 0
	eachDocument(t, func(path, text string) {
		written, generated := wordsOf(text)
		if n := written + generated; n > mostOfOne {
			t.Errorf("%s has %d words, more than %d", path, n, mostOfOne)
		}
		all, made = all+written, made+generated
		switch lines := strings.Count(text, "\n"); {
		case path == "README.md" && (written < 800 || written > 1000 || lines < 110 || lines > 140):
			t.Errorf("README.md has %d words and %d lines, want 800 to 1,000 and 110 to 140", written, lines)
		case path == "CHANGELOG.md" && written > 1000:
			t.Errorf("CHANGELOG.md has %d words, more than 1,000", written)
		}
	})
	t.Logf("%d words, and %d generated", all, made)
	if all > mostOfAll {
		t.Errorf("the documents have %d words outside generated parts, more than %d", all, mostOfAll)
	}
	if all < 10000 {
		t.Errorf("only %d words: the documents are not read as they are written", all)
	}
}

// wordsOf counts the words that people wrote and those between the marks of a test.
func wordsOf(document string) (written, generated int) {
	inside := wholePage.MatchString(document)
	whole := inside
	for line := range strings.Lines(document) {
		trimmed := strings.TrimSpace(line)
		if mark.MatchString(trimmed) {
			inside = whole || !strings.HasPrefix(trimmed, "<!-- /") && !strings.HasPrefix(trimmed, "<!-- end of ")
			continue
		}
		if n := len(strings.Fields(line)); inside {
			generated += n
		} else {
			written += n
		}
	}
	return written, generated
}
