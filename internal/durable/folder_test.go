package durable

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ofSet are the names that belong to the tests' set of files.
func ofSet(name string) bool { return strings.HasSuffix(name, ".set") }

// stage opens a folder and writes files to it, whose content is the text.
func stage(t *testing.T, dir, text string, names ...string) *Folder {
	t.Helper()
	f, err := OpenFolder(dir, ofSet)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		put(t, filepath.Join(f.Stage(), n), text)
	}
	return f
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// contents are the visible files of a folder, NAME=TEXT each.
func contents(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if e.Name() == hiddenName {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Name()+"="+string(text))
	}
	return strings.Join(all, " ")
}

// A second writer is refused before it touches anything; the first one's end frees the folder, and a later set
// replaces the earlier one, with the files that it has no more.
func TestFolderHasOneWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	first := stage(t, dir, "1", "a.set", "b.set", "list.set")
	if _, err := OpenFolder(dir, ofSet); err == nil || !strings.Contains(err.Error(), "another replay is writing "+dir) {
		t.Fatalf("a second writer: %v", err)
	}
	if err := first.Commit([]string{"a.set", "b.set", "list.set"}); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "notes.txt"), "mine")
	second := stage(t, dir, "2", "a.set", "list.set")
	if got := contents(t, dir); got != "a.set=1 b.set=1 list.set=1 notes.txt=mine" {
		t.Errorf("before the commit: %s", got)
	}
	if err := second.Commit([]string{"a.set", "list.set"}); err != nil {
		t.Fatal(err)
	}
	second.Abort() // does nothing
	stage(t, dir, "3", "a.set").Abort()
	if got := contents(t, dir); got != "a.set=2 list.set=2 notes.txt=mine" {
		t.Errorf("after it: %s", got)
	}
}

// An aborted writer removes its files.
func TestFolderAborted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	stage(t, dir, "1", "a.set").Abort()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
	there := t.TempDir()
	stage(t, there, "1", "a.set").Abort()
	if left, err := os.ReadDir(there); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Files of the set's names that no command wrote, or that were changed since, are the user's: the folder is refused
// and stays as it is, when it is opened and when it is committed.
func TestFolderKeepsForeignFiles(t *testing.T) {
	for name, spoil := range map[string]func(dir string){
		"another file":   func(dir string) { put(t, filepath.Join(dir, "hand.set"), "mine") },
		"a changed file": func(dir string) { put(t, filepath.Join(dir, "a.set"), "mine") },
		"a link":         func(dir string) { _ = os.Symlink(filepath.Join(dir, "list.set"), filepath.Join(dir, "link.set")) },
	} {
		dir := t.TempDir()
		if err := stage(t, dir, "1", "a.set", "list.set").Commit([]string{"a.set", "list.set"}); err != nil {
			t.Fatal(err)
		}
		late := stage(t, dir, "2", "a.set", "list.set")
		spoil(dir)
		want := contents(t, dir)
		if err := late.Commit([]string{"a.set", "list.set"}); err == nil ||
			!strings.Contains(err.Error(), "no export wrote") {
			t.Errorf("%s at the commit: %v", name, err)
		}
		if _, err := OpenFolder(dir, ofSet); err == nil || !strings.Contains(err.Error(), "no export wrote") {
			t.Errorf("%s at the beginning: %v", name, err)
		}
		if got := contents(t, dir); got != want {
			t.Errorf("%s: the folder has %s, had %s", name, got, want)
		}
	}
}

// A process killed anywhere within a commit leaves the former set, or a set that the next writer completes; the
// last file, which says that a set is whole, never stands beside files of the other set.
func TestFolderAfterAKill(t *testing.T) {
	names := []string{"a.set", "b.set", "list.set"}
	for moved := -1; moved <= len(names); moved++ {
		dir := t.TempDir()
		if err := stage(t, dir, "1", "a.set", "gone.set", "list.set").Commit([]string{"a.set", "gone.set",
			"list.set"}); err != nil {
			t.Fatal(err)
		}
		f := stage(t, dir, "2", names...)
		if err := f.commit(names); err != nil {
			t.Fatal(err)
		}
		if moved >= 0 { // the former set is gone, and some have moved
			for _, n := range []string{"list.set", "gone.set", "a.set"} {
				os.Remove(filepath.Join(dir, n))
			}
			for _, n := range names[:moved] {
				if err := os.Rename(filepath.Join(f.hidden(), committed, n), filepath.Join(dir, n)); err != nil {
					t.Fatal(err)
				}
			}
		}
		f.lock.Close() // as the end of its process
		now := strings.Fields(contents(t, dir))
		if whole := slices.ContainsFunc(now, func(s string) bool {
			return strings.HasPrefix(s, "list.set")
		}); whole && moved >= 0 && moved < len(names) {
			t.Errorf("killed after %d files: the list stands beside %v", moved, now)
		}
		stage(t, dir, "3", "a.set").Abort()
		if got := contents(t, dir); got != "a.set=2 b.set=2 list.set=2" {
			t.Errorf("killed after %d files: %s", moved, got)
		}
	}
}
