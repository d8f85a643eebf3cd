package model

import (
	"os"
	"strings"
	"testing"
	"unsafe"
)

// The size of a pending launch is stated in two documents, alike: the request, and its place in a queue of the KMU.
func TestPendingLaunchBytes(t *testing.T) {
	if n := unsafe.Sizeof(childLaunch{}) + unsafe.Sizeof(pendingKernel{}); n != 112 {
		t.Errorf("a pending launch takes %d bytes, the documents say 112", n)
	}
	for _, doc := range []string{"../docs/performance.md", "../docs/policies/child-launches.md"} {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "112 bytes") {
			t.Errorf("%s does not say what a pending launch takes", doc)
		}
	}
}
