package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// text is everything that a person reads in one package or document.
type text struct {
	lines     []string // of comments or prose
	sentences []string // of comments, prose and string literals
	wide      int      // lines of source over 120 characters
}

var (
	relativeWhat = regexp.MustCompile(`(?i)\bwhat\b`)
	turnedAround = regexp.MustCompile(`(?i)\b(of which|that of|those of|nobody|none but|no \w+ that (does|do|is|are|` +
		`has|have) (not|no))\b`)
	sentenceEnd = regexp.MustCompile(`[.!?](["')]*)(\s+|$)`)
	question    = regexp.MustCompile(`[^.!?]*\?`)
	generated   = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	codeSpan    = regexp.MustCompile("`[^`\n]*`")
	link        = regexp.MustCompile(`\]\([^)]*\)`)
	mark        = regexp.MustCompile(`^<!-- (/|end of )?`)
)

// hasWhat reports whether "what" stands as a relative pronoun: outside of a question.
func hasWhat(s string) bool  { return relativeWhat.MatchString(question.ReplaceAllString(s, "")) }
func isTurned(s string) bool { return turnedAround.MatchString(s) }
func isLong(s string) bool   { return len(strings.Fields(s)) > 30 }

func count(all []string, fault func(string) bool) (n int) {
	for _, s := range all {
		if fault(s) {
			n++
		}
	}
	return n
}

func words(sentences []string) (n int) {
	for _, s := range sentences {
		n += len(strings.Fields(s))
	}
	return n
}

// examples are the first faults of a rule.
func (x *text) examples(rule string) string {
	among, fault := x.sentences, isLong
	switch rule {
	case "what-lines":
		among, fault = x.lines, hasWhat
	case "what-sentences":
		fault = hasWhat
	case "turned":
		fault = isTurned
	case "lines-over-120":
		return ""
	}
	var found []string
	for _, s := range among {
		if fault(s) && len(found) < 4 {
			found = append(found, "\t"+s)
		}
	}
	return strings.Join(found, "\n")
}

// add takes the lines of a block, less a prefix of comments, and the sentences of its paragraphs.
func (x *text) add(block, prefix string) {
	var paragraph []string
	end := func() {
		x.addSentences(strings.Join(paragraph, " "))
		paragraph = nil
	}
	for _, line := range strings.Split(block, "\n") {
		line = strings.TrimPrefix(strings.TrimSpace(line), prefix)
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || strings.HasPrefix(line, "\t"): // code of a doc comment
			end()
		default:
			if strings.HasPrefix(trimmed, "* ") || strings.HasPrefix(trimmed, "- ") {
				end()
			}
			x.lines = append(x.lines, trimmed)
			paragraph = append(paragraph, trimmed)
		}
	}
	end()
}

// addSentences takes the sentences of a paragraph. A fragment of fewer than three words is none.
func (x *text) addSentences(paragraph string) {
	for paragraph != "" {
		end := sentenceEnd.FindStringIndex(paragraph)
		s := paragraph
		if end == nil {
			paragraph = ""
		} else {
			s, paragraph = paragraph[:end[1]], paragraph[end[1]:]
		}
		if len(strings.Fields(s)) > 1 {
			x.sentences = append(x.sentences, strings.TrimSpace(s))
		}
	}
}

// readTexts reads every package and every document of the module, by their paths from its root.
func readTexts(t *testing.T) map[string]*text {
	t.Helper()
	root, all := moduleRoot(t), map[string]*text{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (d.Name()[0] == '.' || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		markdown := strings.HasSuffix(name, ".md")
		if d.IsDir() || !markdown && !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil || generated.Match(src) {
			return err
		}
		if !markdown {
			name = filepath.ToSlash(filepath.Dir(name))
		}
		if all[name] == nil {
			all[name] = &text{}
		}
		if markdown {
			all[name].addMarkdown(string(src))
			return nil
		}
		return all[name].addGo(path, src)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d packages and documents found: the walk is broken", len(all))
	}
	return all
}

// addGo takes the comments of a Go file and, outside tests, its string literals of four words and more.
func (x *text) addGo(path string, src []byte) error {
	f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, group := range f.Comments {
		if !strings.HasPrefix(group.List[0].Text, "//go:") {
			x.add(group.Text(), "//")
		}
	}
	for _, line := range strings.Split(string(src), "\n") {
		if len([]rune(line)) > 120 && !strings.Contains(line, "://") {
			x.wide++
		}
	}
	if strings.HasSuffix(path, "_test.go") {
		return nil
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && len(strings.Fields(s)) > 3 && isProse(s) {
				x.addSentences(strings.Join(strings.Fields(s), " "))
			}
		}
		return true
	})
	return nil
}

// isProse tells a message or a description from SQL, HTML and other code in a literal.
func isProse(s string) bool {
	for _, code := range []string{"SELECT ", "<div", "<svg", "<table", "</", "{{", "CREATE ", "PRAGMA", "\n\t", "func ",
		" := "} {
		if strings.Contains(s, code) {
			return false
		}
	}
	return true
}

// addMarkdown takes the prose of a document: not its code, tables, headings and generated blocks.
func (x *text) addMarkdown(src string) {
	var prose strings.Builder
	code, made := false, false
	for _, line := range strings.Split(src, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			code = !code
			prose.WriteString("\n")
			continue
		case !code && mark.MatchString(trimmed):
			made = !strings.HasPrefix(trimmed, "<!-- /") && !strings.HasPrefix(trimmed, "<!-- end of ")
			continue
		case made || code || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, "#"):
			prose.WriteString("\n")
			continue
		}
		if len([]rune(line)) > 120 && !strings.Contains(line, "://") {
			x.wide++
		}
		line = codeSpan.ReplaceAllString(link.ReplaceAllString(line, "]"), "code")
		prose.WriteString(strings.TrimLeft(line, " \t") + "\n")
	}
	x.add(prose.String(), "")
}

// moduleRoot returns the folder of go.mod.
func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		t.Fatal("no go.mod above the working folder")
	}
}
