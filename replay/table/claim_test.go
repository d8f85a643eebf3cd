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

// Processes that claim some of the same runs take them in one order. In whatever order they ask, one gets all of
// its runs, and the refused ones keep none.
func TestClaimsHaveOneOrder(t *testing.T) {
	dir := t.TempDir()
	keys := func(policies ...string) (all []Key) {
		for _, p := range policies {
			all = append(all, Key{Trace: "t", GPU: "g", Policy: p})
		}
		return all
	}
	for range 20 {
		wants := [][]Key{keys("a", "b"), keys("b", "c"), keys("c", "a"), keys("b", "a")}
		got := make(chan *Claims, len(wants))
		for _, w := range wants {
			go func() {
				c, err := ClaimRuns(dir, nil, w)
				if err != nil && !strings.Contains(err.Error(), "another replay is writing") {
					t.Error(err)
				}
				got <- c
			}()
		}
		won := 0
		var held []*Claims
		for range wants {
			if c := <-got; c != nil {
				held = append(held, c)
				won++
			}
		}
		if won == 0 {
			t.Fatal("all are refused")
		}
		for _, c := range held {
			c.Close()
		}
		if left := tree(t, dir); len(left) > 0 {
			t.Fatalf("left: %v", left)
		}
	}
}
