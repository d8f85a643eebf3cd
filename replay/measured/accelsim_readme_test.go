package measured

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the README's table of references anew")

// The README shows the output of `replay correlate --accelsim`.
func TestReadmeShowsReferences(t *testing.T) {
	const path, begin, end = "../../docs/accuracy.md", "<!-- accelsim -->\n", "<!-- /accelsim -->\n"
	refs, err := References()
	if err != nil {
		t.Fatal(err)
	}
	cases, err := Compare(context.Background(), refs, nil, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if testing.Verbose() {
		for i := range cases {
			if c := &cases[i]; !c.HeldOut() {
				t.Log(sideBySide(c))
			}
		}
	}
	same := 0
	for i := range cases {
		c := &cases[i]
		if c.Cycles == c.Ours.Cycles {
			same++
		}
		// They follow from the program alone.
		if c.WarpInsts != c.Ours.WarpInsts && c.Kind != countedTwice {
			t.Errorf("%s on %s: %d instructions, Accel-Sim %d", c.Name(), c.Preset, c.Ours.WarpInsts, c.WarpInsts)
		}
	}
	list := Agreements(cases)
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(old), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no %s...%s", path, begin, end)
	}
	held, far := 0, 0
	for i := range refs {
		if refs[i].HeldOut() {
			held++
		}
		if refs[i].Worst() {
			far++
		}
	}
	text := fmt.Sprintf("%d programs: %d open and %d held out while the model changed; and the %d worst of 570 new ones, "+
		"which\nare in no other row. %d of the %d match Accel-Sim to the cycle. One held-out program (tile of seed 2) was "+
		"opened; it\nchanged no rule.\n\n%s", len(refs), len(refs)-far-held, held, far, same, len(refs), AgreementTable(list))
	want := head + begin + text + end + tail
	if want == string(old) {
		return
	}
	if !*update {
		t.Fatalf("the README's table of references is not what they come to; write it with: go test ./replay/measured "+
			"-run ReadmeShowsReferences -update\n%s", text)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
