package table

import (
	"strings"
	"testing"
)

// One place has one writer at a time, whatever tables each writes; the first writer's tables stay, and its end
// frees the place.
func TestOneWriterOfAPlace(t *testing.T) {
	dir := t.TempDir()
	for _, end := range []func(*Set) error{(*Set).Commit, func(s *Set) error { s.Abort(); return nil }} {
		first := openFixture(t, dir, fixturePolicy, Parquet)
		before := tree(t, dir)
		opt := first.opt
		opt.Tables = []string{"metrics", "audit"}
		if _, err := Open(opt); err == nil || !strings.Contains(err.Error(), "another replay is writing "+dir) {
			t.Fatalf("a second writer: %v", err)
		}
		if after := tree(t, dir); strings.Join(before, "\n") != strings.Join(after, "\n") {
			t.Errorf("the second writer leaves\n%s\nof\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
		}
		opt.Policy = "other"
		other, err := Open(opt)
		if err != nil {
			t.Fatalf("another policy: %v", err)
		}
		other.Abort()
		fill(first)
		if err := end(first); err != nil {
			t.Fatal(err)
		}
	}
	if len(tree(t, dir)) != len(Names())+1 { // and the manifest
		t.Errorf("left: %v", tree(t, dir))
	}
}
