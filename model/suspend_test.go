package model_test

import (
	"fmt"
	"strings"
	"testing"
)

// A CTA that waits for its child leaves its slots to others. Its warps keep the place to which they return after
// bodies that they perform themselves. CTA 0 performs a body (threshold=3 keeps work up to 3) and waits for a
// child. CTA 2 takes its slot and performs a body, sooner or later, while CTA 0 is back in another and performs one
// more.
func TestSuspendedWarpsKeepTheirCallers(t *testing.T) {
	for later := range 20 {
		text := fmt.Sprintf(`launch k0 grid=3 block=32
cta 0
warp 0
devlaunch
child 1 lane=0 work=2
devlaunch
child 2 lane=0 work=9
devsync
devlaunch
child 3 lane=0 work=3
int R3 x5
exit
cta 1
warp 0
int R1 <- R1 x200
exit
cta 2
warp 0
int R2 <- R2 x%d
devlaunch
child 4 lane=0 work=3
int R4 <- R4 x7
exit
`, 1+15*later) + strings.Repeat("kernel d0 grid=1 block=32 child\ncta 0\nwarp 0\nint R1 <- R1 x40\nexit\n", 4)
		if !agree(t, text, []string{"sm.count=1", "sm.schedulers=1", "sm.max_ctas=2", "launch.device_base=300",
			"policy=threshold=3"}) {
			t.Errorf("CTA 2 calls after %d instructions", 1+15*later)
		}
	}
}
