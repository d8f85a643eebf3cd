// Package microbench holds CUDA programs; its test keeps their README true.
package microbench

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// cells returns the first cell of every row of the README's tables, unquoted.
func cells(readme string) []string {
	var list []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(readme, -1) {
		list = append(list, m[1])
	}
	return list
}

// The header that the programs print is the README's table of columns.
func TestColumns(t *testing.T) {
	m := regexp.MustCompile(`printf\("(gpu,[a-z_,]+)\\n"\)`).FindStringSubmatch(read(t, "bench.cuh"))
	if m == nil {
		t.Fatal("bench.cuh prints no header")
	}
	readme := read(t, "README.md")
	_, after, _ := strings.Cut(readme, "## Output")
	table, _, _ := strings.Cut(after, "## From")
	if want := strings.Split(m[1], ","); !slices.Equal(cells(table), want) {
		t.Errorf("README has columns %v, the programs print %v", cells(table), want)
	}
	format := regexp.MustCompile(`printf\("(\\"%s\\",[^"]+)\\n"`).FindStringSubmatch(read(t, "bench.cuh"))
	if format == nil || strings.Count(format[1], "%s")+strings.Count(format[1], "%d.%d")+
		strings.Count(strings.ReplaceAll(format[1], "%d.%d", ""), "%d")+
		strings.Count(format[1], "%.6g")+strings.Count(format[1], "%zu")+
		strings.Count(format[1], "%.2f") != len(strings.Split(m[1], ",")) {
		t.Errorf("a row does not have the header's columns: %v", format)
	}
}

// Every program is built, listed, and each test that it prints is explained.
func TestProgramsAreDocumented(t *testing.T) {
	_, after, _ := strings.Cut(read(t, "Makefile"), "PROGRAMS := ")
	line, _, _ := strings.Cut(after, "\n")
	programs := strings.Fields(line)
	readme := cells(read(t, "README.md"))
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	tests := regexp.MustCompile(`(?:b\.row|measure)\((?:b, )?(?:cached \? )?"([a-z_0-9]+)"(?: : "([a-z_0-9]+)")?`)
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".cu")
		if !ok {
			continue
		}
		if !slices.Contains(programs, name) || !slices.Contains(readme, name) {
			t.Errorf("%s.cu is not in the Makefile or not in the README", name)
		}
		found := tests.FindAllStringSubmatch(read(t, f.Name()), -1)
		if len(found) == 0 {
			t.Errorf("%s.cu prints nothing", name)
		}
		for _, m := range found {
			for _, test := range m[1:] {
				if test != "" && !slices.Contains(readme, test) {
					t.Errorf("%s.cu: test %s is not in the README", name, test)
				}
			}
		}
	}
}
