package model

import (
	"fmt"
	"strings"
	"testing"
)

// A policy that launches in the cycle at hand, whose events have been dealt with, is told
// so: the kernel would come in a cycle that is over.
func TestLaunchAtIsLater(t *testing.T) {
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "launches at 5, in cycle 5") {
			t.Errorf("panics with %q", got)
		}
	}()
	x := &LaunchMachine{View{&Machine{children: &launchUnit{core: &core{now: 5}}}}}
	x.LaunchAt(nil, 5)
}
