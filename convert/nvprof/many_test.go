package nvprof

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A kernel has at most as many children as the reader holds, and those are read.
func TestMostChildren(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "children"))
	if err == nil {
		err = f.Truncate(maxChildren * childBytes)
	}
	if err != nil {
		t.Fatal(err)
	}
	ch := &Children{file: f, spans: map[uint64]span{7: {0, maxChildren}, 8: {0, maxChildren + 1}},
		Count: maxChildren}
	defer ch.Close()
	if _, err := ch.Of(8); err == nil || !strings.Contains(err.Error(), "grid 8 has 1048577 children") {
		t.Errorf("too many: %v", err)
	}
	list, err := ch.Of(7)
	if err != nil || len(list) != maxChildren || ch.Count != 0 {
		t.Errorf("%d children, %d left: %v", len(list), ch.Count, err)
	}
	if again, err := ch.Of(7); err != nil || again != nil {
		t.Errorf("a second time: %d, %v", len(again), err)
	}
}
