package all_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
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

// table lists the generators, and then the parameters that several of them have. The list of generators gives those
// by name and default alone.
func table() string {
	common := commonParams()
	var b strings.Builder
	b.WriteString("| name | what it computes | source | machine | parameters (default; allowed) |\n| --- | --- | --- " +
		"| --- | --- |\n")
	for _, g := range samples.List() {
		var params []string
		for _, p := range g.Params {
			if common[p.Name] == meaning(p) {
				params = append(params, fmt.Sprintf("`%s` (%s)", p.Name, p.Default))
			} else {
				params = append(params, fmt.Sprintf("`%s` %s (%s; %s)", p.Name, p.Help, p.Default, p.Allowed()))
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", g.Name, g.Title, g.Source, g.Machine, strings.Join(params, "<br>"))
	}
	b.WriteString("\n| parameter of several | meaning | allowed |\n| --- | --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(common)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, common[name])
	}
	return b.String()
}

func meaning(p samples.Param) string { return p.Help + " | " + p.Allowed() }

// commonParams returns the most frequent meaning of each parameter that three generators have with that meaning.
func commonParams() map[string]string {
	uses := map[string]map[string]int{}
	for _, g := range samples.List() {
		for _, p := range g.Params {
			if uses[p.Name] == nil {
				uses[p.Name] = map[string]int{}
			}
			uses[p.Name][meaning(p)]++
		}
	}
	common := map[string]string{}
	for name, meanings := range uses {
		most := 2
		for _, m := range slices.Sorted(maps.Keys(meanings)) {
			if meanings[m] > most {
				most, common[name] = meanings[m], m
			}
		}
	}
	return common
}
