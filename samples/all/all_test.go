package all_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"gpureplay/samples"
	_ "gpureplay/samples/all"
)

var update = flag.Bool("update", false, "write the generated files of samples/ anew")

// TestReadmeListsEveryGenerator compares the table of docs/workloads.md with the
// registry.
func TestReadmeListsEveryGenerator(t *testing.T) {
	const path, begin, end = "../../docs/workloads.md", "<!-- generators -->\n", "<!-- /generators -->\n"
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(old), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no %s...%s", path, begin, end)
	}
	want := head + begin + table() + end + tail
	if want == string(old) {
		return
	}
	if !*update {
		t.Fatalf("the table of %s is not that of the registry; write it with: go test ./samples/all -update", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func table() string {
	var b strings.Builder
	b.WriteString("| name | what it computes | source | machine | parameters (default; allowed) |\n| --- | --- | --- " +
		"| --- | --- |\n")
	for _, g := range samples.List() {
		var params []string
		for _, p := range g.Params {
			params = append(params, fmt.Sprintf("`%s` %s (%s; %s)", p.Name, p.Help, p.Default, p.Allowed()))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", g.Name, g.Title, g.Source, g.Machine, strings.Join(params, "<br>"))
	}
	return b.String()
}
