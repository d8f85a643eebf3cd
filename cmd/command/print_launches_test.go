package command

import (
	"testing"

	"gpureplay/model"
	"gpureplay/replay"
)

// Only facts about child launches that a user must know stand below the table.
func TestLaunchNote(t *testing.T) {
	run := func(policy string, asked, made, joined uint64, spilled float64) *replay.Result {
		r := &replay.Result{Policy: policy}
		r.Run.LaunchesRequested, r.Run.LaunchesMade, r.Run.LaunchesCoalesced = asked, made, joined
		if spilled >= 0 {
			r.Run.Extra = []model.Metric{{Name: "agt_spilled_groups", Value: spilled}}
		}
		return r
	}
	for _, c := range []struct {
		r    *replay.Result
		want string
	}{
		{run("serial", 0, 0, 0, -1), ""},
		{run("flat", 9, 0, 0, -1), ""},
		{run("cdp", 9, 9, 0, -1), ""},
		{run("cdp", 4096, 0, 0, -1), "cdp: 0 of 4,096 requests launched: none meets the policy's rule; " +
			"--policy=threshold=0 launches all"},
		{run("dtbl", 4096, 4096, 0, 0), "dtbl: 0 of 4,096 groups joined: no kernel of their function and CTA size was " +
			"in the distributor, or where dtbl-match allows it on its way there"},
		{run("dtbl", 4096, 4096, 4095, 3000), "dtbl: 4,095 of 4,096 groups joined; 3,000 found no entry of the AGT, " +
			"their records were read from memory"},
		{run("dtbl", 9, 9, 8, 0), ""},
	} {
		if got := launchNote(c.r); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
